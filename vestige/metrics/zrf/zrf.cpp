// ZRF in its true and its published form.
#include "vestige/metrics/zrf/zrf.h"

#include <cmath>

#include "vestige/base/error.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

/// a ln(a / b), 0 where a = 0, infinite where only b = 0.
double relative_entropy_term(double a, double b) { return a == 0 ? 0 : a * std::log(a / b); }

}  // namespace

Zrf zrf(MatrixView model, MatrixView teacher) {
  require(
      model.rows == teacher.rows && model.cols == teacher.cols,
      "ZRF: the model's probabilities are [{}, {}], the teacher's [{}, {}]: both must cover the "
      "same rows and classes",
      model.rows, model.cols, teacher.rows, teacher.cols);
  Zrf result;
  for (std::size_t i = 0; i < model.rows; ++i) {
    double divergence = 0, swapped = 0;
    for (std::size_t k = 0; k < model.cols; ++k) {
      const double p = model(i, k), q = teacher(i, k);
      const double m = (p + q) / 2;
      divergence += relative_entropy_term(p, m) + relative_entropy_term(q, m);
      swapped += relative_entropy_term(m, p) + relative_entropy_term(m, q);
    }
    result.score_terms.push_back(1 - divergence / 2);
    result.reference_terms.push_back(1 - swapped / (2 * static_cast<double>(model.cols)));
  }
  result.score = mean(result.score_terms);
  result.reference = mean(result.reference_terms);
  return result;
}

}  // namespace vestige::metrics
