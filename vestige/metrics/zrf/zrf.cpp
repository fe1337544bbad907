// ZRF in its true and its published form.
#include "vestige/metrics/zrf/zrf.h"

#include <vector>

#include "vestige/base/error.h"
#include "vestige/base/exponentials.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

/// a ln(a / b) from the logarithms of both, 0 where a = 0, infinite where only b = 0.
double relative_entropy_term(double a, double log_a, double log_b) {
  return a == 0 ? 0 : a * (log_a - log_b);
}

}  // namespace

Zrf zrf(MatrixView model, MatrixView teacher) {
  require(model.rows == teacher.rows && model.cols == teacher.cols,
          "ZRF: the model's probabilities are [{}, {}], the untrained model's [{}, {}]: both must "
          "cover the same examples and classes",
          model.rows, model.cols, teacher.rows, teacher.cols);
  Zrf result;
  std::vector<double> middle(model.cols), log_p(model.cols), log_q(model.cols), log_m(model.cols);
  for (std::size_t i = 0; i < model.rows; ++i) {
    for (std::size_t k = 0; k < model.cols; ++k) middle[k] = (model(i, k) + teacher(i, k)) / 2;
    logarithms(model.row(i), log_p);
    logarithms(teacher.row(i), log_q);
    logarithms(middle, log_m);
    double divergence = 0, swapped = 0;
    for (std::size_t k = 0; k < model.cols; ++k) {
      divergence += relative_entropy_term(model(i, k), log_p[k], log_m[k]) +
                    relative_entropy_term(teacher(i, k), log_q[k], log_m[k]);
      swapped += relative_entropy_term(middle[k], log_m[k], log_p[k]) +
                 relative_entropy_term(middle[k], log_m[k], log_q[k]);
    }
    result.score_terms.push_back(1 - divergence / 2);
    result.reference_terms.push_back(1 - swapped / (2 * static_cast<double>(model.cols)));
  }
  result.score = mean(result.score_terms);
  result.reference = mean(result.reference_terms);
  return result;
}

}  // namespace vestige::metrics
