// ROC curves of scores against binary labels, with ties kept together.
#pragma once

#include <span>
#include <vector>

#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

/// Area under the ROC curve in the Mann-Whitney form: the chance that a positive (label 1) scores
/// above a negative (label 0), ties count one half. NaN for one class only or a NaN score.
double auc(std::span<const double> scores, std::span<const int> labels);

/// AUC of two samples: positives against negatives.
double auc_of_samples(std::span<const double> positives, std::span<const double> negatives);

/// AUC of two samples with the normal interval of DeLong, DeLong and Clarke-Pearson (1988), in
/// O(n log n) by mid-ranks (Sun and Xu 2014), cut to [0, 1]. Where the samples are apart (AUC 0 or
/// 1) that variance is 0 although the data are finite: the interval is then Clopper and Pearson's
/// for min(n, m) disjoint pairs. NaN if a sample is empty or holds NaN; NaN interval if a sample
/// has one row and the AUC is neither 0 nor 1.
Estimate auc_interval(std::span<const double> positives, std::span<const double> negatives,
                      double level = 0.95);

struct RocCurve {
  /// From (0, 0) to (1, 1), one point per distinct score, highest score first. Empty where
  /// undefined.
  std::vector<double> fpr;
  std::vector<double> tpr;
};

/// Empty for one class only or a NaN score.
RocCurve roc_curve(std::span<const double> scores, std::span<const int> labels);

/// TPR at a given FPR by linear interpolation, as numpy.interp on scikit-learn's roc_curve does; on
/// a vertical piece the upper end. NaN for an empty curve.
double tpr_at_fpr(const RocCurve& curve, double fpr);

/// The largest TPR that some threshold reaches with at most this FPR: no interpolation. 0 where
/// even the curve's first point lies above it, because calling nobody positive has no false
/// positives.
double tpr_below_fpr(const RocCurve& curve, double fpr);

/// Best balanced accuracy over all thresholds: max of 1 - (FPR + FNR) / 2. NaN for an empty curve.
double best_balanced_accuracy(const RocCurve& curve);

}  // namespace vestige::metrics
