// The group mia on 10 models, 500 examples a split: the retrained model attacked once for all
// models against once for each. The classifiers are timed in bench/metrics/learn.
#include "bench/support/synthetic_evidence.h"
#include "vestige/metrics/mia/mia_family.h"

namespace vestige::metrics {
namespace {

void BM_Mia(benchmark::State& state) {
  benchmarks::SyntheticEvidence evidence(500);
  evidence.add_usual(1, 8);
  benchmarks::against_single_comparisons(state, mia_family(), evidence);
}
BENCHMARK(BM_Mia)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace vestige::metrics
