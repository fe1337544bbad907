// ScoreUI on 4 series of 5 checkpoints with 8 shadow models, 400 examples a split: all attacks
// against the loss attack alone, with ranks by counting all pairs.
#include <cmath>

#include "bench/support/synthetic_evidence.h"
#include "vestige/metrics/score_ui/score_ui_family.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kSeries = 4, kSteps = 5;

std::string checkpoint(std::size_t step) { return "graded." + std::to_string(step); }

/// Ranks around their mean (n + 1) / 2; equal values share the mean of their ranks.
std::vector<double> plain_ranks(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (const double value : values) {
    double below = 0, above = 0;
    for (const double other : values) {
      below += other < value ? 1 : 0;
      above += other > value ? 1 : 0;
    }
    ranks.push_back((below - above) / 2);
  }
  return ranks;
}

double plain_spearman(const std::vector<double>& x, const std::vector<double>& y) {
  const std::vector<double> a = plain_ranks(x), b = plain_ranks(y);
  double products = 0, left = 0, right = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    products += a[i] * b[i];
    left += a[i] * a[i];
    right += b[i] * b[i];
  }
  return products / std::sqrt(left * right);
}

/// Mean over series of the rank correlation of log-probabilities with membership.
double plain_loss(const benchmarks::SyntheticEvidence& evidence) {
  double sum = 0;
  for (std::size_t series = 0; series < kSeries; ++series) {
    std::vector<double> scores, membership;
    for (std::size_t step = 0; step < kSteps; ++step) {
      const evidence::Model& model = *evidence.models_of("checkpoint", checkpoint(step))[series];
      for (const char* split : {"forget", "retain"}) {
        const evidence::Array& outputs = model.outputs.at(split);
        for (std::size_t row = 0; row < outputs.rows(); ++row) {
          const std::vector<double> p = benchmarks::plain_softmax(outputs, row);
          scores.push_back(std::log(p[benchmarks::label_of(row)]));
          membership.push_back(static_cast<double>(step));
        }
      }
    }
    sum += plain_spearman(scores, membership);
  }
  return sum / kSeries;
}

void BM_ScoreUi(benchmark::State& state) {
  benchmarks::SyntheticEvidence evidence(400);
  evidence.add("original", "", 1, {{"forget", 4}, {"retain", 4}, {"test", 2}});
  evidence.add("shadow", "", 8, {{"forget", 2}, {"retain", 2}, {"test", 2}, {"shadow_train", 4}});
  for (std::size_t step = 0; step < kSteps; ++step) {
    const double lift = 2 + 0.5 * static_cast<double>(step);
    evidence.add("checkpoint", checkpoint(step), kSeries,
                 {{"forget", lift}, {"retain", lift}, {"test", 2}});
    evidence.get().membership[checkpoint(step)] = static_cast<double>(step) / kSteps;
  }
  Comparison whole;
  whole.evidence = &evidence.get();
  benchmarks::with_ratio(
      state,
      [&] {
        return benchmarks::measured(score_ui_family(), evidence.get(), {whole}, "score_ui.loss");
      },
      [&] { return plain_loss(evidence); });
}
BENCHMARK(BM_ScoreUi)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace vestige::metrics
