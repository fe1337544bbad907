// Speed of closeness to four retrained models, beside every pair on its own.
#include <benchmark/benchmark.h>

#include "vestige/base/seed.h"
#include "vestige/evidence/blocks.h"
#include "vestige/metrics/closeness/closeness.h"
#include "vestige/metrics/closeness/closeness_rows.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kModels = 12, kRetrained = 4, kRows = 64;

std::vector<evidence::Array> models(std::size_t classes) {
  std::vector<evidence::Array> result;
  for (std::size_t model = 0; model < kModels; ++model) {
    Stream stream(1, "closeness_bench", model);
    std::vector<double> values(kRows * classes);
    for (double& value : values) value = 2 * stream.normal();
    result.push_back(evidence::Array::from_doubles(std::move(values), {kRows, classes}));
  }
  return result;
}

/// The first four are the retrained ones, and are compared with each other too.
std::vector<Neighbours> all_models() {
  std::vector<Neighbours> result;
  for (std::size_t model = 0; model < kModels; ++model) {
    Neighbours& one = result.emplace_back(Neighbours{model, {}});
    for (std::size_t other = 0; other < kRetrained; ++other) {
      if (other != model) one.references.push_back(other);
    }
  }
  return result;
}

void closeness_at_once(benchmark::State& state) {
  const auto outputs = models(static_cast<std::size_t>(state.range(0)));
  std::vector<const evidence::Array*> places;
  for (const evidence::Array& one : outputs) places.push_back(&one);
  const std::vector<Neighbours> wanted = all_models();
  for (auto _ : state) {
    benchmark::DoNotOptimize(mean_closeness(places, evidence::OutputKind::logits, wanted));
  }
}
BENCHMARK(closeness_at_once)->Arg(10)->Arg(100)->Arg(1000)->MeasureProcessCPUTime();

void closeness_pair_by_pair(benchmark::State& state) {
  const auto outputs = models(static_cast<std::size_t>(state.range(0)));
  const auto probabilities = [&](std::size_t model) {
    return evidence::probabilities(outputs[model], evidence::OutputKind::logits, 0, kRows);
  };
  for (auto _ : state) {
    for (const Neighbours& one : all_models()) {
      const Matrix ours = probabilities(one.model);
      for (const std::size_t reference : one.references) {
        benchmark::DoNotOptimize(closeness(ours, probabilities(reference)));
      }
    }
  }
}
BENCHMARK(closeness_pair_by_pair)->Arg(10)->Arg(100)->Arg(1000)->MeasureProcessCPUTime();

}  // namespace
}  // namespace vestige::metrics
