// SMI on 200 rows a sample and 50 bootstrap draws: one kernel matrix weighted by the draws against
// kernels evaluated anew for every pair of every draw.
#include "bench/support/ratio.h"
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
  benchmarks::with_ratio(
      state, [&] { return smi(forget, members, others, 3, options); },
      [&] { return plain_smi(forget, members, others, 3, options); });
}
BENCHMARK(BM_Smi)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace vestige::metrics
