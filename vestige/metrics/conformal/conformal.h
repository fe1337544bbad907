// Conformal prediction sets and what they say about forgetting: coverage, set size, their ratio CR,
// and fake forgetting (mis-labelled rows whose true label is still in the set).
// Source: "Tackling fake forgetting through uncertainty quantification", eqs. 1-6 and Table 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

/// Non-conformity of class y in one row, with classes ordered by (output descending, index
/// ascending):
///   scp             1 - p_y; also called LAC
///   aps             running sum of p up to and with y (Romano et al. 2020)
///   aps_randomised  the same minus u p_y, u uniform in [0, 1)
///   raps            aps + lambda max(0, rank - k), rank from 1 (Angelopoulos et al. 2021)
///   saps            u p_max for rank 1, else p_max + (rank - 2 + u) lambda (Huang et al. 2024)
///   entmax          (sum over classes ahead of (z_k - z_y)^d)^(1/d), d = 1/(gamma - 1): for
///                   gamma = 1 the gap z_max - z_y, for gamma = 2 the sum of the gaps
enum class ConformalScore { scp, aps, aps_randomised, raps, saps, entmax };
std::string_view name(ConformalScore score);
/// From its name; "lac" is scp. InputError names the choices.
ConformalScore conformal_score(std::string_view name);

/// finite_sample: the ceil((n+1)(1-alpha))-th smallest score, infinite if that exceeds n; a set
/// holds scores <= q. paper: the plain 1-alpha quantile with linear interpolation; scores < q.
enum class QuantileRule { finite_sample, paper };
std::string_view name(QuantileRule rule);
QuantileRule quantile_rule(std::string_view name);

struct ScoreOptions {
  ConformalScore score = ConformalScore::scp;
  double gamma = 1.5;          ///< entmax only; at least 1
  std::uint64_t seed = 1;      ///< aps_randomised and saps: where u comes from if it is not given
  double penalty = 0.2;        ///< lambda of raps and saps; at least 0
  std::size_t free_ranks = 2;  ///< k of raps: ranks without a penalty
};

/// Score of the true label of each row. `outputs` is [n, C]: probabilities for scp and aps, logits
/// or log-probabilities (the score ignores a constant added to a row) for entmax. `u` is empty or
/// [n], for aps_randomised and saps.
std::vector<double> calibration_scores(MatrixView outputs, std::span<const std::int64_t> labels,
                                       const ScoreOptions& options = {},
                                       std::span<const double> u = {});

/// Scores of all classes, [n, C]. `u` is empty or [n, C], where column r belongs to the class of
/// rank r in its row (TorchCP's convention). prediction_sets does not need this matrix.
Matrix class_scores(MatrixView outputs, const ScoreOptions& options = {},
                    std::span<const double> u = {});

/// The threshold q. InputError if alpha is outside (0, 1), if there is no score, or if one is NaN.
double conformal_quantile(std::span<const double> scores, double alpha,
                          QuantileRule rule = QuantileRule::finite_sample);

/// q with the distribution-free interval of the 1-alpha quantile between two order statistics
/// (binomial ranks, at least `confidence` of coverage); with too few rows an end is 0 (the least
/// possible score) or infinite.
Estimate conformal_threshold(std::span<const double> scores, double alpha,
                             QuantileRule rule = QuantileRule::finite_sample,
                             double confidence = 0.95);

/// Prediction sets of n rows over C classes, one bit per class.
class PredictionSets {
 public:
  PredictionSets() = default;
  PredictionSets(std::size_t rows, std::size_t classes)
      : rows_(rows), classes_(classes), stride_((classes + 63) / 64), bits_(rows * stride_) {}

  std::size_t rows() const { return rows_; }
  std::size_t classes() const { return classes_; }
  bool contains(std::size_t row, std::size_t label) const {
    return (bits_[row * stride_ + label / 64] >> (label % 64) & 1U) != 0;
  }
  void insert(std::size_t row, std::size_t label) {
    bits_[row * stride_ + label / 64] |= std::uint64_t{1} << (label % 64);
  }
  /// Inserts every class whose value exceeds `bound`; one value per class.
  void insert_above(std::size_t row, std::span<const double> values, double bound);
  /// Number of classes in the set of `row`.
  std::size_t size(std::size_t row) const;
  /// The classes in ascending order.
  std::vector<std::size_t> members(std::size_t row) const;

 private:
  std::size_t rows_ = 0;
  std::size_t classes_ = 0;
  std::size_t stride_ = 0;  ///< 64-bit words per row, so that rows can be written in parallel
  std::vector<std::uint64_t> bits_;
};

/// Classes with score <= q (rule finite_sample) or < q (rule paper). `u` as in class_scores.
PredictionSets prediction_sets(MatrixView outputs, double q, QuantileRule rule,
                               const ScoreOptions& options = {}, std::span<const double> u = {});

/// Eqs. 4-6. CR is NaN if every set is empty; all three are NaN without rows.
struct CoverageSummary {
  double coverage = kUndefined;
  double set_size = kUndefined;
  double cr = kUndefined;
  std::size_t n = 0;
  std::size_t empty = 0;          ///< rows with an empty set
  std::vector<double> covered;    ///< [n] 1 where the true label is in the set, else 0
  std::vector<double> set_sizes;  ///< [n]
};
CoverageSummary summarise_sets(const PredictionSets& sets, std::span<const std::int64_t> labels);

/// Table 2: rows whose largest output is not the true label (the lowest index wins a tie), and how
/// many of them still have the true label in their set. The ratio is NaN without a mis-label.
struct FakeForgetting {
  std::size_t mislabel = 0;
  std::size_t in_set = 0;
  double ratio = kUndefined;
  std::vector<double> mislabelled;  ///< [n] 1 where mis-labelled, else 0
};
FakeForgetting fake_forgetting(MatrixView outputs, const PredictionSets& sets,
                               std::span<const std::int64_t> labels);

/// Terms t_i of a ratio of sums, (sum a)/(sum b), whose mean is that ratio and whose spread is its
/// sampling error to first order: t_i = r + (a_i - r b_i) / mean(b). Empty if sum b is 0.
std::vector<double> ratio_terms(std::span<const double> numerators,
                                std::span<const double> denominators);

}  // namespace vestige::metrics
