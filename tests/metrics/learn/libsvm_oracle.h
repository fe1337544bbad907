// LIBSVM's own answer to the problem that solve_smo() solves.
#pragma once

#include <libsvm/svm.h>

#include <memory>
#include <stdexcept>

#include "vestige/metrics/learn/smo.h"

namespace vestige::testing {

inline metrics::SmoSolution solve_by_libsvm(MatrixView rows, std::span<const int> labels,
                                            const metrics::SmoOptions& options) {
  // The printer is a global of LIBSVM; svm_train without probabilities draws no random numbers.
  svm_set_print_string_function([](const char*) {});
  // Rows are sparse vectors: indices from 1, closed by index -1.
  const std::size_t stride = rows.cols + 1;
  std::vector<svm_node> nodes(rows.rows * stride, svm_node{-1, 0});
  std::vector<svm_node*> pointers(rows.rows);
  std::vector<double> targets(rows.rows);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    pointers[i] = nodes.data() + i * stride;
    for (std::size_t k = 0; k < rows.cols; ++k) {
      pointers[i][k] = {static_cast<int>(k) + 1, rows(i, k)};
    }
    // With labels -1 and +1 LIBSVM always takes +1 as its first class, whatever the row order.
    targets[i] = labels[i] == 1 ? 1 : -1;
  }
  svm_problem problem{static_cast<int>(rows.rows), targets.data(), pointers.data()};
  svm_parameter parameter{};
  parameter.svm_type = C_SVC;
  parameter.kernel_type = RBF;
  parameter.gamma = options.gamma;
  parameter.cache_size = options.cache_mb;
  parameter.eps = options.tolerance;
  parameter.C = options.cost;
  parameter.shrinking = 1;
  if (const char* refusal = svm_check_parameter(&problem, &parameter)) {
    throw std::runtime_error(refusal);
  }
  const auto destroy = [](svm_model* model) { svm_free_and_destroy_model(&model); };
  const std::unique_ptr<svm_model, decltype(destroy)> model(svm_train(&problem, &parameter),
                                                            destroy);
  metrics::SmoSolution solution;
  solution.rho = model->rho[0];
  for (int s = 0; s < model->l; ++s) {
    solution.places.push_back(static_cast<std::size_t>(model->sv_indices[s] - 1));
    solution.coefficients.push_back(model->sv_coef[0][s]);
  }
  return solution;
}

}  // namespace vestige::testing
