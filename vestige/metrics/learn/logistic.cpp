// Logistic regression: the loss of one row, and the checks around the solver.
#include "vestige/metrics/learn/logistic.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "vestige/base/error.h"
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

/// cost * log(1 + exp(-y * predictor)), accurate in both tails.
RowLoss row_loss(int label, double cost, double predictor) {
  const double sign = label == 1 ? 1 : -1;
  const double margin = sign * predictor;
  const double small = std::exp(-std::abs(margin));
  const double wrong = margin >= 0 ? small / (1 + small) : 1 / (1 + small);
  return {.value = cost * (std::log1p(small) + std::max(0.0, -margin)),
          .slope = -cost * sign * wrong,
          .curvature = cost * small / ((1 + small) * (1 + small))};
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
  const auto loss = [&](std::size_t row, double predictor) {
    return row_loss(labels[row], labels[row] == 1 ? cost.one : cost.zero, predictor);
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
