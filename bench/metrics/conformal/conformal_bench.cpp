// APS at ImageNet size: 10,000 calibration and 10,000 prediction rows of 1,000 classes, calibrate
// and predict on one thread, against the plain sort of every row.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/conformal/conformal.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kRows = 10000, kClasses = 1000;
constexpr double kAlpha = 0.1;

struct Data {
  Matrix probabilities{kRows, kClasses};
  std::vector<std::int64_t> labels = std::vector<std::int64_t>(kRows);
};

/// Softmax of normal logits of standard deviation 2; the label's logit is raised by `lift`.
Data draw(double lift, std::uint64_t seed) {
  Data data;
  parallel_for(kRows, [&](std::size_t i) {
    Stream stream(seed, "conformal_bench", i);
    data.labels[i] = static_cast<std::int64_t>(stream.below(kClasses));
    const auto row = data.probabilities.row(i);
    for (double& value : row) value = 2 * stream.normal();
    row[static_cast<std::size_t>(data.labels[i])] += lift;
    double sum = 0;
    for (double& value : row) sum += value = std::exp(value);
    for (double& value : row) value /= sum;
  });
  return data;
}

/// Two data sets: a random label (rank near C/2) and a good classifier (rank near 1).
const Data& calibration(bool good) {
  static const Data random = draw(0, 1), learned = draw(9, 2);
  return good ? learned : random;
}
const Data& test(bool good) {
  static const Data random = draw(0, 3), learned = draw(9, 4);
  return good ? learned : random;
}

/// The plain version: an n x C buffer of scores in double, each row by a stable sort.
Matrix plain_scores(const Matrix& probabilities) {
  Matrix scores(probabilities.rows(), probabilities.cols());
  std::vector<std::size_t> order(probabilities.cols());
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto row = probabilities.row(i);
    std::stable_sort(order.begin(), order.end(),
                     [row](std::size_t a, std::size_t b) { return row[a] > row[b]; });
    double sum = 0;
    for (const std::size_t j : order) scores(i, j) = sum += row[j];
  }
  return scores;
}

std::size_t plain_total(bool good) {
  const Matrix scores = plain_scores(calibration(good).probabilities);
  std::vector<double> own(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    own[i] = scores(i, static_cast<std::size_t>(calibration(good).labels[i]));
  }
  const double q = conformal_quantile(own, kAlpha);
  const Matrix predicted = plain_scores(test(good).probabilities);
  std::size_t total = 0;
  for (const double score : predicted.values()) total += score <= q ? 1U : 0U;
  return total;
}

std::size_t fast_total(bool good) {
  const ScoreOptions options{.score = ConformalScore::aps};
  const double q = conformal_quantile(
      calibration_scores(calibration(good).probabilities, calibration(good).labels, options),
      kAlpha);
  const PredictionSets sets =
      prediction_sets(test(good).probabilities, q, QuantileRule::finite_sample, options);
  std::size_t total = 0;
  for (std::size_t i = 0; i < kRows; ++i) total += sets.size(i);
  return total;
}

void BM_ApsPlainSort(benchmark::State& state) {
  const bool good = state.range(0) != 0;
  calibration(good);
  test(good);
  Arena(1).run([&] {
    for (auto _ : state) benchmark::DoNotOptimize(plain_total(good));
  });
}
BENCHMARK(BM_ApsPlainSort)
    ->ArgName("good")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

/// Counter `times_faster_than_plain` is the ratio of this run; `set_size` guards against a wrong
/// answer.
void compare_aps(benchmark::State& state) {
  const bool good = state.range(0) != 0;
  calibration(good);
  test(good);
  const auto before = std::chrono::steady_clock::now();
  const std::size_t expected = plain_total(good);
  const std::chrono::duration<double> plain = std::chrono::steady_clock::now() - before;
  std::size_t total = 0, runs = 0;
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) {
    total = fast_total(good);
    ++runs;
  }
  const std::chrono::duration<double> fast = std::chrono::steady_clock::now() - start;
  if (total != expected) state.SkipWithError("the sets differ from the plain version's");
  state.counters["times_faster_than_plain"] =
      plain.count() / (fast.count() / static_cast<double>(runs));
  state.counters["set_size"] = static_cast<double>(total) / kRows;
}
void BM_Aps(benchmark::State& state) {
  Arena(1).run([&] { compare_aps(state); });
}
BENCHMARK(BM_Aps)->ArgName("good")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace vestige::metrics
