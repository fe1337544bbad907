// The group iam on 10 models with 32 shadow models, 500 examples a split: shadow models and the
// scores of retrained models once for all against once for each. The scores are timed in
// bench/metrics/scores/iam_bench.cpp.
#include "bench/support/synthetic_evidence.h"
#include "vestige/metrics/iam/iam_family.h"

namespace vestige::metrics {
namespace {

void BM_IamGroup(benchmark::State& state) {
  benchmarks::SyntheticEvidence evidence(500);
  evidence.add_usual(1, 8);
  evidence.add("shadow", "", 32, {{"forget", 2}, {"retain", 2}, {"test", 2}, {"shadow_train", 4}});
  benchmarks::against_single_comparisons(state, iam_family(), evidence);
}
BENCHMARK(BM_IamGroup)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace vestige::metrics
