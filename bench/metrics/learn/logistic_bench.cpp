// Speed of logistic regression on softmax vectors, beside plain gradient descent.
#include <benchmark/benchmark.h>

#include <cmath>

#include "tests/metrics/learn/logistic_oracle.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/learn/logistic.h"

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
