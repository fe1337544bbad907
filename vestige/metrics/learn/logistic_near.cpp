// L-BFGS in the metric of a neighbouring optimum.
#include "vestige/metrics/learn/logistic_near.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>

namespace vestige::metrics {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::VectorXd;

/// As for Newton's steps in newton.cpp: below this share of the objective the decrement is noise.
constexpr double kNearDecrement = 1e-24;
constexpr int kMostSteps = 120;    // ten are usual
constexpr std::size_t kPairs = 8;  // steps that are remembered
/// A start from many rows begins with a fit to this many per feature, evenly spread.
constexpr std::size_t kThinRowsPerFeature = 40;
/// Of more features than this the first fit is not Newton's, and the curvature is that of so many
/// rows per feature.
constexpr std::size_t kNewtonFeatures = 200;
constexpr std::size_t kWideRowsPerFeature = 16;

/// A step and the change of the gradient along it.
struct Pair {
  VectorXd step;
  VectorXd change;
  double product = 0;
};

struct NearPoint {
  VectorXd weights;
  VectorXd gradient;
  double objective = 0;
};

std::vector<double> signs_of(std::span<const int> labels) {
  std::vector<double> signs;
  for (const int label : labels) signs.push_back(label == 1 ? 1 : -1);
  return signs;
}

NearPoint evaluate(const LabelledRows& rows, std::span<const double> signs, VectorXd weights) {
  NearPoint point{std::move(weights), {}, 0};
  point.gradient.resize(point.weights.size());
  const auto size = static_cast<std::size_t>(point.weights.size());
  point.objective = logistic_objective(rows.rows, signs, {point.weights.data(), size},
                                       {point.gradient.data(), size});
  return point;
}

/// The inverse curvature, as far as start and pairs know it, times the gradient.
VectorXd direction(const VectorXd& gradient, const std::deque<Pair>& pairs,
                   const LogisticStart& start) {
  std::vector<double> shares(pairs.size());
  VectorXd result = gradient;
  for (std::size_t i = pairs.size(); i-- > 0;) {
    shares[i] = pairs[i].step.dot(result) / pairs[i].product;
    result -= shares[i] * pairs[i].change;
  }
  const Eigen::Index size = gradient.size();
  if (start.factor.rows() > 0) {
    const Eigen::Map<const RowMajor> factor(start.factor.values().data(), size, size);
    factor.triangularView<Eigen::Lower>().solveInPlace(result);
    factor.transpose().triangularView<Eigen::Upper>().solveInPlace(result);
  } else {
    result = Eigen::Map<const RowMajor>(start.inverse.values().data(), size, size) * result;
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    result += (shares[i] - pairs[i].change.dot(result) / pairs[i].product) * pairs[i].step;
  }
  return result;
}

/// The point after a step that makes the objective fall enough (Armijo); nothing if none does.
std::optional<NearPoint> descend(const LabelledRows& rows, std::span<const double> signs,
                                 const NearPoint& from, const VectorXd& step, double decrement) {
  const double slack = 1e-14 * std::abs(from.objective);
  double length = 1;
  for (int halving = 0; halving < 10; ++halving, length /= 2) {
    NearPoint next = evaluate(rows, signs, from.weights - length * step);
    if (next.objective <= from.objective - 1e-4 * length * decrement + slack) return next;
  }
  return std::nullopt;
}

/// The objective's second derivative, with `share` standing for as many rows as each row does.
Eigen::MatrixXd curvature(const LabelledRows& rows, const LogisticModel& at, double share) {
  constexpr std::size_t kBlock = 256;
  const auto cols = static_cast<Eigen::Index>(rows.cols);
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(cols + 1, cols + 1);
  RowMajor block(kBlock, cols + 1);
  for (std::size_t first = 0; first < rows.rows.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, rows.rows.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      const double* row = rows.rows[first + i];
      const double small = std::exp(-std::abs(at.decision({row, rows.cols})));
      const double root = std::sqrt(share * small) / (1 + small);
      block.row(static_cast<Eigen::Index>(i)).head(cols) =
          root * Eigen::Map<const Eigen::RowVectorXd>(row, cols);
      block(static_cast<Eigen::Index>(i), cols) = root;
    }
    result.selfadjointView<Eigen::Lower>().rankUpdate(
        block.topRows(static_cast<Eigen::Index>(count)).transpose());
  }
  result.diagonal().head(cols).array() += 1;
  return result;
}

LogisticStart start_at(const LabelledRows& rows, const LogisticModel& optimum, double share) {
  LogisticStart start;
  if (!optimum.converged) return start;
  const Eigen::LLT<Eigen::MatrixXd> factors(curvature(rows, optimum, share));
  const auto size = static_cast<Eigen::Index>(rows.cols + 1);
  const RowMajor inverse = factors.solve(Eigen::MatrixXd::Identity(size, size));
  if (factors.info() != Eigen::Success || !inverse.allFinite()) return start;
  start.weights = optimum.weights;
  start.weights.push_back(optimum.intercept);
  start.inverse = Matrix(rows.cols + 1, rows.cols + 1);
  std::copy_n(inverse.data(), inverse.size(), start.inverse.values().begin());
  return start;
}

/// Every `stride`-th row.
LabelledRows thinned(const LabelledRows& rows, std::size_t stride) {
  LabelledRows result{rows.cols, {}, {}};
  for (std::size_t i = 0; i < rows.rows.size(); i += stride) {
    result.rows.push_back(rows.rows[i]);
    result.labels.push_back(rows.labels[i]);
  }
  return result;
}

/// How many rows each row of thinned(rows, stride) stands for.
double share_of(const LabelledRows& rows, const LabelledRows& thin) {
  return static_cast<double>(rows.rows.size()) / static_cast<double>(thin.rows.size());
}

/// Of many features: Newton's steps would cost tens of passes each, so that the first fit, too, is
/// made in a metric, that of no weights at all, which serves the others as well. Sixteen rows per
/// feature know it well enough: they change the number of steps, not the optimum.
LogisticStart wide_start(const LabelledRows& rows) {
  const auto ones = std::count(rows.labels.begin(), rows.labels.end(), 1);
  if (ones == 0 || ones == static_cast<std::ptrdiff_t>(rows.labels.size())) return {};
  const auto equals_first = [&](const double* row) {
    return std::equal(row, row + rows.cols, rows.rows.front());
  };
  if (std::all_of(rows.rows.begin(), rows.rows.end(), equals_first)) return {};
  const std::size_t stride = rows.rows.size() / (kWideRowsPerFeature * (rows.cols + 1));
  const LabelledRows thin = thinned(rows, std::max<std::size_t>(stride, 1));
  const LogisticModel nothing{
      .weights = std::vector<double>(rows.cols), .intercept = 0, .converged = true};
  const Eigen::LLT<Eigen::MatrixXd> factors(curvature(thin, nothing, share_of(rows, thin)));
  const RowMajor lower = factors.matrixL();
  if (factors.info() != Eigen::Success || !lower.allFinite()) return {};
  LogisticStart start{.weights = std::vector<double>(rows.cols + 1), .inverse = {}, .factor = {}};
  start.factor = Matrix(rows.cols + 1, rows.cols + 1);
  std::copy_n(lower.data(), lower.size(), start.factor.values().begin());
  const LogisticModel optimum = fit_logistic_near(rows, start);
  if (!optimum.converged) return {};
  start.weights = optimum.weights;
  start.weights.push_back(optimum.intercept);
  return start;
}

}  // namespace

Matrix LabelledRows::gathered() const {
  Matrix result(rows.size(), cols);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(rows[i], cols, result.row(i).begin());
  }
  return result;
}

LogisticStart logistic_start(const LabelledRows& rows) {
  if (rows.cols > kLargestNear) return {};
  if (rows.cols > kNewtonFeatures) return wide_start(rows);
  const std::size_t stride = rows.rows.size() / (kThinRowsPerFeature * (rows.cols + 1));
  if (stride < 4) return start_at(rows, fit_logistic(rows.gathered(), rows.labels), 1);
  // C makes up for the rows that are left out, so that the penalty weighs as it does on all.
  const LabelledRows thin = thinned(rows, stride);
  const double share = share_of(rows, thin);
  const LogisticStart rough =
      start_at(thin, fit_logistic(thin.gathered(), thin.labels, {.c = share}), share);
  return start_at(rows, fit_logistic_near(rows, rough), 1);
}

LogisticModel fit_logistic_near(const LabelledRows& rows, const LogisticStart& start) {
  const auto plain = [&] { return fit_logistic(rows.gathered(), rows.labels); };
  if (start.weights.size() != rows.cols + 1) return plain();
  const std::vector<double> signs = signs_of(rows.labels);
  const auto size = static_cast<Eigen::Index>(rows.cols + 1);
  NearPoint point = evaluate(rows, signs, Eigen::Map<const VectorXd>(start.weights.data(), size));
  std::deque<Pair> pairs;
  for (int steps = 0; steps <= kMostSteps; ++steps) {
    const VectorXd step = direction(point.gradient, pairs, start);
    const double decrement = point.gradient.dot(step);
    if (decrement >= 0 && decrement <= kNearDecrement * point.objective) {
      return {.weights = {point.weights.data(), point.weights.data() + rows.cols},
              .intercept = point.weights[size - 1],
              .iterations = steps,
              .converged = true};
    }
    if (!(decrement > 0)) break;
    std::optional<NearPoint> next = descend(rows, signs, point, step, decrement);
    if (!next) break;
    Pair pair{next->weights - point.weights, next->gradient - point.gradient, 0};
    pair.product = pair.step.dot(pair.change);
    if (pair.product > 0) pairs.push_back(std::move(pair));
    if (pairs.size() > kPairs) pairs.pop_front();
    point = std::move(*next);
  }
  return plain();
}

}  // namespace vestige::metrics
