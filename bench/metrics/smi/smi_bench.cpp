// SMI on 200 rows a sample and 50 bootstrap draws: one kernel matrix weighted by the draws against
// kernels evaluated anew for every pair of every draw.
#include <benchmark/benchmark.h>

#include <chrono>

#include "tests/metrics/smi/smi_oracle.h"

namespace vestige::metrics {
namespace {

Matrix features(std::uint64_t index, double shift) {
  Stream stream(1, "bench.smi", index);
  Matrix rows(200, 10);
  for (double& value : rows.values()) value = stream.normal() + shift;
  return rows;
}

void BM_Smi(benchmark::State& state) {
  const Matrix forget = features(0, 0.5), members = features(1, 0), others = features(2, 1);
  const SmiOptions options{.replicates = 50};
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto start = now();
  for (auto _ : state) benchmark::DoNotOptimize(smi(forget, members, others, 3, options));
  const double own = std::chrono::duration<double>(now() - start).count() /
                     static_cast<double>(state.iterations());
  const auto plain_start = now();
  benchmark::DoNotOptimize(plain_smi(forget, members, others, 3, options));
  const double plain = std::chrono::duration<double>(now() - plain_start).count();
  state.counters["ratio"] = plain / own;
}
BENCHMARK(BM_Smi)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace vestige::metrics
