// RMIA's count as it is defined, every pair: the oracle of the sorted count, for tests and
// benchmarks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vestige/metrics/scores/rmia.h"

namespace vestige::metrics {

inline std::vector<double> plain_rmia(std::span<const double> ratios,
                                      std::span<const double> population, double gamma,
                                      PairRule rule) {
  std::vector<double> result;
  for (const double x : ratios) {
    std::size_t wins = 0;
    for (const double z : population) {
      wins += (rule == PairRule::quotient ? x / z : x * (1 / z)) > gamma ? 1U : 0U;
    }
    result.push_back(static_cast<double>(wins) / static_cast<double>(population.size()));
  }
  return result;
}

}  // namespace vestige::metrics
