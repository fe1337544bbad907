// What a layer still holds of rows that the last layer no longer tells: similarity of two models'
// activations, and how well simple classifiers read the labels off them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

/// Linear centred kernel alignment (Kornblith et al. 2019) of activations [n, d] and [n, e] of the
/// same rows: |Y'X|^2 / (|X'X| |Y'Y|) in Frobenius norms, columns centred; 1 where one is a
/// rotation and scaling of the other. NaN for fewer than two rows or constant activations;
/// InputError if the rows differ in number.
double linear_cka(MatrixView x, MatrixView y);

/// Rows with their classes, 0 to classes - 1.
struct LabelledActivations {
  MatrixView rows;  ///< [n, d]
  std::span<const std::int64_t> labels;
};

/// 1 for each query that the `neighbours` nearest fitted rows (Euclidean) call right by majority,
/// else 0. Of rows at the same distance the earlier is nearer, of classes with equal votes the
/// lowest wins. Fewer fitted rows than neighbours: all of them vote. InputError without fitted
/// rows, for negative labels or if columns or labels do not match.
std::vector<double> nearest_neighbours(const LabelledActivations& fitted,
                                       const LabelledActivations& queries,
                                       std::size_t neighbours = 10);

/// 1 for each query that a linear probe calls right, else 0: least squares from standardised
/// columns to one column per class (1 for the row's class, else 0) with the penalty `ridge` times
/// the sum of squared weights, the intercept not penalised; the class with the largest answer, of
/// equals the lowest. Constant columns are left out.
std::vector<double> linear_probe(const LabelledActivations& fitted,
                                 const LabelledActivations& queries, double ridge = 1);

/// The same probe, fitted once, on several groups of queries.
std::vector<std::vector<double>> linear_probe(const LabelledActivations& fitted,
                                              std::span<const LabelledActivations> queries,
                                              double ridge = 1);

}  // namespace vestige::metrics
