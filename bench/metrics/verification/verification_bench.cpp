// Six groups of 4 models against 8 verification models, 2,000 examples a split: the whole group,
// with intervals, against the loop over examples that its definition states.
#include "bench/support/synthetic_evidence.h"
#include "vestige/metrics/verification/verification_family.h"

namespace vestige::metrics {
namespace {

/// Mean over models of the mean probability of the true class.
double plain_mean(const Models& models, const char* split) {
  double sum = 0;
  for (const evidence::Model* model : models) {
    sum += benchmarks::plain_confidence(model->outputs.at(split));
  }
  return sum / static_cast<double>(models.size());
}

void BM_Verification(benchmark::State& state) {
  benchmarks::SyntheticEvidence evidence(2000);
  evidence.add_usual(4, 4);
  evidence.add("verification", "", 8, {{"forget", 2}, {"test", 2}});
  const Models references = evidence.models_of("verification");
  const Family family = verification_family();
  const std::vector<Comparison> all = evidence.comparisons(family.unit);
  benchmarks::with_ratio(
      state, [&] { return benchmarks::measured(family, evidence.get(), all); },
      [&] {
        double sum = 0;
        for (const Comparison& one : all) {
          const double forget =
              plain_mean(one.candidate, "forget") - plain_mean(references, "forget");
          const double test = plain_mean(one.candidate, "test") - plain_mean(references, "test");
          sum += forget - test + forget;  // verification.gap and verification.paired
        }
        return sum;
      });
}
BENCHMARK(BM_Verification)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace vestige::metrics
