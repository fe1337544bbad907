// LiRA, the likelihood-ratio attack (Carlini et al. 2022), in the form published with IAM and in
// that of its authors, and the Update attack (Jagielski et al. 2023). All scores here are
// membership scores: higher = more like a row that the model was trained on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/scores/iam.h"

namespace vestige::metrics {

/// ln of the normal density with standard deviation `deviation` + 1e-30, as both codes have it.
double log_normal_density(double x, double mean, double deviation);

/// -ln N(x; mean, std of OUT): how unlike a model that never saw the row.
std::vector<double> lira_density(std::span<const double> target, const ShadowMoments& out);

/// The offline attack: the normal distribution function of the target under OUT, in [0, 1].
std::vector<double> lira_offline(std::span<const double> target, const ShadowMoments& out);

/// The online attack as published with IAM: ln N(x; x_in, 0) - ln N(x; mean, std of OUT) with one
/// IN model. With a deviation of 1e-30 it ranks rows by |x - x_in| and hardly looks at OUT.
std::vector<double> lira_online(std::span<const double> target, std::span<const double> in,
                                const ShadowMoments& out);

/// Update attack: offline score of the unlearned model minus that of the original.
std::vector<double> update_attack(std::span<const double> target, std::span<const double> original,
                                  const ShadowMoments& out);

/// From so many models of a side on, every row has a deviation of its own; below, one for all rows
/// is the better estimate (Carlini et al. 2022, per-example against global variance).
inline constexpr std::size_t kModelsForDeviations = 64;

/// Models that were trained with or without each row, row-major [models, rows, augmentations].
struct LiraPool {
  std::span<const double> scores;
  std::span<const std::uint8_t> keep;  ///< [models, rows]: 1 = the model was trained on the row
  std::size_t rows = 0;
  std::size_t augmentations = 1;
};

struct LiraPoolScores {
  std::vector<double> online;   ///< per row; NaN where a row has no IN or no OUT model
  std::vector<double> offline;  ///< per row; NaN where a row has no OUT model
};

/// The attack on one target's scores [rows, augmentations]: medians of IN and OUT per row, standard
/// deviations with ddof 0, means over augmentations. Rows use as many models as the poorest row
/// has. `one_deviation`: one standard deviation over everything, which for `online` is that of IN
/// on both sides, as in the authors' code.
LiraPoolScores lira_pool(const LiraPool& pool, std::span<const double> target, bool one_deviation);

}  // namespace vestige::metrics
