// Size match, split, fit, count.
#include "vestige/metrics/learn/pair_attack.h"

#include <algorithm>
#include <array>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/metrics/learn/boosted_trees.h"
#include "vestige/metrics/learn/logistic.h"
#include "vestige/metrics/learn/svc.h"

namespace vestige::metrics {
namespace {

constexpr std::array kClassifiers{AttackClassifier::logistic, AttackClassifier::svc_rbf,
                                  AttackClassifier::xgboost};

LabelledRows rows_of(const PairSide& first, const PairSide& second, const PairDraw& draw,
                     std::span<const std::size_t> selected) {
  LabelledRows rows{first.cols(), {}, {}};
  rows.rows.reserve(selected.size());
  rows.labels.reserve(selected.size());
  for (const std::size_t index : selected) {
    const bool is_first = index < draw.first.size();
    rows.rows.push_back((is_first ? first.row(draw.first[index])
                                  : second.row(draw.second[index - draw.first.size()]))
                            .data());
    rows.labels.push_back(is_first ? 1 : 0);
  }
  return rows;
}

bool all_equal(const LabelledRows& rows) {
  return std::all_of(rows.rows.begin(), rows.rows.end(), [&](const double* row) {
    return std::equal(row, row + rows.cols, rows.rows.front());
  });
}

std::vector<int> classify(const LabelledRows& train, const LabelledRows& test,
                          AttackClassifier classifier, std::uint64_t seed,
                          const LogisticStart* start) {
  std::vector<int> predictions(test.rows.size());
  switch (classifier) {
    case AttackClassifier::logistic: {
      const LogisticModel model = start != nullptr ? fit_logistic_near(train, *start)
                                                   : fit_logistic(train.gathered(), train.labels);
      for (std::size_t i = 0; i < predictions.size(); ++i) {
        predictions[i] = model.predict({test.rows[i], test.cols});
      }
      break;
    }
    case AttackClassifier::svc_rbf:
      predictions = Svc::train(train.gathered(), train.labels).predict(test.gathered());
      break;
    case AttackClassifier::xgboost: {
      const std::vector<double> probabilities =
          boosted_trees(train.gathered(), train.labels, test.gathered(), {.seed = seed});
      for (std::size_t i = 0; i < predictions.size(); ++i) {
        predictions[i] = probabilities[i] > 0.5 ? 1 : 0;
      }
      break;
    }
  }
  return predictions;
}

}  // namespace

std::string_view name(AttackClassifier classifier) {
  switch (classifier) {
    case AttackClassifier::logistic:
      return "logistic";
    case AttackClassifier::svc_rbf:
      return "svc_rbf";
    case AttackClassifier::xgboost:
      return "xgboost";
  }
  return "";
}

AttackClassifier attack_classifier(std::string_view wanted) {
  for (const AttackClassifier classifier : kClassifiers) {
    if (name(classifier) == wanted) return classifier;
  }
  fail("attack classifier \"{}\" is unknown: use logistic, svc_rbf or xgboost", wanted);
}

std::size_t row_limit(AttackClassifier classifier) {
  return classifier == AttackClassifier::svc_rbf ? 2000 : 0;
}

PairSide::PairSide(std::vector<MatrixView> parts) : parts_(std::move(parts)) {
  require(!parts_.empty(), "an attack needs at least one matrix of examples per class");
  for (const MatrixView& part : parts_) {
    require(part.cols == parts_.front().cols,
            "an attack got {} and {} features on one side: give every split the same columns",
            parts_.front().cols, part.cols);
    rows_ += part.rows;
  }
}

std::span<const double> PairSide::row(std::size_t index) const {
  std::size_t part = 0;
  while (index >= parts_[part].rows) index -= parts_[part++].rows;
  return parts_[part].row(index);
}

PairDraw draw_pair(std::size_t first_rows, std::size_t second_rows, Stream& stream,
                   const PairDrawOptions& options) {
  std::size_t count = std::min(first_rows, second_rows);
  if (options.max_rows > 0) count = std::min(count, options.max_rows);
  PairDraw draw;
  draw.first = stream.sample(first_rows, count);
  draw.second = stream.sample(second_rows, count);
  std::vector<int> labels(2 * count, 0);
  std::fill_n(labels.begin(), count, 1);
  draw.split = stratified_split(labels, options.test_fraction, stream);
  return draw;
}

PairAttack pair_attack(const PairSide& first, const PairSide& second, const PairDraw& draw,
                       AttackClassifier classifier, std::uint64_t seed,
                       const LogisticStart* start) {
  require(first.cols() == second.cols(),
          "an attack got {} features on one side and {} on the other: both must be the same",
          first.cols(), second.cols());
  require(classifier == AttackClassifier::xgboost || draw.first.size() >= first.cols(),
          "the {} attack has {} examples per class for {} features: give at least as many",
          name(classifier), draw.first.size(), first.cols());
  const LabelledRows train = rows_of(first, second, draw, draw.split.train);
  const LabelledRows test = rows_of(first, second, draw, draw.split.test);
  const std::vector<int> predictions = classify(train, test, classifier, seed, start);
  double right = 0;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (predictions[i] == test.labels[i]) right += 1;
  }
  return {.accuracy = right / static_cast<double>(predictions.size()),
          .rows = draw.first.size() + draw.second.size(),
          .held_out = predictions.size(),
          .constant = all_equal(train)};
}

LogisticStart pair_start(const PairSide& first, const PairSide& second, const PairDraw& draw,
                         AttackClassifier classifier) {
  if (classifier != AttackClassifier::logistic) return {};
  return logistic_start(rows_of(first, second, draw, draw.split.train));
}

}  // namespace vestige::metrics
