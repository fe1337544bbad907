// The relative three-sample test on 100 rows of 10 columns with 99 permutations: all permutations
// as one product against samples and witnesses built anew for each.
#include <benchmark/benchmark.h>

#include "tests/metrics/kernel_test/relative_oracle.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/kernel_test/relative_test.h"

namespace vestige::metrics {
namespace {

Matrix sample(std::uint64_t index) {
  Stream stream(1, "bench.relative_test", index);
  Matrix rows(100, 10);
  for (double& value : rows.values()) value = stream.normal();
  return rows;
}

const RelativeTestOptions kOptions = {.permutations = 99, .bandwidths = 2, .lambdas = {0.01}};

void BM_RelativeTest_Product(benchmark::State& state) {
  const Matrix model = sample(0), first = sample(1), second = sample(2);
  for (auto _ : state) benchmark::DoNotOptimize(relative_test(model, first, second, kOptions));
}
BENCHMARK(BM_RelativeTest_Product)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_RelativeTest_Plain(benchmark::State& state) {
  const Matrix model = sample(0), first = sample(1), second = sample(2);
  for (auto _ : state) {
    benchmark::DoNotOptimize(plain_nearer_second(model, first, second, kOptions));
  }
}
BENCHMARK(BM_RelativeTest_Plain)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

}  // namespace
}  // namespace vestige::metrics
