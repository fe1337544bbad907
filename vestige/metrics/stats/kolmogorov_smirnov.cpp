// Exact and limiting distributions of the two-sample statistic.
#include "vestige/metrics/stats/kolmogorov_smirnov.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace vestige::metrics {
namespace {

constexpr std::size_t kMostForPaths = 10000;  // scipy's rule

/// The statistic times n m, which is a whole number: max |i m - j n| over values with i of x and j
/// of y at or below them.
std::int64_t scaled_statistic(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<std::int64_t>(x.size());
  const auto m = static_cast<std::int64_t>(y.size());
  std::int64_t largest = 0;
  std::size_t i = 0, j = 0;
  while (i < x.size() && j < y.size()) {
    const double value = std::min(x[i], y[j]);
    while (i < x.size() && x[i] == value) ++i;
    while (j < y.size() && y[j] == value) ++j;
    const std::int64_t gap = static_cast<std::int64_t>(i) * m - static_cast<std::int64_t>(j) * n;
    largest = std::max(largest, std::abs(gap));
  }
  return largest;
}

/// ln P(statistic >= h / n) for two samples of n: 2 (a_1 - a_2 + a_3 ...) with a_k = C(2n, n + k h)
/// / C(2n, n), nested from the last term so that nothing cancels.
double log_p_equal(std::size_t n, std::size_t h) {
  if (h == 0) return 0;
  double inner = -HUGE_VAL;  // ln of what stands in the bracket so far
  for (std::size_t k = n / h + 1; k-- > 0;) {
    double ratio = 0;  // ln of a_{k + 1} / a_k
    for (std::size_t j = 0; j < h; ++j) {
      const double above = static_cast<double>(n) - static_cast<double>(k * h + j);
      if (!(above > 0)) {
        ratio = -HUGE_VAL;
        break;
      }
      ratio += std::log(above / static_cast<double>(n + k * h + j + 1));
    }
    inner = ratio + std::log1p(-std::min(1.0, std::exp(inner)));
  }
  return std::min(0.0, std::log(2.0) + inner);
}

/// 1 - P(statistic < limit / (n m)): the share of orders of both samples that stay inside.
double p_by_paths(std::size_t n, std::size_t m, std::int64_t limit) {
  const auto inside = [&](std::size_t i, std::size_t j) {
    return std::abs(static_cast<std::int64_t>(i * m) - static_cast<std::int64_t>(j * n)) < limit;
  };
  // share(i, j) = i / (i + j) share(i - 1, j) + j / (i + j) share(i, j - 1), row by row.
  std::vector<double> share(m + 1);
  for (std::size_t i = 0; i <= n; ++i) {
    for (std::size_t j = 0; j <= m; ++j) {
      if (i + j == 0) {
        share[j] = 1;
        continue;
      }
      const auto total = static_cast<double>(i + j);
      const double from_x = i == 0 ? 0 : static_cast<double>(i) / total * share[j];
      const double from_y = j == 0 ? 0 : static_cast<double>(j) / total * share[j - 1];
      share[j] = inside(i, j) ? from_x + from_y : 0;
    }
  }
  return std::clamp(1 - share[m], 0.0, 1.0);
}

/// Kolmogorov's distribution: 2 sum (-1)^(k - 1) exp(-2 k^2 z^2).
double p_by_limit(double z) {
  if (z < 0.2) return 1;
  double sum = 0;
  for (int k = 1; k <= 100; ++k) {
    sum += (k % 2 == 1 ? 1 : -1) * std::exp(-2.0 * k * k * z * z);
  }
  return std::clamp(2 * sum, 0.0, 1.0);
}

}  // namespace

KolmogorovSmirnov kolmogorov_smirnov(std::span<const double> x, std::span<const double> y) {
  KolmogorovSmirnov result;
  const auto undefined = [](double value) { return std::isnan(value); };
  if (x.empty() || y.empty() || std::any_of(x.begin(), x.end(), undefined) ||
      std::any_of(y.begin(), y.end(), undefined)) {
    return result;
  }
  std::vector<double> left(x.begin(), x.end());
  std::vector<double> right(y.begin(), y.end());
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  const std::int64_t scaled = scaled_statistic(left, right);
  const auto n = static_cast<double>(left.size());
  const auto m = static_cast<double>(right.size());
  result.statistic = static_cast<double>(scaled) / (n * m);
  if (left.size() == right.size()) {
    const double log_p = log_p_equal(left.size(), static_cast<std::size_t>(scaled) / left.size());
    result.p = std::exp(log_p);
    result.log10_p = log_p / std::log(10.0);
    return result;
  }
  result.exact = std::max(left.size(), right.size()) <= kMostForPaths;
  result.p = scaled == 0    ? 1
             : result.exact ? p_by_paths(left.size(), right.size(), scaled)
                            : p_by_limit(result.statistic * std::sqrt(n * m / (n + m)));
  result.log10_p = std::log10(result.p);
  return result;
}

}  // namespace vestige::metrics
