// The binomial bound and its inversion.
#include "vestige/metrics/one_run/one_run.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <numeric>

#include "vestige/base/error.h"

namespace vestige::metrics {

double canary_p(const CanaryGuesses& guesses, double epsilon, double delta) {
  require(guesses.right <= guesses.guesses && guesses.guesses <= guesses.canaries,
          "canaries: {} right of {} guesses of {} canaries: each must be at most the next",
          guesses.right, guesses.guesses, guesses.canaries);
  require(epsilon >= 0 && delta >= 0 && delta <= 1,
          "canaries: epsilon {} and delta {}: give epsilon >= 0 and delta in [0, 1]", epsilon,
          delta);
  if (guesses.right == 0) return 1;
  const double q = 1 / (1 + std::exp(-epsilon));
  const boost::math::binomial_distribution<double> right(static_cast<double>(guesses.guesses), q);
  const auto v = static_cast<double>(guesses.right);
  const double tail = cdf(complement(right, v - 1));
  if (delta == 0) return std::min(tail, 1.0);
  double below = 0, steepest = 0;
  for (std::size_t i = 1; i <= guesses.right; ++i) {
    below += pdf(right, v - static_cast<double>(i));
    steepest = std::max(steepest, below / static_cast<double>(i));
  }
  return std::min(1.0, tail + 2 * static_cast<double>(guesses.canaries) * delta * steepest);
}

double canary_epsilon(const CanaryGuesses& guesses, double delta, double confidence) {
  require(confidence > 0 && confidence < 1, "canaries: confidence is {}: give one in (0, 1)",
          confidence);
  const double level = 1 - confidence;
  if (guesses.guesses == 0 || canary_p(guesses, 0, delta) > level) return 0;
  double low = 0, high = 1;
  // All guesses right leave p = q^r, which passes any level at last; 700 keeps exp finite.
  while (high < 700 && canary_p(guesses, high, delta) <= level) {
    low = high;
    high *= 2;
  }
  while (high - low > 1e-9) {
    const double middle = (low + high) / 2;
    (canary_p(guesses, middle, delta) <= level ? low : high) = middle;
  }
  return low;
}

CanaryGuesses guess_canaries(std::span<const double> scores, std::span<const std::int64_t> members,
                             double share) {
  require(scores.size() == members.size(),
          "canaries: {} scores and {} memberships: give one of each per canary", scores.size(),
          members.size());
  require(share > 0 && share <= 0.5, "canaries: share is {}: give one in (0, 0.5]", share);
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  const auto side = static_cast<std::size_t>(share * static_cast<double>(scores.size()));
  CanaryGuesses result{scores.size(), 2 * side, 0};
  for (std::size_t i = 0; i < side; ++i) {
    result.right += members[order[i]] == 1 ? 1U : 0U;
    result.right += members[order[order.size() - 1 - i]] == 0 ? 1U : 0U;
  }
  return result;
}

OneRun one_run(std::span<const double> scores, std::span<const std::int64_t> members,
               const OneRunOptions& options) {
  OneRun best;
  if (scores.empty() || options.shares.empty() ||
      std::any_of(scores.begin(), scores.end(), [](double value) { return std::isnan(value); })) {
    return best;
  }
  const double confidence =
      1 - (1 - options.confidence) / static_cast<double>(options.shares.size());
  for (const double share : options.shares) {
    const CanaryGuesses guesses = guess_canaries(scores, members, share);
    const double epsilon = canary_epsilon(guesses, options.delta, confidence);
    if (!std::isnan(best.epsilon) && epsilon <= best.epsilon) continue;
    best = {epsilon, share, guesses};
  }
  return best;
}

}  // namespace vestige::metrics
