// Bins, points, F and the final score.
#include "vestige/metrics/epsilon/epsilon_score.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "vestige/metrics/epsilon/epsilon_reference.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

std::vector<double> defined_only(std::span<const double> epsilons) {
  std::vector<double> defined;
  std::copy_if(epsilons.begin(), epsilons.end(), std::back_inserter(defined),
               [](double epsilon) { return !std::isnan(epsilon); });
  return defined;
}

}  // namespace

std::string_view name(Aggregation aggregation) {
  switch (aggregation) {
    case Aggregation::mean:
      return "mean";
    case Aggregation::median:
      return "median";
    case Aggregation::quantile:
      return "quantile";
    case Aggregation::maximum:
      return "maximum";
  }
  return "";
}

std::size_t epsilon_bins(std::size_t models, double bin_width) {
  if (models < 2) return 0;
  const double largest = std::ceil(std::log(static_cast<double>(models - 1)));
  // Quotients such as 6 / 0.3 are whole but for rounding.
  return static_cast<std::size_t>(std::ceil(largest / bin_width - 1e-9));
}

double forget_points(double epsilon, std::size_t models, double bin_width) {
  if (std::isnan(epsilon)) return epsilon;
  const double bin = std::floor(epsilon / bin_width);
  if (bin >= static_cast<double>(epsilon_bins(models, bin_width))) return 0;
  return std::ldexp(1.0, -static_cast<int>(std::max(bin, 0.0)));
}

ForgetScore forget_score(std::span<const double> epsilons, std::size_t models,
                         UndefinedRows undefined, const PointsOptions& options) {
  ForgetScore score;
  score.points.reserve(epsilons.size());
  double sum = 0;
  for (const double epsilon : epsilons) {
    const double points = forget_points(epsilon, models, options.bin_width);
    score.points.push_back(points);
    if (std::isnan(points)) {
      ++score.undefined;
    } else {
      sum += points;
    }
  }
  const std::size_t defined = epsilons.size() - score.undefined;
  if (defined == 0 || (undefined == UndefinedRows::propagate && score.undefined > 0)) return score;
  score.value =
      options.aggregation == Aggregation::mean
          ? sum / static_cast<double>(defined)
          : forget_points(aggregate_epsilon(epsilons, options), models, options.bin_width);
  return score;
}

double utility_factor(const UtilityAccuracies& accuracies) {
  if (!(accuracies.retrained_retain > 0) || !(accuracies.retrained_test > 0)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return accuracies.unlearned_retain / accuracies.retrained_retain *
         (accuracies.unlearned_test / accuracies.retrained_test);
}

double final_score(double forget_score, const UtilityAccuracies& accuracies) {
  return forget_score * utility_factor(accuracies);
}

double median_epsilon(std::span<const double> epsilons) {
  std::vector<double> defined = defined_only(epsilons);
  if (defined.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = defined.begin() + static_cast<std::ptrdiff_t>(defined.size() / 2);
  std::nth_element(defined.begin(), middle, defined.end());
  if (defined.size() % 2 == 1) return *middle;
  return (*std::max_element(defined.begin(), middle) + *middle) / 2;
}

double aggregate_epsilon(std::span<const double> epsilons, const PointsOptions& options) {
  if (options.aggregation == Aggregation::median) return median_epsilon(epsilons);
  const std::vector<double> defined = defined_only(epsilons);
  if (defined.empty()) return std::numeric_limits<double>::quiet_NaN();
  if (options.aggregation == Aggregation::maximum) {
    return *std::max_element(defined.begin(), defined.end());
  }
  return quantile(defined, options.quantile);
}

ForgetQuality forget_quality(MatrixView unlearned, MatrixView retrained, EpsilonMode mode,
                             const EpsilonOptions& options, const PointsOptions& points) {
  ForgetQuality quality;
  quality.models = std::min(unlearned.rows, retrained.rows);
  quality.rows = mode == EpsilonMode::exact ? epsilons(unlearned, retrained, options)
                                            : reference_epsilons(unlearned, retrained, options);
  for (const Epsilon& row : quality.rows) {
    quality.epsilons.push_back(row.epsilon);
    quality.separated += row.separated ? 1 : 0;
  }
  quality.score = forget_score(
      quality.epsilons, quality.models,
      mode == EpsilonMode::exact ? UndefinedRows::leave_out : UndefinedRows::propagate, points);
  return quality;
}

}  // namespace vestige::metrics
