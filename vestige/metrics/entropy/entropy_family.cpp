// The mean of -sum p ln p over examples (Golatkar et al. 2020 report it for the forget set).
#include "vestige/metrics/entropy/entropy_family.h"

#include <cmath>

#include "vestige/metrics/mean_family.h"

namespace vestige::metrics {

static double prediction_entropy(std::span<const double> probabilities, std::size_t) {
  double sum = 0;
  for (const double p : probabilities) sum -= p > 0 ? p * std::log(p) : 0;
  return sum;
}

Family entropy_family() {
  return mean_family(
      {.name = "entropy",
       .summary = "how undecided predictions are on forget and on test examples",
       .metrics = {{{"entropy.forget", Direction::match, kUndefined, "entropy on the forget set",
                     "mean entropy of predictions on forget examples, in nats", true},
                    "forget"},
                   {{"entropy.test", Direction::match, kUndefined, "entropy on the test set",
                     "mean entropy of predictions on test examples, in nats"},
                    "test"}},
       .range = kFromZero,
       .term = prediction_entropy});
}

}  // namespace vestige::metrics
