// What the plots of the epsilon family show: eps over rows, and the statistic behind it for three
// chosen rows.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/epsilon/epsilon_rows.h"
#include "vestige/metrics/epsilon/epsilon_score.h"
#include "vestige/metrics/family.h"

namespace vestige::metrics {

/// Share of rows on which the models' mean logit-scaled confidence lies above retrained's; equal
/// means count one half. eps says how far two pools are apart, this says on which side. Matrices
/// are [models, rows]; NaN without rows.
double share_above(MatrixView candidate, MatrixView retrained);

/// A row whose confidences are shown, and what it stands for.
struct ChosenRow {
  std::size_t row;
  std::string_view place;  ///< "largest", "median", "smallest"
};

/// Rows with the largest, the median (lower one) and the smallest of the values that are not NaN;
/// ties go to the first row. Fewer where there are fewer than three.
std::vector<ChosenRow> choose_rows(std::span<const double> values);

/// How far originals and retrained models are apart on each forget row: the difference of mean
/// logit-scaled confidences over the root of their mean variance (ddof 0); NaN without spread.
std::vector<double> standardised_distance(MatrixView original, MatrixView retrained);

/// `sorted` and `histogram` of eps, and `histogram`s of the confidences of three rows under both
/// pools. The rows are the same for every method: those on which the first 16 originals are
/// farthest from, at median distance from, and nearest to retrained; without originals the rows
/// of largest, median and smallest eps of this method.
void add_epsilon_series(const EpsilonPools& pools, const ForgetQuality& quality, Measurements& out);

}  // namespace vestige::metrics
