// U-LiRA on 256 models a side and 500 rows: ranks and rows side by side against all pairs of models
// one row after the other.
#include <benchmark/benchmark.h>

#include <chrono>

#include "tests/metrics/ulira/ulira_oracle.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

Matrix confidences(std::uint64_t index, double shift) {
  Stream stream(1, "bench.ulira", index);
  Matrix pool(256, 500);
  for (double& value : pool.values()) value = stream.normal() + shift;
  return pool;
}

void BM_Ulira(benchmark::State& state) {
  const Matrix unlearned = confidences(0, 0.3), retrained = confidences(1, 0);
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto start = now();
  for (auto _ : state) benchmark::DoNotOptimize(ulira(unlearned, retrained));
  const double own = std::chrono::duration<double>(now() - start).count() /
                     static_cast<double>(state.iterations());
  const auto plain_start = now();
  benchmark::DoNotOptimize(plain_ulira(unlearned, retrained));
  const double plain = std::chrono::duration<double>(now() - plain_start).count();
  state.counters["ratio"] = plain / own;
}
BENCHMARK(BM_Ulira)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace vestige::metrics
