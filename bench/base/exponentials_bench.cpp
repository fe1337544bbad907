// Rows of 1,000 classes: what a softmax is made of in vector instructions, against the same with
// the C library's exponentials in the same run. The counter `rows` is rows per second.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "vestige/base/exponentials.h"
#include "vestige/base/seed.h"

namespace {

using vestige::Instructions;

std::vector<double> row_of(const benchmark::State& state) {
  vestige::Stream stream(1, "bench/exponentials");
  std::vector<double> row(static_cast<std::size_t>(state.range(0)));
  for (double& value : row) value = 3 * stream.normal();
  return row;
}

void count_rows(benchmark::State& state) {
  state.counters["rows"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

double plain_log_sum(const std::vector<double>& row) {
  const double most = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (const double value : row) sum += std::exp(value - most);
  return most + std::log(sum);
}

void log_sum_plain(benchmark::State& state) {
  const std::vector<double> row = row_of(state);
  for (auto _ : state) benchmark::DoNotOptimize(plain_log_sum(row));
  count_rows(state);
}

void log_sum(benchmark::State& state, Instructions instructions) {
  const std::vector<double> row = row_of(state);
  for (auto _ : state) benchmark::DoNotOptimize(vestige::log_sum_exp(row, instructions));
  count_rows(state);
}

/// By probabilities and their logarithms, as it was done before.
void entropy_plain(benchmark::State& state) {
  const std::vector<double> row = row_of(state);
  for (auto _ : state) {
    const double log_sum = plain_log_sum(row);
    double entropy = 0;
    for (const double value : row) {
      const double p = std::exp(value - log_sum);
      if (p > 0) entropy -= p * std::log(p);
    }
    benchmark::DoNotOptimize(entropy);
  }
  count_rows(state);
}

void entropy(benchmark::State& state, Instructions instructions) {
  const std::vector<double> row = row_of(state);
  for (auto _ : state) benchmark::DoNotOptimize(vestige::softmax_entropy(row, instructions));
  count_rows(state);
}

void logarithms_plain(benchmark::State& state) {
  std::vector<double> row = row_of(state), out(row.size());
  vestige::exponentials(row, row);
  for (auto _ : state) {
    std::transform(row.begin(), row.end(), out.begin(), [](double x) { return std::log(x); });
    benchmark::DoNotOptimize(out.data());
  }
  count_rows(state);
}

void logarithms(benchmark::State& state, Instructions instructions) {
  std::vector<double> row = row_of(state), out(row.size());
  vestige::exponentials(row, row);
  for (auto _ : state) {
    vestige::logarithms(row, out, instructions);
    benchmark::DoNotOptimize(out.data());
  }
  count_rows(state);
}

void sizes(benchmark::internal::Benchmark* bench) { bench->Arg(10)->Arg(100)->Arg(1000); }

BENCHMARK(log_sum_plain)->Apply(sizes);
BENCHMARK_CAPTURE(log_sum, best, Instructions::best)->Apply(sizes);
BENCHMARK_CAPTURE(log_sum, avx2, Instructions::avx2)->Apply(sizes);
BENCHMARK_CAPTURE(log_sum, baseline, Instructions::baseline)->Apply(sizes);
BENCHMARK(entropy_plain)->Apply(sizes);
BENCHMARK_CAPTURE(entropy, best, Instructions::best)->Apply(sizes);
BENCHMARK_CAPTURE(entropy, avx2, Instructions::avx2)->Apply(sizes);
BENCHMARK_CAPTURE(entropy, baseline, Instructions::baseline)->Apply(sizes);
BENCHMARK(logarithms_plain)->Apply(sizes);
BENCHMARK_CAPTURE(logarithms, best, Instructions::best)->Apply(sizes);
BENCHMARK_CAPTURE(logarithms, avx2, Instructions::avx2)->Apply(sizes);
BENCHMARK_CAPTURE(logarithms, baseline, Instructions::baseline)->Apply(sizes);

}  // namespace
