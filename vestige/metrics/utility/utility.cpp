// Scores that are made of accuracies alone.
#include "vestige/metrics/utility/utility.h"

#include <cmath>

namespace vestige::metrics {

double tug_of_war(std::span<const double> gaps) {
  double product = 1;
  for (const double gap : gaps) product *= 1 - gap;
  return product;
}

double adaptive_unlearning_score(double test_original, double test, double forget, double target) {
  return (1 - (test_original - test)) / (1 + std::abs(forget - target));
}

double adaptive_unlearning_score(double test_original, double test, double forget) {
  return adaptive_unlearning_score(test_original, test, forget, test);
}

}  // namespace vestige::metrics
