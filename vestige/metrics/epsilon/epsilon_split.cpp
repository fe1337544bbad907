// Fit a decision rule on one half of the models, judge it on the smoothed other half.
#include "vestige/metrics/epsilon/epsilon_split.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/epsilon/epsilon_reference.h"
#include "vestige/metrics/epsilon/epsilon_sweep.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNoRate = std::numeric_limits<double>::quiet_NaN();

// Where the boundary before `group` lies: groups [0, group) are below it.
double boundary(const PooledSample& sample, std::size_t group) {
  if (group == 0) return -kInfinity;
  if (group == sample.groups()) return kInfinity;
  return std::midpoint(sample.values()[group - 1], sample.values()[group]);
}

FittedAttack fit(const PooledSample& sample, const RateLogs& unlearned, const RateLogs& retrained,
                 AttackFamilies families) {
  Attack best, interval;
  if (families != AttackFamilies::double_threshold) {
    best = best_single(sample, unlearned, retrained);
  }
  if (families != AttackFamilies::single) interval = lowest_double(sample, unlearned, retrained);
  bool positive_is_retrained = sample.positive_is_retrained();
  if (interval.epsilon > best.epsilon || std::isnan(best.epsilon)) {
    best = interval;
    positive_is_retrained = sample.peaky_is_retrained();
  }
  if (std::isnan(best.epsilon)) return {};
  return {best.epsilon, boundary(sample, best.first), boundary(sample, best.last),
          positive_is_retrained};
}

// Upper tail of the standard normal.
double upper_tail(double z) { return 0.5 * std::erfc(z / std::numbers::sqrt2); }

double smoothed_epsilon(const FittedAttack& attack, std::span<const double> unlearned,
                        std::span<const double> retrained, double delta) {
  const auto positive = attack.positive_is_retrained ? retrained : unlearned;
  const auto negative = attack.positive_is_retrained ? unlearned : retrained;
  const double missed =
      smoothed_mass(positive, silverman_bandwidth(positive), attack.lower, attack.upper).outside;
  const double caught =
      smoothed_mass(negative, silverman_bandwidth(negative), attack.lower, attack.upper).inside;
  return attack_epsilon(caught, missed, delta);
}

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value); });
}

// One side's confidences of one row, cut into the two halves.
struct Halves {
  std::vector<double> values;
  std::size_t fitting = 0;
  std::size_t evaluation = 0;

  Halves(std::size_t models, const SplitOptions& options)
      : values(models),
        fitting(options.fitting_models > 0 ? options.fitting_models : models / 2),
        evaluation(models - std::min(models, fitting)) {
    const std::size_t most_evaluated = options.evaluation_models;
    if (most_evaluated > 0) evaluation = std::min(evaluation, most_evaluated);
  }
  void load(MatrixView matrix, std::size_t row) {
    for (std::size_t model = 0; model < values.size(); ++model) values[model] = matrix(model, row);
  }
  std::span<const double> fit() const { return std::span(values).first(fitting); }
  std::span<const double> evaluate() const {
    return std::span(values).subspan(fitting, evaluation);
  }
};

double split_epsilon(PooledSample& sample, const Halves& unlearned, const Halves& retrained,
                     const RateLogs& unlearned_logs, const RateLogs& retrained_logs,
                     const SplitOptions& options) {
  if (!all_finite(unlearned.values) || !all_finite(retrained.values)) return kNoRate;
  sample.assign(unlearned.fit(), retrained.fit());
  if (sample.equal()) return 0;
  const FittedAttack attack =
      options.mode == EpsilonMode::exact
          ? fit(sample, unlearned_logs, retrained_logs, options.epsilon.families)
          : reference_attack(unlearned.fit(), retrained.fit(), options.epsilon);
  if (std::isnan(attack.epsilon)) return kNoRate;
  const double epsilon =
      smoothed_epsilon(attack, unlearned.evaluate(), retrained.evaluate(), unlearned_logs.delta);
  return epsilon > options.epsilon.cap ? options.epsilon.cap : epsilon;
}

}  // namespace

FittedAttack fit_attack(std::span<const double> unlearned, std::span<const double> retrained,
                        double delta, AttackFamilies families) {
  PooledSample sample;
  sample.assign(unlearned, retrained);
  return fit(sample, RateLogs(unlearned.size(), delta), RateLogs(retrained.size(), delta),
             families);
}

double silverman_bandwidth(std::span<const double> values) {
  const double deviation = standard_deviation(values);
  const double quartiles = (quantile(values, 0.75) - quantile(values, 0.25)) / 1.34;
  const double scale = quartiles > 0 ? std::min(deviation, quartiles) : deviation;
  return 0.9 * scale * std::pow(static_cast<double>(values.size()), -0.2);
}

SmoothedMass smoothed_mass(std::span<const double> values, double bandwidth, double lower,
                           double upper) {
  SmoothedMass mass;
  for (const double value : values) {
    if (bandwidth == 0) {
      (value >= lower && value <= upper ? mass.inside : mass.outside) += 1;
      continue;
    }
    const double below = upper_tail((value - lower) / bandwidth);
    const double above = upper_tail((upper - value) / bandwidth);
    mass.outside += below + above;
    // The difference of the two smaller tails: no cancellation where the interval is far away.
    if (value < lower) {
      mass.inside += upper_tail((lower - value) / bandwidth) - above;
    } else if (value > upper) {
      mass.inside += upper_tail((value - upper) / bandwidth) - below;
    } else {
      mass.inside += 1 - below - above;
    }
  }
  const auto count = static_cast<double>(values.size());
  return {mass.inside / count, mass.outside / count};
}

SplitScore split_forget_score(MatrixView unlearned, MatrixView retrained,
                              const SplitOptions& options) {
  require(
      unlearned.rows >= 4 && retrained.rows >= 4,
      "epsilon split: {} unlearned and {} retrained models: give at least 4 of each, two to fit "
      "and two to evaluate",
      unlearned.rows, retrained.rows);
  require(unlearned.cols == retrained.cols,
          "epsilon split: {} examples under unlearned models, {} under retrained: give the same "
          "examples for both",
          unlearned.cols, retrained.cols);
  require(options.evaluation_models != 1,
          "epsilon split: 1 evaluation model has no spread to smooth: give at least 2");
  const Halves unlearned_shape(unlearned.rows, options);
  const Halves retrained_shape(retrained.rows, options);
  require(
      std::min(unlearned_shape.evaluation, retrained_shape.evaluation) >= 2 &&
          std::min(unlearned_shape.fitting, retrained_shape.fitting) >= 2,
      "epsilon split: fitting on {} of {} unlearned and {} retrained models leaves too few: give "
      "at least two to fit and two to evaluate",
      options.fitting_models, unlearned.rows, retrained.rows);
  const RateLogs unlearned_logs(unlearned_shape.fitting, options.epsilon.delta);
  const RateLogs retrained_logs(retrained_shape.fitting, options.epsilon.delta);

  SplitScore result;
  result.fitting_models = std::min(unlearned_shape.fitting, retrained_shape.fitting);
  result.evaluation_models = std::min(unlearned_shape.evaluation, retrained_shape.evaluation);
  result.epsilons.resize(unlearned.cols);
  parallel_ranges(unlearned.cols, 8, [&](std::size_t first, std::size_t last) {
    PooledSample sample;
    Halves left = unlearned_shape;
    Halves right = retrained_shape;
    for (std::size_t row = first; row < last; ++row) {
      left.load(unlearned, row);
      right.load(retrained, row);
      result.epsilons[row] =
          split_epsilon(sample, left, right, unlearned_logs, retrained_logs, options);
    }
  });
  result.score = forget_score(result.epsilons, result.evaluation_models, UndefinedRows::leave_out,
                              options.points);
  return result;
}

}  // namespace vestige::metrics
