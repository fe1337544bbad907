// Speed of logistic regression on softmax vectors, beside plain gradient descent.
#include <benchmark/benchmark.h>

#include <cmath>

#include "bench/support/ratio.h"
#include "tests/metrics/learn/logistic_oracle.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/learn/logistic.h"
#include "vestige/metrics/learn/logistic_near.h"

namespace vestige::metrics {
namespace {

struct Data {
  Matrix features;
  std::vector<int> labels;
};

/// Softmax vectors of two groups of rows, the second a little less confident.
Data softmax_rows(std::size_t rows, std::size_t classes) {
  Stream stream(1, "logistic_bench");
  Data data{Matrix(rows, classes), std::vector<int>(rows)};
  for (std::size_t i = 0; i < rows; ++i) {
    data.labels[i] = static_cast<int>(i % 2);
    double sum = 0;
    for (double& value : data.features.row(i)) {
      value = std::exp((data.labels[i] == 1 ? 3.0 : 2.5) * stream.normal());
      sum += value;
    }
    for (double& value : data.features.row(i)) value /= sum;
  }
  return data;
}

// 1,600 rows of 10 classes is one attack of MIAU on 1,000 forget rows; 1,000 classes take the
// matrix-free solver.
void newton(benchmark::State& state) {
  const Data data = softmax_rows(1600, static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(fit_logistic(data.features, data.labels));
}
BENCHMARK(newton)->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMicrosecond);

/// Rows [first, last) as they lie.
LabelledRows rows_of(const Data& data, std::size_t first, std::size_t last) {
  LabelledRows rows{data.features.cols(), {}, {}};
  for (std::size_t i = first; i < last; ++i) {
    rows.rows.push_back(data.features.row(i).data());
    rows.labels.push_back(data.labels[i]);
  }
  return rows;
}

// A draw that shares most rows with the one that the start was fitted to, as MIAU's seeds do; the
// "ratio" counter is Newton's time from nothing divided by its own, in the same process. Arguments:
// rows, classes.
void near_a_start(benchmark::State& state) {
  const auto rows = static_cast<std::size_t>(state.range(0));
  const Data data = softmax_rows(rows + rows / 4, static_cast<std::size_t>(state.range(1)));
  const LogisticStart start = logistic_start(rows_of(data, 0, rows));
  const LabelledRows draw = rows_of(data, rows / 4, rows + rows / 4);
  benchmarks::with_ratio(
      state, [&] { return fit_logistic_near(draw, start); },
      [&] { return fit_logistic(draw.gathered(), draw.labels); });
}
BENCHMARK(near_a_start)
    ->ArgNames({"rows", "classes"})
    ->Args({1600, 10})
    ->Args({16000, 100})
    ->Args({80000, 100})
    ->Unit(benchmark::kMillisecond);

// A hundred steps: thousands are needed to reach the digits that Newton's method ends with.
void gradient_descent_100_steps(benchmark::State& state) {
  const Data data = softmax_rows(1600, static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(oracle::gradient_descent(data.features, data.labels, 1, 100));
  }
}
BENCHMARK(gradient_descent_100_steps)->Arg(10)->Arg(100)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace vestige::metrics
