// What benchmarks share: the time of a plain version beside that of the optimised one, in one run.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

namespace vestige::benchmarks {

/// Seconds of one call; `result` receives what it returns.
template <class Action>
double seconds_of(const Action& action, std::optional<std::invoke_result_t<Action>>& result) {
  const auto start = std::chrono::steady_clock::now();
  result.emplace(action());
  benchmark::DoNotOptimize(*result);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Times `own` as the benchmark. The counter "ratio" is the shortest time of `plain` divided by the
/// shortest time of `own`: above 1, `own` is faster. The shortest time is least disturbed by other
/// work on the machine. `plain` is called for 50 ms, at least once. Where both return a double,
/// the benchmark fails unless they agree within 1e-9: times of different results do not compare.
template <class Own, class Plain>
void with_ratio(benchmark::State& state, const Own& own, const Plain& plain) {
  double shortest = std::numeric_limits<double>::infinity(), shortest_plain = shortest;
  std::optional<std::invoke_result_t<Own>> result;
  for (auto _ : state) shortest = std::min(shortest, seconds_of(own, result));
  std::optional<std::invoke_result_t<Plain>> expected;
  for (double spent = 0; spent < 0.05;) {
    const double seconds = seconds_of(plain, expected);
    shortest_plain = std::min(shortest_plain, seconds);
    spent += seconds;
  }
  state.counters["ratio"] = shortest_plain / shortest;
  if constexpr (std::is_same_v<std::invoke_result_t<Own>, double>) {
    const double allowed = 1e-9 * std::max(1.0, std::abs(*expected));
    if (!(std::abs(*result - *expected) <= allowed)) {
      state.SkipWithError("the optimised and the plain version give different values");
    }
  }
}

}  // namespace vestige::benchmarks
