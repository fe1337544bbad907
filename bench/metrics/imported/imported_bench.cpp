// Means of imported scores against the loop that the definition states.
#include <numeric>

#include "bench/support/ratio.h"
#include "vestige/metrics/imported/imported_family.h"

namespace vestige::metrics {

static void BM_Imported(benchmark::State& state) {
  std::vector<double> values(100000);
  std::iota(values.begin(), values.end(), 0.0);
  evidence::Evidence evidence;
  evidence::Model model;
  model.role = "original";
  model.name = "0";
  model.scores["judge"]["forget"] = evidence::Array::from_doubles(values, {values.size()});
  evidence.groups.push_back({"original", "", {model}});
  Comparison comparison;
  comparison.evidence = &evidence;
  comparison.candidate = {&evidence.groups[0].models[0]};
  const Request request;
  const Family family = imported_family();
  const Measure measure = family.prepare({evidence, request, {&comparison, 1}});
  Progress progress(ProgressStyle::quiet, "bench", 1);
  benchmarks::with_ratio(
      state, [&] { return measure(comparison, progress).rows[0].value; },
      [&] {
        double sum = 0;
        for (const double value : values) sum += value;
        return sum / static_cast<double>(values.size());
      });
}
BENCHMARK(BM_Imported)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace vestige::metrics
