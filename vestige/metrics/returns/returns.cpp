// Moves under a probe, and relearn times.
#include "vestige/metrics/returns/returns.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cassert>
#include <cmath>

#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

Matrix moved_by(const Matrix& after, const Matrix& before) {
  assert(after.rows() == before.rows() && after.cols() == before.cols());
  Matrix moved(after.rows(), after.cols());
  for (std::size_t model = 0; model < moved.rows(); ++model) {
    for (std::size_t row = 0; row < moved.cols(); ++row) {
      moved(model, row) = after(model, row) - before(model, row);
    }
  }
  return moved;
}

Estimate as_share(const Gap& gap, double difference) {
  Estimate estimate{gap.estimate / difference};
  if (!(gap.error > 0)) return estimate;
  const double half = t_half_width(gap.error, gap.degrees) / difference;
  estimate.lower = estimate.value - half;
  estimate.upper = estimate.value + half;
  return estimate;
}

/// One-sided p of a gap that is not above 0.
double p_above_zero(const Gap& gap) {
  if (!(gap.error > 0)) return kUndefined;
  const boost::math::students_t distribution(gap.degrees);
  return boost::math::cdf(boost::math::complement(distribution, gap.estimate / gap.error));
}

/// Mean over the drawn rows of one point of a curve.
double mean_at(const Matrix& values, std::size_t point, std::span<const std::size_t> rows) {
  double sum = 0;
  for (const std::size_t row : rows) sum += values(point, row);
  return sum / static_cast<double>(rows.size());
}

Anamnesis anamnesis_on(const Relearning& relearning, double range,
                       std::span<const std::size_t> rows) {
  double original = 0;
  for (const std::size_t row : rows) original += relearning.original[row];
  original /= static_cast<double>(rows.size());
  const auto steps = [&](const Matrix& values) {
    std::vector<double> curve;
    for (std::size_t point = 0; point < values.rows(); ++point) {
      curve.push_back(mean_at(values, point, rows));
    }
    // An accuracy of (1 - range) A, a loss of (1 + range) L: answers are minus the loss there.
    return steps_to_reach(relearning.steps, curve, original - range * std::abs(original));
  };
  Anamnesis found;
  found.method = steps(relearning.method);
  found.retrained = steps(relearning.retrained);
  if (found.retrained > 0) found.index.value = found.method / found.retrained;
  return found;
}

}  // namespace

ProbedSide probed_side(const SignalRows& before, const SignalRows& after,
                       const std::shared_ptr<const Strata>& strata) {
  return {contrast(after.target, after.unseen, strata),
          contrast(moved_by(after.target, before.target), moved_by(after.unseen, before.unseen),
                   strata)};
}

Return returned(const ProbedSide& method, const ProbedSide& retrained, double difference) {
  Return found;
  if (!(difference > 0)) return found;
  const Gap after = gap_difference(method.after, retrained.after);
  const Gap gain = gap_difference(method.moved, retrained.moved);
  found.after = as_share(after, difference);
  found.gain = as_share(gain, difference);
  found.share = {std::min(found.after.value, found.gain.value),
                 std::min(found.after.lower, found.gain.lower),
                 std::min(found.after.upper, found.gain.upper)};
  // Both must exceed 0, so the larger p is the test's (intersection-union).
  found.p = std::max(p_above_zero(after), p_above_zero(gain));
  found.method = gap(method.moved).estimate / difference;
  found.retrained = gap(retrained.moved).estimate / difference;
  return found;
}

double steps_to_reach(std::span<const double> steps, std::span<const double> values,
                      double wanted) {
  assert(steps.size() == values.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!(values[i] >= wanted)) continue;
    if (i == 0) return 0;
    const double part = (wanted - values[i - 1]) / (values[i] - values[i - 1]);
    return steps[i - 1] + part * (steps[i] - steps[i - 1]);
  }
  return kUndefined;
}

Anamnesis anamnesis(const Relearning& relearning, double range, const BootstrapOptions& options) {
  const std::size_t count = relearning.original.size();
  std::vector<std::size_t> all(count);
  for (std::size_t row = 0; row < count; ++row) all[row] = row;
  Anamnesis found = anamnesis_on(relearning, range, all);
  if (std::isnan(found.index.value)) return found;
  found.index = bootstrap(
      count,
      [&](std::span<const std::size_t> rows) {
        return anamnesis_on(relearning, range, rows).index.value;
      },
      options);
  return found;
}

}  // namespace vestige::metrics
