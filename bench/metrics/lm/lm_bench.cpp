// Language models: IAM on 2,000 sequences and 1,000 levels by moments and vector instructions
// against every level of every shadow model, and ROUGE-L of 500 answers of 60 words against a whole
// table per answer.
#include <cmath>
#include <numeric>

#include "bench/support/ratio.h"
#include "tests/metrics/scores/iam_oracle.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/lm/lm_attacks.h"
#include "vestige/metrics/lm/rouge.h"

namespace vestige::metrics {
namespace {

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

void BM_LmIam(benchmark::State& state) {
  Stream stream(1, "bench.lm_iam");
  Matrix shadows(2, 2000);
  std::vector<double> in(2000), target(2000);
  for (double& value : shadows.values()) value = 1 + 0.3 * stream.normal();
  for (double& value : in) value = 0.3 + 0.2 * stream.normal();
  for (double& value : target) value = 0.6 + 0.4 * stream.normal();
  const LmIamOptions options{.direction = LmDirection::paper};
  benchmarks::with_ratio(
      state, [&] { return sum_of(lm_iam(target, shadow_moments(shadows), in, options)); },
      [&] {
        const auto scores = plain_iam(target, shadows, in, {.levels = options.levels});
        return static_cast<double>(scores.size()) - sum_of(scores);  // the second flip
      });
}
BENCHMARK(BM_LmIam)->Unit(benchmark::kMillisecond)->UseRealTime();

std::vector<std::string> answers(std::uint64_t index) {
  Stream stream(1, "bench.rouge", index);
  std::vector<std::string> lines(500);
  for (std::string& line : lines) {
    for (int word = 0; word < 60; ++word) line += "word" + std::to_string(stream.below(40)) + ' ';
  }
  return lines;
}

/// Recall by the table of longest common subsequences of all beginnings.
double plain_recall(const std::vector<std::string>& left, const std::vector<std::string>& right) {
  Matrix common(left.size() + 1, right.size() + 1);
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (std::size_t j = 0; j < right.size(); ++j) {
      common(i + 1, j + 1) =
          left[i] == right[j] ? common(i, j) + 1 : std::max(common(i, j + 1), common(i + 1, j));
    }
  }
  return common(left.size(), right.size()) / static_cast<double>(left.size());
}

void BM_LmRouge(benchmark::State& state) {
  const std::vector<std::string> references = answers(0), generated = answers(1);
  benchmarks::with_ratio(
      state,
      [&] {
        double sum = 0;
        for (const RougeL& one : rouge_l_of_lines(references, generated, true)) sum += one.recall;
        return sum;
      },
      [&] {
        double sum = 0;
        for (std::size_t i = 0; i < references.size(); ++i) {
          sum += plain_recall(rouge_words(references[i], true), rouge_words(generated[i], true));
        }
        return sum;
      });
}
BENCHMARK(BM_LmRouge)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace vestige::metrics
