// Rows of all models beside each other; every unordered pair is looked at once.
#include "vestige/metrics/closeness/closeness_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/evidence/blocks.h"
#include "vestige/metrics/stats/row_pairs.h"

namespace vestige::metrics {
namespace {

/// What one row says of a pair of models.
struct PairCloseness {
  double agreement = 0;
  double distance = 0;
  double divergence = 0;
};

/// Unordered pairs, and for each of the wanted models the pairs that it is in.
struct PairPlan {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  std::vector<std::vector<std::size_t>> of_wanted;
};

PairPlan plan_pairs(std::span<const Neighbours> wanted) {
  PairPlan plan;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> places;
  for (const Neighbours& neighbours : wanted) {
    std::vector<std::size_t>& own = plan.of_wanted.emplace_back();
    for (const std::size_t reference : neighbours.references) {
      const auto [place, is_new] =
          places.try_emplace(std::minmax(neighbours.model, reference), plan.pairs.size());
      if (is_new) plan.pairs.push_back(place->first);
      own.push_back(place->second);
    }
  }
  return plan;
}

/// The rows of one block; what it holds is the size of one row of all models.
class RowOfModels {
 public:
  RowOfModels(std::span<const evidence::Array* const> outputs, evidence::OutputKind kind)
      : outputs_(outputs),
        kind_(kind),
        probabilities_(outputs.size(), outputs.front()->cols()),
        said_(outputs.size()) {}

  void read(std::size_t row) {
    for (std::size_t model = 0; model < outputs_.size(); ++model) {
      const std::span<double> values = probabilities_.row(model);
      outputs_[model]->read_row(row, values);
      kind_ == evidence::OutputKind::probabilities ? scale_row(values) : softmax(values);
      said_[model] = said_row(values);
    }
  }

  PairCloseness pair(std::size_t model, std::size_t other) const {
    const SaidRow &ours = said_[model], &theirs = said_[other];
    const RowPair sums = row_pair(std::as_const(probabilities_).row(model),
                                  std::as_const(probabilities_).row(other));
    const double divergence = 0.5 * (ours.negentropy + theirs.negentropy) - sums.negentropy;
    return {ours.largest == theirs.largest ? 1.0 : 0.0, std::sqrt(sums.squared_distance),
            divergence < 0 ? 0 : divergence};
  }

 private:
  std::span<const evidence::Array* const> outputs_;
  evidence::OutputKind kind_;
  Matrix probabilities_;
  std::vector<SaidRow> said_;
};

}  // namespace

std::vector<Closeness> mean_closeness(std::span<const evidence::Array* const> outputs,
                                      evidence::OutputKind kind,
                                      std::span<const Neighbours> wanted) {
  if (wanted.empty()) return {};
  const std::size_t rows = outputs.front()->rows();
  for (const evidence::Array* other : outputs) {
    require(other->rows() == rows && other->cols() == outputs.front()->cols(),
            "closeness: one model's outputs are [{}, {}], another's [{}, {}]: both must cover the "
            "same rows and classes",
            rows, outputs.front()->cols(), other->rows(), other->cols());
  }
  const PairPlan plan = plan_pairs(wanted);
  std::vector<Closeness> result(wanted.size());
  for (Closeness& one : result) {
    for (auto* terms : {&one.agreement, &one.distance, &one.divergence}) terms->resize(rows);
  }
  evidence::for_row_blocks(rows, [&](std::size_t first, std::size_t last) {
    RowOfModels models(outputs, kind);
    std::vector<PairCloseness> pairs(plan.pairs.size());
    for (std::size_t row = first; row < last; ++row) {
      models.read(row);
      std::transform(plan.pairs.begin(), plan.pairs.end(), pairs.begin(),
                     [&](const auto& pair) { return models.pair(pair.first, pair.second); });
      for (std::size_t model = 0; model < result.size(); ++model) {
        const double share = 1 / static_cast<double>(plan.of_wanted[model].size());
        for (const std::size_t pair : plan.of_wanted[model]) {
          result[model].agreement[row] += pairs[pair].agreement * share;
          result[model].distance[row] += pairs[pair].distance * share;
          result[model].divergence[row] += pairs[pair].divergence * share;
        }
      }
    }
  });
  return result;
}

}  // namespace vestige::metrics
