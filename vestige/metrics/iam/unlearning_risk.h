// What IAM's scores say about rows: under- and over-unlearning by threshold, for groups of rows and
// for single rows, and the weighted cross-entropy of all scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/metrics/result.h"

namespace vestige::metrics {

/// How easily models that never saw a row predict it: mean OUT confidence below 0.1, from 0.1 to
/// 0.9, above (paper, figure 6).
enum class Difficulty { hard, moderate, easy };
std::string_view name(Difficulty difficulty);
Difficulty difficulty_of(double mean_out_confidence);

/// What is known of the rows; each may be empty.
struct RowFacts {
  std::span<const std::int64_t> classes = {};
  std::span<const std::string> subjects = {};
  std::span<const double> out_confidence = {};  ///< mean true-class probability over shadows
};

struct GroupRate {
  std::string group;
  std::size_t flagged = 0;
  std::size_t n = 0;
  Estimate rate;  ///< Clopper-Pearson 95 %
};

struct RiskRate {
  std::size_t flagged = 0;
  std::size_t n = 0;                     ///< rows with a defined score
  Estimate rate;                         ///< Clopper-Pearson 95 %; NaN for no rows
  std::vector<GroupRate> by_class;       ///< in class order
  std::vector<GroupRate> by_subject;     ///< highest rate first, then by name
  std::vector<GroupRate> by_difficulty;  ///< hard, moderate, easy; only those with rows
  std::vector<std::size_t> worst;        ///< flagged rows, worst first, at most `worst_rows`
};

/// Which side of the threshold is a risk.
enum class Risk {
  under_unlearned,  ///< forget row with score > threshold (delta1)
  over_unlearned,   ///< retain row with score < threshold (delta2)
};

/// Throws if a non-empty fact has another length than `scores`.
RiskRate risk_rate(std::span<const double> scores, Risk risk, double threshold,
                   const RowFacts& facts = {}, std::size_t worst_rows = 10);

/// Eq. 2: -1/n sum [w b ln s + (1 - b) ln(1 - s)], b = 1 for retain rows, w = n_forget / n_retain,
/// scores cut to [1e-12, 1 - 1e-12]. Lower = forgotten and retained rows are where they should be.
/// NaN if a side is empty or holds NaN.
double weighted_cross_entropy(std::span<const double> forget, std::span<const double> retain);

}  // namespace vestige::metrics
