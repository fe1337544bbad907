// Series of the epsilon family.
#include "vestige/metrics/epsilon/epsilon_series.h"

#include <algorithm>
#include <cmath>

#include "vestige/metrics/inputs/confidence.h"
#include "vestige/metrics/series.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kConfidenceBins = 20;
constexpr std::size_t kEnoughOriginals = 16;

std::vector<double> column(MatrixView matrix, std::size_t index) {
  std::vector<double> values(matrix.rows);
  for (std::size_t row = 0; row < matrix.rows; ++row) values[row] = matrix.row(row)[index];
  return values;
}

std::vector<double> column_means(MatrixView matrix) {
  std::vector<double> sums(matrix.cols);
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    const auto values = matrix.row(row);
    for (std::size_t col = 0; col < values.size(); ++col) sums[col] += values[col];
  }
  for (double& sum : sums) sum /= static_cast<double>(matrix.rows);
  return sums;
}

double variance_of_all(std::span<const double> values) {
  const double center = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - center) * (value - center);
  return sum / static_cast<double>(values.size());
}

/// The score's bins, and one more of that width which holds everything beyond them.
Series epsilon_histogram(const EpsilonPools& pools, const ForgetQuality& quality) {
  const double width = pools.settings.points.bin_width;
  const std::size_t bins = epsilon_bins(quality.models, width);
  const double beyond = width * static_cast<double>(bins);
  std::vector<double> shown;
  for (const double epsilon : quality.epsilons) {
    shown.push_back(epsilon >= beyond ? beyond : epsilon);  // NaN stays
  }
  std::vector<double> edges;
  for (std::size_t edge = 0; edge <= bins + 1; ++edge) {
    edges.push_back(width * static_cast<double>(edge));
  }
  Series series = histogram_series("epsilon", "forget", shown, edges, pools.comparison);
  series.params["beyond"] = beyond;
  return series;
}

/// What the rows are chosen by.
std::vector<double> choice(const EpsilonPools& pools, const ForgetQuality& quality,
                           std::string& chosen_by) {
  const evidence::Evidence& evidence = *pools.comparison.evidence;
  Models originals;
  if (const evidence::Group* group = evidence.find("original")) {
    for (const evidence::Model& model : group->models) {
      if (model.has("forget") && originals.size() < kEnoughOriginals) originals.push_back(&model);
    }
  }
  if (originals.empty()) {
    chosen_by = "epsilon";
    return quality.epsilons;
  }
  chosen_by = "distance of the originals from retrained";
  const Matrix confident = confidences(
      pools.request.context, originals, "forget", *evidence.find_labels("forget"), evidence.kind,
      pools.settings.mode == EpsilonMode::exact ? ConfidenceNumerics::exact
                                                : ConfidenceNumerics::reference);
  return standardised_distance(confident, pools.retrained);
}

}  // namespace

double share_above(MatrixView candidate, MatrixView retrained) {
  if (candidate.cols == 0) return kUndefined;
  const std::vector<double> ours = column_means(candidate), theirs = column_means(retrained);
  double above = 0;
  for (std::size_t row = 0; row < ours.size(); ++row) {
    above += ours[row] > theirs[row] ? 1 : ours[row] == theirs[row] ? 0.5 : 0;
  }
  return above / static_cast<double>(candidate.cols);
}

std::vector<ChosenRow> choose_rows(std::span<const double> values) {
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (!std::isnan(values[row])) order.push_back(row);
  }
  std::stable_sort(order.begin(), order.end(), [&values](std::size_t left, std::size_t right) {
    return values[left] > values[right];
  });
  if (order.empty()) return {};
  std::vector<ChosenRow> chosen = {{order.front(), "largest"}};
  if (order.size() >= 3) chosen.push_back({order[order.size() / 2], "median"});
  if (order.size() >= 2) chosen.push_back({order.back(), "smallest"});
  return chosen;
}

std::vector<double> standardised_distance(MatrixView original, MatrixView retrained) {
  std::vector<double> distances;
  for (std::size_t row = 0; row < original.cols; ++row) {
    const std::vector<double> ours = column(original, row), theirs = column(retrained, row);
    const double spread = std::sqrt((variance_of_all(ours) + variance_of_all(theirs)) / 2);
    const double distance = std::abs(mean(ours) - mean(theirs)) / spread;
    distances.push_back(std::isfinite(distance) ? distance : kUndefined);
  }
  return distances;
}

void add_epsilon_series(const EpsilonPools& pools, const ForgetQuality& quality,
                        Measurements& out) {
  if (!gives_series(pools.comparison)) return;
  out.series.push_back(sorted_series("epsilon", quality.epsilons, pools.comparison));
  out.series.push_back(epsilon_histogram(pools, quality));
  const Control control = pools.comparison.control;
  if (control != Control::none && control != Control::original) return;
  std::string chosen_by;
  for (const ChosenRow& chosen : choose_rows(choice(pools, quality, chosen_by))) {
    const std::vector<double> ours = column(pools.candidate, chosen.row);
    const std::vector<double> theirs = column(pools.retrained, chosen.row);
    const std::vector<double> edges = pooled_bins({ours, theirs}, kConfidenceBins);
    const auto add = [&](const char* group, const std::vector<double>& values) {
      Series series =
          histogram_series("epsilon.confidence", group, values, edges, pools.comparison);
      series.params["row"] = chosen.row;
      series.params["place"] = chosen.place;
      series.params["chosen_by"] = chosen_by;
      series.params["epsilon"] = json_number(quality.epsilons[chosen.row]);
      out.series.push_back(std::move(series));
    };
    add("retrained", theirs);
    add(control == Control::none ? "unlearned" : "original", ours);
  }
}

}  // namespace vestige::metrics
