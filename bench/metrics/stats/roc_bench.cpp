// Speed of the AUC by ranks, beside counting all pairs.
#include <benchmark/benchmark.h>

#include "vestige/base/seed.h"
#include "vestige/metrics/stats/roc.h"

namespace vestige::metrics {
namespace {

std::vector<double> sample(std::size_t size, std::uint64_t index) {
  Stream stream(1, "roc_bench", index);
  std::vector<double> values(size);
  for (double& value : values) value = stream.normal();
  return values;
}

void by_ranks(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const auto positives = sample(size, 0), negatives = sample(size, 1);
  for (auto _ : state) benchmark::DoNotOptimize(auc_of_samples(positives, negatives));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(by_ranks)->RangeMultiplier(4)->Range(256, 65536)->Complexity(benchmark::oNLogN);

void by_pairs(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const auto positives = sample(size, 0), negatives = sample(size, 1);
  for (auto _ : state) {
    double pairs = 0;
    for (const double x : positives) {
      for (const double y : negatives) pairs += x > y ? 1 : x == y ? 0.5 : 0;
    }
    benchmark::DoNotOptimize(pairs);
  }
}
BENCHMARK(by_pairs)->Arg(256)->Arg(4096);

}  // namespace
}  // namespace vestige::metrics
