// Newton's method on Eigen, with a matrix-free variant for many features.
#include "vestige/metrics/learn/newton.h"

#include <Eigen/Dense>
#include <cmath>
#include <utility>

#include "vestige/metrics/kernels/dot_products.h"

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

struct Point {
  VectorXd weights;  // the intercept is the last one
  VectorXd slope;
  VectorXd curvature;
  double objective = 0;
};

class Problem {
 public:
  Problem(MatrixView features, const LossFunction& loss)
      : rows_(static_cast<Eigen::Index>(features.rows),
              static_cast<Eigen::Index>(features.cols) + 1),
        loss_(loss) {
    const Eigen::Index d = rows_.cols() - 1;
    rows_.leftCols(d) = Eigen::Map<const RowMajor>(features.data, rows_.rows(), d);
    rows_.col(d).setOnes();
  }

  Point evaluate(VectorXd weights) const {
    const Eigen::Index d = weights.size() - 1;
    const VectorXd predictor = rows_ * weights;
    Point point{std::move(weights), VectorXd(rows_.rows()), VectorXd(rows_.rows()), 0};
    const auto count = static_cast<std::size_t>(rows_.rows());
    point.objective = loss_({predictor.data(), count}, {point.slope.data(), count},
                            {point.curvature.data(), count});
    point.objective += point.weights.head(d).squaredNorm() / 2;
    return point;
  }

  VectorXd gradient(const Point& point) const {
    const Eigen::Index d = rows_.cols() - 1;
    VectorXd result = rows_.transpose() * point.slope;
    result.head(d) += point.weights.head(d);
    return result;
  }

  VectorXd step(const Point& point, const VectorXd& gradient) const {
    return rows_.cols() - 1 > kDirectFeatures ? iterative_step(point, gradient)
                                              : direct_step(point, gradient);
  }

 private:
  static Eigen::Index index(std::size_t value) { return static_cast<Eigen::Index>(value); }

  /// Penalty on the diagonal. The intercept has none, but a vanishing term keeps its row regular
  /// when no row of the data has curvature; it changes steps, not the optimum.
  VectorXd ridge(const Point& point) const {
    VectorXd result = VectorXd::Ones(rows_.cols());
    result[rows_.cols() - 1] = 1e-10 * (point.curvature.sum() + 1);
    return result;
  }

  /// The Hessian's lower triangle comes from the vector tiles of dot_products.h, which use AVX2
  /// where Eigen, compiled for every machine, does not.
  VectorXd direct_step(const Point& point, const VectorXd& gradient) const {
    const VectorXd roots = point.curvature.cwiseSqrt();
    const PackedRows scaled =
        PackedRows::of_columns({rows_.data(), static_cast<std::size_t>(rows_.rows()),
                                static_cast<std::size_t>(rows_.cols())},
                               {roots.data(), static_cast<std::size_t>(roots.size())});
    const std::size_t stride = scaled.panels() * PackedRows::kPanel;
    Matrix products(stride, stride);
    for (std::size_t panel = 0; panel < scaled.panels(); ++panel) {
      dot_tile(scaled, panel, panel + 1, scaled, 0, panel + 1,
               products.row(panel * PackedRows::kPanel).data(), stride);
    }
    Eigen::MatrixXd hessian =
        Eigen::Map<const RowMajor>(products.values().data(), index(stride), index(stride))
            .topLeftCorner(rows_.cols(), rows_.cols());
    hessian.diagonal() += ridge(point);
    return hessian.selfadjointView<Eigen::Lower>().ldlt().solve(gradient);
  }

  /// Conjugate gradients with a diagonal preconditioner.
  VectorXd iterative_step(const Point& point, const VectorXd& gradient) const {
    const VectorXd penalty = ridge(point);
    const VectorXd diagonal = rows_.cwiseAbs2().transpose() * point.curvature + penalty;
    VectorXd step = VectorXd::Zero(rows_.cols());
    VectorXd residual = gradient;
    VectorXd conditioned = residual.cwiseQuotient(diagonal);
    VectorXd direction = conditioned;
    double size = residual.dot(conditioned);
    const double target = size * 1e-24;
    for (Eigen::Index k = 0; k < 10 * rows_.cols() && size > target; ++k) {
      const VectorXd along = rows_ * direction;
      const VectorXd product =
          rows_.transpose() * point.curvature.cwiseProduct(along) + penalty.cwiseProduct(direction);
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

  RowMajor rows_;  // [n, d + 1], ones behind the features
  const LossFunction& loss_;
};

/// Halves the step until the objective falls enough (Armijo); false if rounding leaves no such
/// step.
bool descend(const Problem& problem, const VectorXd& step, double decrement, Point& point) {
  const double slack = 1e-14 * std::abs(point.objective);
  double length = 1;
  for (int halving = 0; halving < 60; ++halving, length /= 2) {
    Point next = problem.evaluate(point.weights - length * step);
    if (next.objective <= point.objective - 1e-4 * length * decrement + slack) {
      point = std::move(next);
      return true;
    }
  }
  return false;
}

}  // namespace

LinearFit minimise_linear(MatrixView features, const LossFunction& loss, double start_intercept,
                          int max_iterations) {
  const LinearFit start{.weights = std::vector<double>(features.cols),
                        .intercept = start_intercept};
  return minimise_linear(features, loss, start, max_iterations);
}

LinearFit minimise_linear(MatrixView features, const LossFunction& loss, const LinearFit& start,
                          int max_iterations) {
  const Problem problem(features, loss);
  const auto d = static_cast<Eigen::Index>(features.cols);
  VectorXd weights(d + 1);
  weights.head(d) = Eigen::Map<const VectorXd>(start.weights.data(), d);
  weights[d] = start.intercept;
  Point point = problem.evaluate(std::move(weights));
  LinearFit fit;
  while (!fit.converged && fit.iterations < max_iterations) {
    const VectorXd gradient = problem.gradient(point);
    const VectorXd step = problem.step(point, gradient);
    const double decrement = gradient.dot(step);
    if (decrement <= kDecrementTolerance * point.objective) {
      fit.converged = true;
    } else {
      ++fit.iterations;
      if (!descend(problem, step, decrement, point)) break;
    }
  }
  fit.weights.assign(point.weights.data(), point.weights.data() + d);
  fit.intercept = point.weights[d];
  return fit;
}

}  // namespace vestige::metrics
