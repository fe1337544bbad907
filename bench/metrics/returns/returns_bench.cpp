// The recovery tests of 8 methods under two treatments, 2,000 examples a split: what all methods
// are compared with worked out once against once for each method.
#include "bench/support/synthetic_evidence.h"
#include "vestige/metrics/returns/returns_family.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kMethods = 8;

void BM_Returns(benchmark::State& state) {
  benchmarks::SyntheticEvidence evidence(2000);
  evidence.add_usual(2, kMethods);
  for (const std::string treatment : {"int8", "noise"}) {
    evidence.add("probed", treatment + "/original", 2, {{"forget", 4}, {"test", 2}});
    evidence.add("probed", treatment + "/retrained", 2, {{"forget", 2}, {"test", 2}});
    for (std::size_t method = 0; method < kMethods; ++method) {
      evidence.add("probed", treatment + "/unlearned/method" + std::to_string(method), 2,
                   {{"forget", 3.5}, {"test", 2}});
    }
  }
  benchmarks::against_single_comparisons(state, returns_family(), evidence);
}
BENCHMARK(BM_Returns)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace vestige::metrics
