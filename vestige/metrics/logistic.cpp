// Newton's method for L2-penalised logistic regression.
#include "vestige/metrics/logistic.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::VectorXd;

/// Above this many features the Newton system is solved by conjugate gradients without forming the
/// Hessian: forming it costs rows x features^2, a product with it only rows x features.
constexpr Eigen::Index kDirectFeatures = 200;
/// The decrement g' H^-1 g is twice the distance to the optimum in objective; below this share of
/// the objective it is rounding noise. It does not depend on the scale of the features.
constexpr double kDecrementTolerance = 1e-24;

/// The data with a column of ones behind the features, so that the intercept is the last weight.
struct Problem {
  RowMajor rows;     // [n, d + 1]
  VectorXd targets;  // +-1
  VectorXd costs;    // c * class weight, per row
};

struct Point {
  VectorXd weights;
  VectorXd margins;  // y * (w'x + b)
  double objective = 0;
};

void check(MatrixView features, std::span<const int> labels, const LogisticOptions& options) {
  require(features.rows == labels.size(), "{} feature rows and {} labels: give one label per row",
          features.rows, labels.size());
  require(options.c > 0 && std::isfinite(options.c), "logistic regression: C = {} must be positive",
          options.c);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    require(labels[i] == 0 || labels[i] == 1, "label {} at row {} must be 0 or 1", labels[i], i);
  }
  const auto values = features.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    require(std::isfinite(values[i]), "feature {} of row {} is {}: features must be finite",
            i % features.cols, i / features.cols, values[i]);
  }
}

Problem make_problem(MatrixView features, std::span<const int> labels,
                     const LogisticOptions& options) {
  const auto n = static_cast<Eigen::Index>(features.rows);
  const auto d = static_cast<Eigen::Index>(features.cols);
  const auto ones = static_cast<double>(std::count(labels.begin(), labels.end(), 1));
  const double zeros = static_cast<double>(labels.size()) - ones;
  const double total = ones + zeros;
  Problem problem{RowMajor(n, d + 1), VectorXd(n), VectorXd(n)};
  problem.rows.leftCols(d) = Eigen::Map<const RowMajor>(features.data, n, d);
  problem.rows.col(d).setOnes();
  for (Eigen::Index i = 0; i < n; ++i) {
    const bool one = labels[static_cast<std::size_t>(i)] == 1;
    problem.targets[i] = one ? 1 : -1;
    problem.costs[i] = options.c * (options.balanced ? total / (2 * (one ? ones : zeros)) : 1);
  }
  return problem;
}

Point evaluate(const Problem& problem, VectorXd weights) {
  Point point;
  point.margins = problem.targets.cwiseProduct(problem.rows * weights);
  const Eigen::Index d = weights.size() - 1;
  double loss = 0;
  for (Eigen::Index i = 0; i < point.margins.size(); ++i) {
    const double margin = point.margins[i];
    loss += problem.costs[i] * (std::log1p(std::exp(-std::abs(margin))) + std::max(0.0, -margin));
  }
  point.objective = weights.head(d).squaredNorm() / 2 + loss;
  point.weights = std::move(weights);
  return point;
}

/// sigmoid(-margin), accurate in both tails.
double error_probability(double margin) {
  const double small = std::exp(-std::abs(margin));
  return margin >= 0 ? small / (1 + small) : 1 / (1 + small);
}

/// Gradient and the rows' second derivatives at a point.
struct Derivatives {
  VectorXd gradient;
  VectorXd curvature;
};

Derivatives derivatives(const Problem& problem, const Point& point) {
  const Eigen::Index n = point.margins.size();
  const Eigen::Index d = point.weights.size() - 1;
  Derivatives result{VectorXd(d + 1), VectorXd(n)};
  VectorXd slope(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double wrong = error_probability(point.margins[i]);
    slope[i] = -problem.costs[i] * problem.targets[i] * wrong;
    result.curvature[i] = problem.costs[i] * wrong * error_probability(-point.margins[i]);
  }
  result.gradient.noalias() = problem.rows.transpose() * slope;
  result.gradient.head(d) += point.weights.head(d);
  return result;
}

/// A vanishing term that keeps the intercept's row of the Hessian regular when every row is far
/// from the boundary; it changes steps, not the optimum.
double intercept_ridge(const Problem& problem) { return 1e-10 * problem.costs.sum(); }

VectorXd direct_step(const Problem& problem, const Derivatives& at) {
  const Eigen::Index d = problem.rows.cols() - 1;
  const RowMajor scaled = at.curvature.cwiseSqrt().asDiagonal() * problem.rows;
  Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(d + 1, d + 1);
  hessian.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
  hessian.diagonal().head(d).array() += 1;
  hessian(d, d) += intercept_ridge(problem);
  return hessian.selfadjointView<Eigen::Lower>().ldlt().solve(at.gradient);
}

/// Conjugate gradients with a diagonal preconditioner.
VectorXd iterative_step(const Problem& problem, const Derivatives& at) {
  const Eigen::Index d = problem.rows.cols() - 1;
  VectorXd ridge = VectorXd::Ones(d + 1);
  ridge[d] = intercept_ridge(problem);
  const VectorXd diagonal = problem.rows.cwiseAbs2().transpose() * at.curvature + ridge;
  VectorXd step = VectorXd::Zero(d + 1);
  VectorXd residual = at.gradient;
  VectorXd conditioned = residual.cwiseQuotient(diagonal);
  VectorXd direction = conditioned;
  double size = residual.dot(conditioned);
  const double target = size * 1e-24;
  for (Eigen::Index k = 0; k < 10 * (d + 1) && size > target; ++k) {
    const VectorXd along = problem.rows * direction;
    const VectorXd product =
        problem.rows.transpose() * at.curvature.cwiseProduct(along) + ridge.cwiseProduct(direction);
    const double length = size / direction.dot(product);
    step += length * direction;
    residual -= length * product;
    conditioned = residual.cwiseQuotient(diagonal);
    const double next = residual.dot(conditioned);
    direction = conditioned + (next / size) * direction;
    size = next;
  }
  return step;
}

/// Halves the step until the objective falls enough (Armijo); false if rounding leaves no such
/// step.
bool descend(const Problem& problem, const VectorXd& step, double decrement, Point& point) {
  const double slack = 1e-14 * std::abs(point.objective);
  double length = 1;
  for (int halving = 0; halving < 60; ++halving, length /= 2) {
    Point next = evaluate(problem, point.weights - length * step);
    if (next.objective <= point.objective - 1e-4 * length * decrement + slack) {
      point = std::move(next);
      return true;
    }
  }
  return false;
}

}  // namespace

double LogisticModel::decision(std::span<const double> features) const {
  double sum = intercept;
  for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * features[i];
  return sum;
}

double LogisticModel::probability(std::span<const double> features) const {
  return error_probability(-decision(features));
}

int LogisticModel::predict(std::span<const double> features) const {
  return decision(features) > 0 ? 1 : 0;
}

LogisticModel fit_logistic(MatrixView features, std::span<const int> labels,
                           const LogisticOptions& options) {
  check(features, labels, options);
  LogisticModel model{.weights = std::vector<double>(features.cols, kUndefined)};
  const auto ones = static_cast<std::size_t>(std::count(labels.begin(), labels.end(), 1));
  if (ones == 0 || ones == labels.size()) return model;

  const Problem problem = make_problem(features, labels, options);
  const Eigen::Index d = problem.rows.cols() - 1;
  VectorXd start = VectorXd::Zero(d + 1);
  if (!options.balanced) {
    start[d] = std::log(static_cast<double>(ones) / static_cast<double>(labels.size() - ones));
  }
  Point point = evaluate(problem, std::move(start));
  while (!model.converged && model.iterations < options.max_iterations) {
    const Derivatives at = derivatives(problem, point);
    const VectorXd step =
        d > kDirectFeatures ? iterative_step(problem, at) : direct_step(problem, at);
    const double decrement = at.gradient.dot(step);
    if (decrement <= kDecrementTolerance * point.objective) {
      model.converged = true;
    } else {
      ++model.iterations;
      if (!descend(problem, step, decrement, point)) break;
    }
  }
  for (Eigen::Index j = 0; j < d; ++j) {
    model.weights[static_cast<std::size_t>(j)] = point.weights[j];
  }
  model.intercept = point.weights[d];
  return model;
}

double logistic_objective(MatrixView features, std::span<const int> labels,
                          std::span<const double> weights, double intercept,
                          const LogisticOptions& options) {
  check(features, labels, options);
  require(weights.size() == features.cols, "{} weights for {} features", weights.size(),
          features.cols);
  VectorXd point(static_cast<Eigen::Index>(weights.size()) + 1);
  std::copy(weights.begin(), weights.end(), point.data());
  point[point.size() - 1] = intercept;
  return evaluate(make_problem(features, labels, options), std::move(point)).objective;
}

}  // namespace vestige::metrics
