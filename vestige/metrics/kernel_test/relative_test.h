// The relative three-sample test: is a model's sample nearer to a first sample than to a second, by
// f-divergences of kernel witnesses (Ribero, Schrab and Gretton 2026, "Regularized f-divergence
// kernel tests")?
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

enum class WitnessDivergence {
  chi_squared,       ///< the de-regularised MMD: mean over Q minus mean over P of the ratio
  hockey_stick,      ///< of order 1: share of Q minus share of P where the ratio is above 1
  kullback_leibler,  ///< mean over Q of ln ratio, minus mean over P of the ratio, plus 1
};
inline constexpr std::array<WitnessDivergence, 3> kWitnessDivergences = {
    WitnessDivergence::chi_squared, WitnessDivergence::hockey_stick,
    WitnessDivergence::kullback_leibler};
std::string_view name(WitnessDivergence divergence);

/// Below it a ratio counts as it in the logarithm of kullback_leibler.
inline constexpr double kLeastRatio = 1e-3;

/// Divergences of Q from P, in the order of kWitnessDivergences. `ratio_p` and `ratio_q` are
/// estimates of dQ/dP on the rows of P and of Q.
std::array<double, 3> witness_divergences(std::span<const double> ratio_p,
                                          std::span<const double> ratio_q);

/// Estimates of dQ/dP on the rows of P [n, d], then of Q [m, d], by the de-regularised MMD's
/// witness (Chen et al. 2024, equation 71) with the Gaussian kernel exp(-d^2 / 2 sigma^2): 1 + (1 +
/// l) / l * (k(z, Q) - k(z, P) - k(z, P) (K_PP + n l I)^-1 (k(P, Q) - k(P, P))), means over P and Q
/// taken.
std::vector<double> witness_ratio(MatrixView p, MatrixView q, double sigma, double lambda);

struct RelativeTestOptions {
  std::size_t permutations = 199;
  std::size_t bandwidths = 5;                        ///< from q05 / 2 to 2 q95 of all distances
  std::vector<double> lambdas = {0.001, 0.01, 0.1};  ///< of the witness
  std::uint64_t seed = 1;
};

struct RelativeTest {
  /// One-sided p that the model is nearer to the second sample than to the first, by divergence;
  /// NaN where all rows coincide.
  std::array<double, 3> nearer_second = {kUndefined, kUndefined, kUndefined};
  /// ... that it is nearer to the first.
  std::array<double, 3> nearer_first = {kUndefined, kUndefined, kUndefined};
};

/// `model`, `first` and `second` are [n, d], row i of each about the same row of data. The
/// statistic is the divergence of `first` from the model minus that of `second`; under the null
/// first and second may be exchanged row by row, which gives the permutations. Over bandwidths and
/// lambdas the smallest p decides, judged by its own permutation distribution (Schrab et al. 2023).
/// InputError if the shapes differ or a lambda is not above 0; NaN for fewer than two rows.
RelativeTest relative_test(MatrixView model, MatrixView first, MatrixView second,
                           const RelativeTestOptions& options = {});

}  // namespace vestige::metrics
