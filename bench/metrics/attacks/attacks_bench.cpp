// The attacks on 10 models with 32 shadow models, 500 examples a split: shadow models read once for
// all models against once for each. The scores themselves are timed in bench/metrics/scores.
#include "bench/support/synthetic_evidence.h"
#include "vestige/metrics/attacks/attacks_family.h"

namespace vestige::metrics {
namespace {

void BM_Attacks(benchmark::State& state) {
  benchmarks::SyntheticEvidence evidence(500);
  evidence.add_usual(1, 8);
  evidence.add("shadow", "", 32, {{"forget", 2}, {"retain", 2}, {"test", 2}});
  benchmarks::against_single_comparisons(state, attacks_family(), evidence);
}
BENCHMARK(BM_Attacks)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace vestige::metrics
