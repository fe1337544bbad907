// Multiple-choice accuracy against the loop that the definition states.
#include "bench/support/ratio.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/multiple_choice/multiple_choice_family.h"

namespace vestige::metrics {

static void BM_Choices(benchmark::State& state) {
  constexpr std::size_t kQuestions = 15000, kOptions = 4;  // MMLU
  Stream stream(1, "bench.choices");
  std::vector<double> values(kQuestions * kOptions);
  for (double& value : values) value = -10 * stream.uniform();
  evidence::Evidence evidence;
  evidence.labels["choices.mmlu"].assign(kQuestions, 2);
  evidence.choice_goals["mmlu"] = "higher";
  evidence::Model model;
  model.role = "original";
  model.name = "0";
  model.choices["mmlu"] = evidence::Array::from_doubles(values, {kQuestions, kOptions});
  evidence.groups.push_back({"original", "", {model}});
  Comparison comparison;
  comparison.evidence = &evidence;
  comparison.candidate = {&evidence.groups[0].models[0]};
  const Request request;
  const Family family = multiple_choice_family();
  const Measure measure = family.prepare({evidence, request, {&comparison, 1}});
  Progress progress(ProgressStyle::quiet, "bench", 1);
  benchmarks::with_ratio(
      state, [&] { return measure(comparison, progress).rows[0].value; },
      [&] {
        double right = 0;
        for (std::size_t row = 0; row < kQuestions; ++row) {
          const double* options = values.data() + row * kOptions;
          bool largest = true;
          for (std::size_t option = 0; option < kOptions; ++option) {
            largest = largest && options[option] <= options[2];
          }
          right += largest ? 1 : 0;
        }
        return right / static_cast<double>(kQuestions);
      });
}
BENCHMARK(BM_Choices)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace vestige::metrics
