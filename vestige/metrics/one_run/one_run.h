// A lower bound on epsilon from one training run (Steinke, Nasr and Jagielski 2023, "Privacy
// auditing with one (1) training run"): canaries were inserted into training by independent fair
// coins, and guesses of which ones are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

/// What was guessed.
struct CanaryGuesses {
  std::size_t canaries = 0;  ///< m, each inserted with probability 1/2
  std::size_t guesses = 0;   ///< r: the others were abstained from
  std::size_t right = 0;     ///< v
};

/// Largest probability that a model which is (epsilon, delta)-differentially private towards each
/// canary lets `right` or more of the guesses come true (the paper's Theorem 5.2 and its code in
/// appendix D): P[B >= v] + 2 m delta max_i P[v > B >= v - i] / i with B binomial(r, q) and
/// q = 1 / (1 + exp(-epsilon)), at most 1. InputError unless right <= guesses <= canaries, epsilon
/// >= 0 and 0 <= delta <= 1.
double canary_p(const CanaryGuesses& guesses, double epsilon, double delta);

/// The largest epsilon that is refuted with this confidence: canary_p <= 1 - confidence; 0 if none
/// is. Within 1e-9.
double canary_epsilon(const CanaryGuesses& guesses, double delta, double confidence);

/// The `share` of canaries with the highest scores guessed as inserted, as many with the lowest as
/// not; of equal scores the earlier counts as higher. `members` holds zeros and ones.
CanaryGuesses guess_canaries(std::span<const double> scores, std::span<const std::int64_t> members,
                             double share);

struct OneRunOptions {
  double delta = 1e-5;
  double confidence = 0.95;  ///< of the bound, over all shares together
  /// Shares guessed on either side; the best bound counts, each at the confidence that Bonferroni
  /// leaves it.
  std::vector<double> shares = {0.025, 0.05, 0.1, 0.25, 0.5};
};

struct OneRun {
  double epsilon = kUndefined;  ///< lower bound; NaN without canaries
  double share = kUndefined;    ///< of the best bound
  CanaryGuesses guesses;        ///< of the best bound
};

OneRun one_run(std::span<const double> scores, std::span<const std::int64_t> members,
               const OneRunOptions& options = {});

}  // namespace vestige::metrics
