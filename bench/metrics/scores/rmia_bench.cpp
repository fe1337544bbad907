// RMIA's pair count, 50,000 rows against a population of 10,000: sorted against every pair.
#include <benchmark/benchmark.h>

#include "tests/metrics/scores/rmia_oracle.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/scores/rmia.h"

namespace vestige::metrics {
namespace {

std::vector<double> ratios(std::size_t count, std::uint64_t seed) {
  Stream stream(seed, "bench.rmia");
  std::vector<double> values(count);
  for (double& value : values) value = 0.2 + 2 * stream.uniform();
  return values;
}

void BM_Rmia_Sorted(benchmark::State& state) {
  const std::vector<double> x = ratios(50000, 1), z = ratios(10000, 2);
  for (auto _ : state) benchmark::DoNotOptimize(rmia_scores(x, z, 2, PairRule::reciprocal));
}
BENCHMARK(BM_Rmia_Sorted)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_Rmia_Plain(benchmark::State& state) {
  const std::vector<double> x = ratios(50000, 1), z = ratios(10000, 2);
  for (auto _ : state) benchmark::DoNotOptimize(plain_rmia(x, z, 2, PairRule::reciprocal));
}
BENCHMARK(BM_Rmia_Plain)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

}  // namespace
}  // namespace vestige::metrics
