// Agreement, distance and divergence of two models' answers.
#include "vestige/metrics/closeness/closeness.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "vestige/base/error.h"
#include "vestige/metrics/stats/jsd.h"

namespace vestige::metrics {
namespace {

auto largest(std::span<const double> row) { return std::max_element(row.begin(), row.end()); }

}  // namespace

Closeness closeness(MatrixView model, MatrixView other) {
  require(model.rows == other.rows && model.cols == other.cols,
          "closeness: one model's probabilities are [{}, {}], the other's [{}, {}]: both must "
          "cover the same rows and classes",
          model.rows, model.cols, other.rows, other.cols);
  Closeness result;
  for (std::size_t i = 0; i < model.rows; ++i) {
    const std::span<const double> p = model.row(i), q = other.row(i);
    result.agreement.push_back(largest(p) - p.begin() == largest(q) - q.begin() ? 1 : 0);
    double squares = 0;
    for (std::size_t k = 0; k < p.size(); ++k) squares += (p[k] - q[k]) * (p[k] - q[k]);
    result.distance.push_back(std::sqrt(squares));
    result.divergence.push_back(jensen_shannon(p, q) * std::numbers::ln2);
  }
  return result;
}

}  // namespace vestige::metrics
