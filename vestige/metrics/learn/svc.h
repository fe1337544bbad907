// Two-class support vector machine with an RBF kernel, and Platt's sigmoid on top of it:
// deterministic, and the answers of LIBSVM (Chang and Lin 2011), the solver behind scikit-learn's
// SVC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"

namespace vestige::metrics {

struct SvcOptions {
  double cost = 3;          ///< C, the price of a margin violation
  double gamma = 0;         ///< of exp(-gamma |x-y|^2); 0 means 1 / features
  double tolerance = 1e-3;  ///< of the KKT conditions, LIBSVM's stopping rule
  double cache_mb = 8;      ///< kernel cache; a larger one than the processor's is slower
};

/// A trained machine. Move-only.
class Svc {
 public:
  /// `rows` is [n, d], `labels` holds n zeros and ones. InputError if a label is something else, if
  /// one class is missing, or if a feature is not finite.
  static Svc train(MatrixView rows, std::span<const int> labels, const SvcOptions& options = {});

  Svc(Svc&&) noexcept;
  Svc& operator=(Svc&&) noexcept;
  ~Svc();

  /// sum_i dual_i exp(-gamma |x_i - row|^2) + bias; positive means label 1.
  double decision(std::span<const double> row) const;
  std::vector<double> decisions(MatrixView rows) const;
  /// 1 where the decision is positive, else 0.
  std::vector<int> predict(MatrixView rows) const;

  /// alpha_i y_i of each training row, in training order; y is +1 for label 1 and -1 for label 0.
  std::vector<double> dual() const;
  double bias() const;
  double gamma() const;
  std::size_t support_vectors() const;

 private:
  struct State;
  explicit Svc(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// P(label 1 | decision f) = 1 / (1 + exp(slope f + offset)); slope is negative for a useful
/// machine.
struct PlattSigmoid {
  double slope = 0;
  double offset = 0;
  double probability(double decision) const;
};

/// Maximum likelihood with Platt's smoothed targets, by Newton's method with backtracking as in
/// Lin, Lin, Weng, "A note on Platt's probabilistic outputs for support vector machines", 2007.
PlattSigmoid fit_platt(std::span<const double> decisions, std::span<const int> labels);

/// Fold number of each row in {0, ..., folds - 1}: each class is dealt out evenly, in an order
/// drawn from (seed, "svc.folds").
std::vector<std::size_t> stratified_folds(std::span<const int> labels, std::size_t folds,
                                          std::uint64_t seed);

/// A machine on all rows with a sigmoid fitted to cross-validated decisions.
struct ProbabilitySvc {
  Svc machine;
  PlattSigmoid sigmoid;
  std::size_t folds =
      0;  ///< folds used: as asked, or the size of the smaller class if that is less

  /// P(label 1) per row.
  std::vector<double> probabilities(MatrixView rows) const;
};

/// LIBSVM's own probability estimates shuffle with rand(); these folds come from the seed instead.
/// InputError if a class has fewer than two rows.
ProbabilitySvc train_probability_svc(MatrixView rows, std::span<const int> labels,
                                     const SvcOptions& options, std::uint64_t seed,
                                     std::size_t folds = 5);

}  // namespace vestige::metrics
