// Speed of MIAU's attacks: 20 seeds x 8 models with the sizes of one trained evidence (1,000
// forget, 2,000 retain and 2,000 test rows, 10 classes); under 2 s on two cores is the aim.
#include <benchmark/benchmark.h>

#include "vestige/base/context.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/miau/miau_attacks.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kModels = 8, kClasses = 10;

evidence::Array logits(std::size_t rows, std::uint64_t index) {
  Stream stream(1, "miau_bench", index);
  std::vector<double> values(rows * kClasses);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 2 * stream.normal() + (i % kClasses == (i / kClasses) % kClasses ? 8 : 0);
  }
  return evidence::Array::from_doubles(std::move(values), {rows, kClasses});
}

evidence::Evidence make_evidence() {
  evidence::Evidence evidence;
  evidence.classes = kClasses;
  evidence::Group group{"original", "", {}};
  for (std::size_t i = 0; i < kModels; ++i) {
    evidence::Model model;
    model.role = "original";
    model.name = std::to_string(i);
    model.outputs["forget"] = logits(1000, 3 * i);
    model.outputs["retain"] = logits(2000, 3 * i + 1);
    model.outputs["test"] = logits(2000, 3 * i + 2);
    group.models.push_back(std::move(model));
  }
  evidence.groups.push_back(std::move(group));
  return evidence;
}

void eight_models_twenty_seeds(benchmark::State& state) {
  const evidence::Evidence evidence = make_evidence();
  Models models;
  for (const evidence::Model& model : evidence.groups[0].models) models.push_back(&model);
  const MiauSettings settings;
  const Context context({.threads = static_cast<int>(state.range(0))});
  context.run([&] {
    for (auto _ : state)
      benchmark::DoNotOptimize(attack_models(context, evidence, models, settings, settings.seeds));
  });
}
BENCHMARK(eight_models_twenty_seeds)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kSecond)
    ->UseRealTime();

}  // namespace
}  // namespace vestige::metrics
