// U-LiRA on 256 models a group and 500 rows: ranks and rows side by side against all pairs of
// models one row after the other.
#include "bench/support/ratio.h"
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
  benchmarks::with_ratio(
      state, [&] { return ulira(unlearned, retrained); },
      [&] { return plain_ulira(unlearned, retrained); });
}
BENCHMARK(BM_Ulira)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace vestige::metrics
