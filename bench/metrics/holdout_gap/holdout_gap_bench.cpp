// The gap to unseen examples of six groups of 4 models, 2,000 examples a split: the whole group,
// with intervals, against the loop over examples that its definition states.
#include <cmath>

#include "bench/support/synthetic_evidence.h"
#include "vestige/metrics/holdout_gap/holdout_gap_family.h"

namespace vestige::metrics {
namespace {

/// Sum over a split of probability, accuracy and log-odds (within 8 nats) of the true class.
double plain_signals(const evidence::Array& logits) {
  double sum = 0;
  for (std::size_t row = 0; row < logits.rows(); ++row) {
    const std::vector<double> p = benchmarks::plain_softmax(logits, row);
    const double own = p[benchmarks::label_of(row)];
    double others = 0;
    bool right = true;
    for (std::size_t k = 0; k < p.size(); ++k) {
      if (k == benchmarks::label_of(row)) continue;
      others += p[k];
      right = right && own > p[k];
    }
    sum += own + (right ? 1 : 0) + std::clamp(std::log(own / others), -8.0, 8.0);
  }
  return sum / static_cast<double>(logits.rows());
}

/// Mean total variation distance of two models' answers.
double plain_distance(const evidence::Array& left, const evidence::Array& right) {
  double sum = 0;
  for (std::size_t row = 0; row < left.rows(); ++row) {
    const std::vector<double> p = benchmarks::plain_softmax(left, row);
    const std::vector<double> q = benchmarks::plain_softmax(right, row);
    for (std::size_t k = 0; k < p.size(); ++k) sum += std::abs(p[k] - q[k]) / 2;
  }
  return sum / static_cast<double>(left.rows());
}

void BM_HoldoutGap(benchmark::State& state) {
  benchmarks::SyntheticEvidence evidence(2000);
  evidence.add_usual(4, 4);
  const Family family = holdout_gap_family();
  const std::vector<Comparison> all = evidence.comparisons(family.unit);
  benchmarks::with_ratio(
      state, [&] { return benchmarks::measured(family, evidence.get(), all); },
      [&] {
        double sum = 0;
        for (const Comparison& one : all) {
          for (std::size_t i = 0; i < one.candidate.size(); ++i) {
            const auto& outputs = one.candidate[i]->outputs;
            sum += (plain_signals(outputs.at("forget")) - plain_signals(outputs.at("test")) +
                    plain_distance(outputs.at("forget"), one.original[i]->outputs.at("forget"))) /
                   static_cast<double>(one.candidate.size());
          }
        }
        return sum;
      });
}
BENCHMARK(BM_HoldoutGap)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace vestige::metrics
