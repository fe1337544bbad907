// Exact by dynamic programming over doubled mid-ranks, which are whole numbers.
#include "vestige/metrics/stats/signed_rank.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "vestige/metrics/stats/rank_tests.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kMostSignedExact = 50;

/// P(sum of a random half of the doubled ranks = s) for every s: each sign is + or - with
/// probability one half.
std::vector<double> distribution(const std::vector<std::size_t>& doubled) {
  std::vector<double> probability(std::accumulate(doubled.begin(), doubled.end(), std::size_t{1}));
  probability[0] = 1;
  std::size_t reached = 0;
  for (const std::size_t rank : doubled) {
    for (std::size_t sum = reached + rank + 1; sum-- > 0;) {
      const double with = sum >= rank ? probability[sum - rank] : 0;
      probability[sum] = 0.5 * (probability[sum] + with);
    }
    reached += rank;
  }
  return probability;
}

double choose(double above, double below, Alternative alternative) {
  switch (alternative) {
    case Alternative::greater:
      return above;
    case Alternative::less:
      return below;
    case Alternative::two_sided:
      return std::min(1.0, 2 * std::min(above, below));
  }
  return kUndefined;
}

double exact_p(const std::vector<double>& ranks, double positive, Alternative alternative) {
  std::vector<std::size_t> doubled;
  for (const double rank : ranks) doubled.push_back(static_cast<std::size_t>(2 * rank + 0.5));
  const std::vector<double> probability = distribution(doubled);
  const auto observed = static_cast<std::size_t>(2 * positive + 0.5);
  double above = 0, below = 0;
  for (std::size_t sum = 0; sum < probability.size(); ++sum) {
    if (sum >= observed) above += probability[sum];
    if (sum <= observed) below += probability[sum];
  }
  return choose(above, below, alternative);
}

/// The sum over positive ranks has mean sum r / 2 and variance sum r^2 / 4, ties included.
double normal_p(const std::vector<double>& ranks, double positive, Alternative alternative) {
  double center = 0, squares = 0;
  for (const double rank : ranks) {
    center += rank / 2;
    squares += rank * rank / 4;
  }
  const boost::math::normal standard;
  const double sd = std::sqrt(squares);
  const double above =
      boost::math::cdf(boost::math::complement(standard, (positive - center - 0.5) / sd));
  const double below = boost::math::cdf(standard, (positive - center + 0.5) / sd);
  return choose(above, below, alternative);
}

}  // namespace

SignedRank signed_rank(std::span<const double> differences, Alternative alternative) {
  SignedRank result;
  std::vector<double> kept, sizes;
  for (const double difference : differences) {
    if (std::isnan(difference)) return result;
    if (difference == 0) continue;
    kept.push_back(difference);
    sizes.push_back(std::abs(difference));
  }
  result.n = kept.size();
  if (kept.empty()) return result;
  const std::vector<double> ranks = mid_ranks(sizes);
  result.positive = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] > 0) result.positive += ranks[i];
  }
  result.exact = result.n <= kMostSignedExact;
  result.p = result.exact ? exact_p(ranks, result.positive, alternative)
                          : normal_p(ranks, result.positive, alternative);
  return result;
}

}  // namespace vestige::metrics
