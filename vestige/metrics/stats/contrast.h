// Rows that should be forgotten set against rows that nobody saw: the gap between the two in one
// group of models, and the difference of two such gaps (difference in differences) with its error.
// Two trainings differ everywhere; only what they differ by on target rows beyond what they differ
// by on unseen rows speaks of forgetting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

/// Which rows are alike: models differ by class, so target rows are set against unseen rows of
/// their own class (direct standardisation to the target's shares).
struct Strata {
  std::vector<std::uint32_t> target;  ///< stratum of each target row
  std::vector<std::uint32_t> unseen;
  std::size_t count = 1;
  /// Whose row it is, where people were forgotten; empty: nobody's. Models differ by person, so
  /// that rows of one person say less than as many rows of many.
  std::vector<std::uint32_t> target_person{};
  std::vector<std::uint32_t> unseen_person{};
};

/// One stratum per class that has two rows or more on both sides; all others share one, and if
/// that lacks rows on a side everything is one stratum.
Strata strata_by_class(std::span<const std::int64_t> target, std::span<const std::int64_t> unseen);
/// All rows alike.
Strata one_stratum(std::size_t target, std::size_t unseen);

/// What a group of models says of both kinds of rows; matrices of [models, rows] are not kept.
struct Contrast {
  std::shared_ptr<const Strata> strata{};
  std::vector<double> target{};    ///< per row, mean over models
  std::vector<double> unseen{};    ///< likewise
  std::vector<double> by_model{};  ///< each model's own gap
  /// Variance of a model's gap that comes from how single models and single rows go together; what
  /// is left of the spread of `by_model` is the models' own. NaN for one model.
  double interaction = kUndefined;
};

/// `target` [models, target rows], `unseen` [models, unseen rows].
Contrast contrast(const Matrix& target, const Matrix& unseen, std::shared_ptr<const Strata> strata);

/// A gap with its standard error and degrees of freedom (Welch and Satterthwaite).
struct Gap {
  double estimate = kUndefined;
  double error = kUndefined;
  double degrees = kUndefined;
};

/// Mean over target rows minus mean over unseen rows of one group; error over rows.
Gap gap(const Contrast& group);

/// How unlike unseen rows the target is for models that were trained on neither, from 0 to 1: the
/// Kolmogorov-Smirnov distance between the group's values on both, less what chance brings.
double unlikeness(const Contrast& group);

/// gap(left) - gap(right), paired by row. The error comes from rows and, where a side has several
/// models, from models: their variance is pooled over the sides if it may be the same (F-test,
/// 5 %), taken from the side that has it if the other is a single model, and moderated where few
/// models say little of it. Between two single models it also comes from the persons whose rows
/// they are. `spread` is the standard deviation by which the gaps of two single models are assumed
/// to differ beyond what rows explain: what the moderation draws towards, and all that is known of
/// it where both sides are single models.
Gap gap_difference(const Contrast& left, const Contrast& right, double spread = 0);

/// As gap_difference, of |left - right| by row and with the error over rows: how much further apart
/// the sides are on target rows than on unseen rows, whichever way. Sees a group that is surer on
/// some target rows and less sure on others, whose gap is right on average.
Gap distance_gap(const Contrast& left, const Contrast& right);

}  // namespace vestige::metrics
