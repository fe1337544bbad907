// How well can an attacker tell unlearned models from retrained ones by one example? The epsilon of
// "Are we making progress in unlearning?" (NeurIPS 2023 competition paper), Section 3.1.1, over
// every cut of the sample ("exact" mode). docs/metrics/epsilon.md has the definition.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"

namespace vestige::metrics {

/// Which attacks are tried.
enum class EpsilonMode {
  exact,      ///< every cut of the sample (epsilons)
  reference,  ///< the grids of the public scorer (reference_epsilons)
};

/// Whose strongest attack is eps.
enum class AttackFamilies {
  both,              ///< single and double threshold, as in the competition
  single,            ///< single threshold alone
  double_threshold,  ///< double threshold alone
};

/// How eps is computed.
struct EpsilonOptions {
  double delta = 1e-5;  ///< the delta of (eps, delta)-unlearning
  double cap = 50;      ///< eps of perfectly separated samples
  AttackFamilies families = AttackFamilies::both;
};

/// A decision rule: values in [lower, upper] are called positive; infinite where the rule reaches
/// the end of the sample.
struct FittedAttack {
  double epsilon = std::numeric_limits<double>::quiet_NaN();  ///< on the fitting models, uncapped
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool positive_is_retrained = false;
};

/// eps of one example. NaN where every attack was discarded (exactly one of FPR, FNR was 0).
struct Epsilon {
  /// The strongest attack of the families; 0 for samples that are equal as multisets.
  double epsilon = std::numeric_limits<double>::quiet_NaN();
  double single = std::numeric_limits<double>::quiet_NaN();            ///< single threshold alone
  double double_threshold = std::numeric_limits<double>::quiet_NaN();  ///< double threshold alone
  bool positive_is_retrained = false;  ///< retrained has the strictly larger median
  bool separated = false;              ///< eps is at the cap
};

/// Exact eps from the confidences of one example under each unlearned and each retrained model; the
/// two counts may differ. O(N log N). InputError for an empty sample, NaN, or bad options.
Epsilon epsilon(std::span<const double> unlearned, std::span<const double> retrained,
                const EpsilonOptions& options = {});

/// The same for many examples: matrices are [models, examples]. In parallel.
std::vector<Epsilon> epsilons(MatrixView unlearned, MatrixView retrained,
                              const EpsilonOptions& options = {});

/// eps of the families from that of each; NaN counts as no attack.
double strongest(double single, double double_threshold, AttackFamilies families);

/// InputError unless both have the same examples, and at least one model each.
void check_pools(MatrixView unlearned, MatrixView retrained);

/// The largest finite eps that so many models can show: ln((1 - delta) N - 1), about ln(N - 1), for
/// equal counts; NaN if none is finite (N = 1).
double largest_finite_epsilon(std::size_t unlearned, std::size_t retrained,
                              const EpsilonOptions& options = {});

}  // namespace vestige::metrics
