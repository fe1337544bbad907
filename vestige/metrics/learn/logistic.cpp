// Logistic regression: the losses of rows, and the checks around the solver.
#include "vestige/metrics/learn/logistic.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/metrics/kernels/gumbel_kernel.h"
#include "vestige/metrics/learn/newton.h"

namespace vestige::metrics {
namespace {

void check(MatrixView features, std::span<const int> labels, const LogisticOptions& options) {
  require(features.rows == labels.size(), "{} feature rows and {} labels: give one label per row",
          features.rows, labels.size());
  require(options.c > 0 && std::isfinite(options.c), "logistic regression: C = {} must be positive",
          options.c);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    require(labels[i] == 0 || labels[i] == 1, "label {} at row {} must be 0 or 1", labels[i], i);
  }
  const auto values = features.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    require(std::isfinite(values[i]), "feature {} of row {} is {}: features must be finite",
            i % features.cols, i / features.cols, values[i]);
  }
}

/// c times the class weight, for labels 0 and 1.
struct Costs {
  double zero = 1;
  double one = 1;
};

Costs costs(std::span<const int> labels, const LogisticOptions& options) {
  const auto ones = static_cast<double>(std::count(labels.begin(), labels.end(), 1));
  const double total = static_cast<double>(labels.size());
  if (!options.balanced) return {options.c, options.c};
  return {options.c * total / (2 * (total - ones)), options.c * total / (2 * ones)};
}

bool all_rows_equal(MatrixView features) {
  for (std::size_t i = 1; i < features.rows; ++i) {
    if (!std::ranges::equal(features.row(i), features.row(0))) return false;
  }
  return true;
}

/// Rows whose losses are taken together.
constexpr std::size_t kRowsOfBlock = 16;

/// cost * log(1 + exp(-y * predictor)) of at most kRowsOfBlock rows, accurate in both tails; see
/// LossFunction.
double block_losses(std::span<const int> labels, const Costs& cost,
                    std::span<const double> predictors, std::span<double> slopes,
                    std::span<double> curvatures) {
  double margins[kRowsOfBlock];
  double small[kRowsOfBlock];
  for (std::size_t i = 0; i < predictors.size(); ++i) {
    margins[i] = labels[i] == 1 ? predictors[i] : -predictors[i];
    small[i] = -std::abs(margins[i]);
  }
  exponentials({small, predictors.size()}, {small, predictors.size()});
  double hinges[2] = {};
  double products[2] = {1, 1};  // at most 2^16: one logarithm for all rows of a class
  for (std::size_t i = 0; i < predictors.size(); ++i) {
    const bool one = labels[i] == 1;
    const double weight = one ? cost.one : cost.zero;
    const double share = 1 / (1 + small[i]);
    hinges[one ? 1 : 0] += std::max(0.0, -margins[i]);
    products[one ? 1 : 0] *= 1 + small[i];
    const double wrong = margins[i] >= 0 ? small[i] * share : share;
    slopes[i] = one ? -weight * wrong : weight * wrong;
    curvatures[i] = weight * small[i] * share * share;
  }
  return cost.zero * (hinges[0] + std::log(products[0])) +
         cost.one * (hinges[1] + std::log(products[1]));
}

}  // namespace

double LogisticModel::decision(std::span<const double> features) const {
  double sum = intercept;
  for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * features[i];
  return sum;
}

double LogisticModel::probability(std::span<const double> features) const {
  return 1 / (1 + std::exp(-decision(features)));
}

int LogisticModel::predict(std::span<const double> features) const {
  return decision(features) > 0 ? 1 : 0;
}

LogisticModel fit_logistic(MatrixView features, std::span<const int> labels,
                           const LogisticOptions& options) {
  check(features, labels, options);
  LogisticModel model{.weights = std::vector<double>(features.cols, kUndefined)};
  const auto ones = static_cast<std::size_t>(std::count(labels.begin(), labels.end(), 1));
  if (ones == 0 || ones == labels.size()) return model;

  const Costs cost = costs(labels, options);
  const auto loss = [&](std::span<const double> predictors, std::span<double> slopes,
                        std::span<double> curvatures) {
    double total = 0;
    for (std::size_t first = 0; first < predictors.size(); first += kRowsOfBlock) {
      const std::size_t count = std::min(kRowsOfBlock, predictors.size() - first);
      total += block_losses(labels.subspan(first, count), cost, predictors.subspan(first, count),
                            slopes.subspan(first, count), curvatures.subspan(first, count));
    }
    return total;
  };
  // Without features the optimum is the log-odds of the classes; balanced classes have odds 1.
  const double odds =
      options.balanced ? 1 : static_cast<double>(ones) / static_cast<double>(labels.size() - ones);
  if (all_rows_equal(features)) {
    // Features that tell nothing leave the penalty at its least and the intercept at the log-odds.
    // Newton's steps would look for this in rounding noise, 200 times.
    std::fill(model.weights.begin(), model.weights.end(), 0.0);
    model.intercept = std::log(odds);
    model.converged = true;
    return model;
  }
  LinearFit fit = minimise_linear(features, loss, std::log(odds), options.max_iterations);
  model.weights = std::move(fit.weights);
  model.intercept = fit.intercept;
  model.iterations = fit.iterations;
  model.converged = fit.converged;
  return model;
}

}  // namespace vestige::metrics
