// The bound on epsilon from 1,000 canaries, one share of guesses and delta 1e-5: its p-value
// against the binomial sum by log-gamma, as the paper's appendix D writes it, and bisection to 1e-9
// against steps of 0.001.
#include <algorithm>
#include <cmath>

#include "bench/support/ratio.h"
#include "vestige/metrics/one_run/one_run.h"

namespace vestige::metrics {
namespace {

constexpr CanaryGuesses kGuesses = {.canaries = 1000, .guesses = 500, .right = 400};
constexpr double kDelta = 1e-5, kStep = 1e-3;

double plain_p(double epsilon) {
  const auto r = static_cast<double>(kGuesses.guesses);
  const double q = 1 / (1 + std::exp(-epsilon));
  const auto probability = [&](std::size_t right) {
    const auto v = static_cast<double>(right);
    return std::exp(std::lgamma(r + 1) - std::lgamma(v + 1) - std::lgamma(r - v + 1) +
                    v * std::log(q) + (r - v) * std::log(1 - q));
  };
  double tail = 0, below = 0, steepest = 0;
  for (std::size_t v = kGuesses.right; v <= kGuesses.guesses; ++v) tail += probability(v);
  for (std::size_t i = 1; i <= kGuesses.right; ++i) {
    below += probability(kGuesses.right - i);
    steepest = std::max(steepest, below / static_cast<double>(i));
  }
  return tail + 2 * static_cast<double>(kGuesses.canaries) * kDelta * steepest;
}

/// Steps of kStep that are refuted with 95 % confidence.
double plain_steps() {
  double steps = 0;
  while (plain_p((steps + 1) * kStep) <= 0.05) ++steps;
  return steps;
}

void BM_OneRun_P(benchmark::State& state) {
  benchmarks::with_ratio(
      state, [] { return canary_p(kGuesses, 1, kDelta); }, [] { return plain_p(1); });
}
BENCHMARK(BM_OneRun_P)->Unit(benchmark::kMicrosecond);

void BM_OneRun_Epsilon(benchmark::State& state) {
  benchmarks::with_ratio(
      state, [] { return std::floor(canary_epsilon(kGuesses, kDelta, 0.95) / kStep); },
      plain_steps);
}
BENCHMARK(BM_OneRun_Epsilon)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace vestige::metrics
