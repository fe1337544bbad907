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

struct Rows {
  Matrix features;
  std::vector<int> labels;  // 1: first side
};

Rows gather(const PairSide& first, const PairSide& second, const PairDraw& draw,
            std::span<const std::size_t> selected) {
  Rows rows{Matrix(selected.size(), first.cols()), std::vector<int>(selected.size())};
  for (std::size_t i = 0; i < selected.size(); ++i) {
    const bool is_first = selected[i] < draw.first.size();
    const auto from = is_first ? first.row(draw.first[selected[i]])
                               : second.row(draw.second[selected[i] - draw.first.size()]);
    std::copy(from.begin(), from.end(), rows.features.row(i).begin());
    rows.labels[i] = is_first ? 1 : 0;
  }
  return rows;
}

bool all_equal(const Matrix& features) {
  for (std::size_t i = 1; i < features.rows(); ++i) {
    if (!std::equal(features.row(i).begin(), features.row(i).end(), features.row(0).begin())) {
      return false;
    }
  }
  return true;
}

std::vector<int> classify(const Rows& train, const Matrix& test, AttackClassifier classifier,
                          std::uint64_t seed) {
  std::vector<int> predictions(test.rows());
  switch (classifier) {
    case AttackClassifier::logistic: {
      const LogisticModel model = fit_logistic(train.features, train.labels);
      for (std::size_t i = 0; i < test.rows(); ++i) predictions[i] = model.predict(test.row(i));
      break;
    }
    case AttackClassifier::svc_rbf:
      predictions = Svc::train(train.features, train.labels).predict(test);
      break;
    case AttackClassifier::xgboost: {
      const std::vector<double> probabilities =
          boosted_trees(train.features, train.labels, test, {.seed = seed});
      for (std::size_t i = 0; i < test.rows(); ++i) predictions[i] = probabilities[i] > 0.5 ? 1 : 0;
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
  require(!parts_.empty(), "an attack needs at least one matrix of rows on each side");
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
                       AttackClassifier classifier, std::uint64_t seed) {
  require(first.cols() == second.cols(),
          "an attack got {} features on one side and {} on the other: both must be the same",
          first.cols(), second.cols());
  require(
      classifier == AttackClassifier::xgboost || draw.first.size() >= first.cols(),
      "the {} attack has {} rows a side for {} features: give at least as many rows as features",
      name(classifier), draw.first.size(), first.cols());
  const Rows train = gather(first, second, draw, draw.split.train);
  const Rows test = gather(first, second, draw, draw.split.test);
  const std::vector<int> predictions = classify(train, test.features, classifier, seed);
  double right = 0;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (predictions[i] == test.labels[i]) right += 1;
  }
  return {.accuracy = right / static_cast<double>(predictions.size()),
          .rows = draw.first.size() + draw.second.size(),
          .held_out = predictions.size(),
          .constant = all_equal(train.features)};
}

}  // namespace vestige::metrics
