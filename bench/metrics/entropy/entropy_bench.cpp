// Entropy of predictions against the loop that its definition states.
#include <cmath>

#include "bench/support/synthetic_evidence.h"
#include "vestige/metrics/entropy/entropy_family.h"

namespace vestige::metrics {

static void BM_Entropy(benchmark::State& state) {
  benchmarks::means_with_ratio(state, entropy_family(), {"forget", "test"},
                               [](const auto& p, auto) {
                                 double sum = 0;
                                 for (const double value : p) sum -= value * std::log(value);
                                 return sum;
                               });
}
BENCHMARK(BM_Entropy)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace vestige::metrics
