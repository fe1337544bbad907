// Drawn rows for the conformal functions, and the plain version of APS.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/conformal/conformal.h"

namespace vestige::metrics::drawn_rows {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr QuantileRule kAtMost = QuantileRule::finite_sample;  // sets by <=
inline constexpr QuantileRule kBelow = QuantileRule::paper;           // sets by <

inline Matrix softmax(const Matrix& logits) {
  Matrix result(logits.rows(), logits.cols());
  for (std::size_t i = 0; i < logits.rows(); ++i) {
    const auto row = logits.row(i);
    const double top = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (std::size_t j = 0; j < row.size(); ++j) sum += result(i, j) = std::exp(row[j] - top);
    for (double& value : result.row(i)) value /= sum;
  }
  return result;
}

struct Rows {
  Matrix logits;
  Matrix probabilities;
  std::vector<std::int64_t> labels;
};

/// Normal logits with the label's raised; `step` > 0 rounds them to a grid, which makes ties.
inline Rows draw_rows(std::size_t count, std::size_t classes, double lift, double step,
                      std::uint64_t seed) {
  Rows rows{Matrix(count, classes), {}, std::vector<std::int64_t>(count)};
  Stream stream(seed, "conformal_test");
  for (std::size_t i = 0; i < count; ++i) {
    rows.labels[i] = static_cast<std::int64_t>(stream.below(classes));
    for (double& value : rows.logits.row(i)) value = 2 * stream.normal();
    rows.logits(i, static_cast<std::size_t>(rows.labels[i])) += lift;
    if (step > 0) {
      for (double& value : rows.logits.row(i)) value = step * std::round(value / step);
    }
  }
  rows.probabilities = softmax(rows.logits);
  return rows;
}

inline Matrix matrix(std::size_t cols, const std::vector<double>& values) {
  Matrix result(values.size() / cols, cols);
  std::copy(values.begin(), values.end(), result.values().begin());
  return result;
}

/// The plain version: sort each row, add up in double in sorted order.
inline Matrix plain_aps(const Matrix& probabilities, std::span<const double> u) {
  Matrix scores(probabilities.rows(), probabilities.cols());
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    std::vector<std::size_t> order(scores.cols());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return probabilities(i, a) > probabilities(i, b);
    });
    double sum = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      const double p = probabilities(i, order[rank]);
      sum += p;
      scores(i, order[rank]) = sum - (u.empty() ? 0 : u[i * scores.cols() + rank]) * p;
    }
  }
  return scores;
}

inline std::vector<double> uniforms(std::size_t count, std::uint64_t seed) {
  Stream stream(seed, "conformal_test.u");
  std::vector<double> values(count);
  for (double& value : values) value = stream.uniform();
  return values;
}

}  // namespace vestige::metrics::drawn_rows
