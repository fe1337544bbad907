// Accuracies of six groups of 4 models and their distance to retrained models, 2,000 examples a
// split: the whole group, with intervals, against a loop over examples for the tug of war.
#include <algorithm>
#include <cmath>

#include "bench/support/synthetic_evidence.h"
#include "vestige/metrics/utility/utility.h"

namespace vestige::metrics {
namespace {

double plain_accuracy(const Models& models, const char* split) {
  double right = 0, rows = 0;
  for (const evidence::Model* model : models) {
    const evidence::Array& outputs = model->outputs.at(split);
    std::vector<double> logits(outputs.cols());
    for (std::size_t row = 0; row < outputs.rows(); ++row, ++rows) {
      outputs.read_row(row, logits);
      const auto answer = std::max_element(logits.begin(), logits.end()) - logits.begin();
      right += static_cast<std::size_t>(answer) == benchmarks::label_of(row) ? 1 : 0;
    }
  }
  return right / rows;
}

void BM_Utility(benchmark::State& state) {
  benchmarks::SyntheticEvidence evidence(2000);
  evidence.add_usual(4, 4);
  const Family family = utility_family();
  const std::vector<Comparison> all = evidence.comparisons(family.unit);
  benchmarks::with_ratio(
      state,
      [&] { return benchmarks::measured(family, evidence.get(), all, "utility.tug_of_war"); },
      [&] {
        double sum = 0;
        for (const Comparison& one : all) {
          if (one.retrained.empty()) continue;
          double product = 1;
          for (const char* split : {"retain", "test", "forget"}) {
            product *= 1 - std::abs(plain_accuracy(one.candidate, split) -
                                    plain_accuracy(one.retrained, split));
          }
          sum += product;
        }
        return sum;
      });
}
BENCHMARK(BM_Utility)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace vestige::metrics
