// Two folds of models: one fits, the other is attacked.
#include "vestige/metrics/ulira/ulira.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/scores/lira.h"
#include "vestige/metrics/stats/roc.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

/// Values of a row under the models of one fold.
std::vector<double> fold_values(MatrixView models, std::size_t row, std::size_t fold) {
  std::vector<double> values;
  for (std::size_t i = fold; i < models.rows; i += 2) values.push_back(models(i, row));
  return values;
}

double population_variance(const std::vector<double>& values) {
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return sum / static_cast<double>(values.size());
}

/// Root of the mean variance over rows.
double shared_deviation(MatrixView models, std::size_t fold) {
  std::vector<double> variances(models.cols);
  parallel_for(models.cols, [&](std::size_t row) {
    variances[row] = population_variance(fold_values(models, row, fold));
  });
  return std::sqrt(mean(variances));
}

struct Told {
  double accuracy = 0;
  double auc = 0;
};

/// Deviations below 0: from the row's own values.
Told attack_row(MatrixView unlearned, MatrixView retrained, std::size_t row, std::size_t fit,
                double deviation_unlearned, double deviation_retrained) {
  const auto fitted = [&](MatrixView models, double shared) {
    const std::vector<double> values = fold_values(models, row, fit);
    return std::pair(mean(values), shared >= 0 ? shared : std::sqrt(population_variance(values)));
  };
  const std::pair fit_u = fitted(unlearned, deviation_unlearned);
  const std::pair fit_r = fitted(retrained, deviation_retrained);
  const auto scores = [&](MatrixView models) {
    std::vector<double> values = fold_values(models, row, 1 - fit);
    for (double& x : values) {
      x = log_normal_density(x, fit_u.first, fit_u.second) -
          log_normal_density(x, fit_r.first, fit_r.second);
    }
    return values;
  };
  const auto share_above = [](const std::vector<double>& values) {
    double above = 0;
    for (const double value : values) above += value > 0 ? 1 : value == 0 ? 0.5 : 0;
    return above / static_cast<double>(values.size());
  };
  const std::vector<double> ours = scores(unlearned), theirs = scores(retrained);
  const auto undefined = [](double value) { return std::isnan(value); };
  if (std::any_of(ours.begin(), ours.end(), undefined) ||
      std::any_of(theirs.begin(), theirs.end(), undefined)) {
    return {kUndefined, kUndefined};
  }
  return {(share_above(ours) + 1 - share_above(theirs)) / 2, auc_of_samples(ours, theirs)};
}

}  // namespace

Ulira ulira(MatrixView unlearned, MatrixView retrained) {
  require(unlearned.cols == retrained.cols,
          "U-LiRA: unlearned models have {} examples, retrained ones {}: both must cover the same",
          unlearned.cols, retrained.cols);
  const std::size_t least = std::min(unlearned.rows, retrained.rows);
  require(
      least >= 4,
      "U-LiRA: {} models per group: half of them fit the attack, half are attacked; give 4 or more",
      least);
  Ulira result;
  result.one_deviation = least / 2 < kModelsForDeviations;
  result.accuracy.resize(unlearned.cols);
  result.auc.resize(unlearned.cols);
  for (std::size_t fit = 0; fit < 2; ++fit) {
    const double ours = result.one_deviation ? shared_deviation(unlearned, fit) : -1;
    const double theirs = result.one_deviation ? shared_deviation(retrained, fit) : -1;
    parallel_for(unlearned.cols, [&](std::size_t row) {
      const Told told = attack_row(unlearned, retrained, row, fit, ours, theirs);
      result.accuracy[row] += told.accuracy / 2;
      result.auc[row] += told.auc / 2;
    });
  }
  return result;
}

}  // namespace vestige::metrics
