// Mid-ranks, Mann-Whitney and Spearman.
#include "vestige/metrics/stats/rank_tests.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/metrics/stats/order.h"

namespace vestige::metrics {
namespace {

bool any_nan(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

struct Ranking {
  std::vector<double> ranks;
  double ties = 0;  ///< sum of t^3 - t over groups of t equal values
};

Ranking rank(std::span<const double> values) {
  const std::vector<std::size_t> order = ascending_order(values);
  Ranking result{.ranks = std::vector<double>(values.size())};
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first + 1;
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    const double shared = 0.5 * static_cast<double>(first + 1 + last);
    for (std::size_t i = first; i < last; ++i) result.ranks[order[i]] = shared;
    const auto group = static_cast<double>(last - first);
    result.ties += group * (group * group - 1);
    first = last;
  }
  return result;
}

}  // namespace

std::vector<double> mid_ranks(std::span<const double> values) {
  require(!any_nan(values), "ranks are undefined for NaN: remove such values first");
  return rank(values).ranks;
}

MannWhitney mann_whitney(std::span<const double> x, std::span<const double> y,
                         Alternative alternative, bool continuity_correction) {
  MannWhitney result;
  if (x.empty() || y.empty() || any_nan(x) || any_nan(y)) return result;
  std::vector<double> pooled(x.begin(), x.end());
  pooled.insert(pooled.end(), y.begin(), y.end());
  const Ranking ranking = rank(pooled);
  const auto n_x = static_cast<double>(x.size());
  const auto n_y = static_cast<double>(y.size());
  const double n = n_x + n_y;
  double rank_sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) rank_sum += ranking.ranks[i];
  result.u = rank_sum - n_x * (n_x + 1) / 2;

  const double other = n_x * n_y - result.u;
  double tested = result.u;
  if (alternative == Alternative::less) tested = other;
  if (alternative == Alternative::two_sided) tested = std::max(result.u, other);
  const double variance_of_u = n_x * n_y / 12 * (n + 1 - ranking.ties / (n * (n - 1)));
  if (!(variance_of_u > 0)) {
    result.p = 1;
    return result;
  }
  const double correction = continuity_correction ? 0.5 : 0;
  result.z = (tested - n_x * n_y / 2 - correction) / std::sqrt(variance_of_u);
  result.p = boost::math::cdf(boost::math::complement(boost::math::normal(), result.z));
  if (alternative == Alternative::two_sided) result.p = std::min(1.0, 2 * result.p);
  return result;
}

Spearman spearman(std::span<const double> x, std::span<const double> y) {
  require(x.size() == y.size(), "a correlation got {} and {} values: both must be one per pair",
          x.size(), y.size());
  Spearman result;
  if (x.size() < 2 || any_nan(x) || any_nan(y)) return result;
  const std::vector<double> x_ranks = rank(x).ranks;
  const std::vector<double> y_ranks = rank(y).ranks;
  const auto n = static_cast<double>(x.size());
  const double center = (n + 1) / 2;
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x_ranks[i] - center) * (x_ranks[i] - center);
    yy += (y_ranks[i] - center) * (y_ranks[i] - center);
    xy += (x_ranks[i] - center) * (y_ranks[i] - center);
  }
  if (xx == 0 || yy == 0) return result;
  result.rho = std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
  if (x.size() < 3) return result;
  const double spread = (1 + result.rho) * (1 - result.rho);
  if (spread == 0) {
    result.p = 0;
    return result;
  }
  const double t = std::abs(result.rho) * std::sqrt((n - 2) / spread);
  result.p = 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(n - 2), t));
  return result;
}

}  // namespace vestige::metrics
