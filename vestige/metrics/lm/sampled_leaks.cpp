// Combinatorics of samples, in products of ratios: binomial coefficients themselves overflow.
#include "vestige/metrics/lm/sampled_leaks.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace vestige::metrics {

double leak_at_k(std::size_t n, std::size_t leaking, std::size_t k) {
  if (n - leaking < k) return 1;  // fewer than k samples do not leak
  double none = 1;
  for (std::size_t i = 0; i < k; ++i) {
    none *= static_cast<double>(n - leaking - i) / static_cast<double>(n - i);
  }
  return 1 - none;
}

double expected_largest(std::span<const double> values, std::size_t k) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const std::size_t n = sorted.size();
  // The largest value is that of k draws with probability k / n. The next one is with the
  // probability of the one before times (n - j - k + 1) / (n - j).
  double weight = static_cast<double>(k) / static_cast<double>(n);
  double sum = 0;
  for (std::size_t j = 0; j + k <= n; ++j) {
    sum += weight * sorted[j];
    if (j + k < n) weight *= static_cast<double>(n - j - k) / static_cast<double>(n - j - 1);
  }
  return sum;
}

std::vector<std::size_t> numbers_of_samples(std::size_t n) {
  std::vector<std::size_t> result;
  for (std::size_t k = 1; k < n; k *= 2) result.push_back(k);
  if (n > 0) result.push_back(n);
  return result;
}

double extraction_probability(double log_probability, double queries) {
  return -std::expm1(queries * std::log1p(-std::exp(std::min(log_probability, 0.0))));
}

}  // namespace vestige::metrics
