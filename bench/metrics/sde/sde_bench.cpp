// SDE at the paper's sizes: 100 sets, 200 shuffles. Compare with SdeOracle, which runs the plain
// permuted kernel (kernels once, double sums, no blocking) on one set; the "ratio" counter of each
// SDE run is oracle time for 100 sets divided by its own, measured in the same process.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "vestige/base/parallel.h"
#include "vestige/metrics/kernels/rbf_kernel.h"
#include "vestige/metrics/sde/sde.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kSets = 100;
constexpr std::size_t kShuffles = 200;

Matrix activations(std::size_t rows, std::size_t cols) {
  Matrix matrix(rows, cols);
  parallel_for(rows, [&](std::size_t row) {
    Stream stream(1, "bench.sde", row);
    // Ten clusters, as penultimate layers have.
    for (std::size_t col = 0; col < cols; ++col) {
      matrix(row, col) = stream.uniform() + (col % 10 == row % 10 ? 1.5 : 0);
    }
  });
  return matrix;
}

std::vector<HalvedSet> sets_of(std::size_t rows, std::size_t size) {
  std::vector<std::uint32_t> pool(rows);
  std::iota(pool.begin(), pool.end(), 0U);
  std::vector<HalvedSet> sets;
  for (std::size_t index = 0; index < kSets; ++index) {
    Stream stream(2, "bench.sde.set", index);
    sets.push_back(draw_set(pool, size, stream));
  }
  return sets;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Plain kernel matrix of the rows of one half.
Matrix plain_kernel(const Matrix& values, std::span<const std::uint32_t> rows, double sigma) {
  Matrix kernel(rows.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      double squared = 0;
      for (std::size_t col = 0; col < values.cols(); ++col) {
        const double difference = values(rows[i], col) - values(rows[j], col);
        squared += difference * difference;
      }
      kernel(i, j) = std::exp(-squared / (2 * sigma * sigma));
    }
  }
  return kernel;
}

/// Seconds that the plain twin needs for one set, measured once per size with 20 of the 200
/// shuffles.
double oracle_seconds(const Matrix& values, const HalvedSet& set) {
  static std::map<std::tuple<std::size_t, std::size_t>, double> known;
  double& seconds = known[{set.size(), values.cols()}];
  if (seconds > 0) return seconds;
  const double sigma = sqrt_dim(values.cols());
  auto start = std::chrono::steady_clock::now();
  const Matrix k = plain_kernel(values, set.first, sigma);
  const Matrix l = plain_kernel(values, set.second, sigma);
  const double kernels = seconds_since(start);
  Stream stream(3, "bench.sde.shuffle");
  const Permutations permutations = random_permutations(k.rows(), kShuffles / 10, stream);
  start = std::chrono::steady_clock::now();
  benchmark::DoNotOptimize(permuted_traces_plain(k, l, permutations));
  seconds = kernels + 10 * seconds_since(start);
  return seconds;
}

/// Arguments: rows of a set, columns, rows of the split, shuffles (0: closed form only).
void sde(benchmark::State& state) {
  const Matrix values = activations(static_cast<std::size_t>(state.range(2)),
                                    static_cast<std::size_t>(state.range(1)));
  const auto sets = sets_of(values.rows(), static_cast<std::size_t>(state.range(0)));
  const auto shuffles = static_cast<std::size_t>(state.range(3));
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) {
    benchmark::DoNotOptimize(split_half_dependence(values, sets, {.shuffles = shuffles}));
  }
  const double own = seconds_since(start) / static_cast<double>(state.iterations());
  if (shuffles > 0) {
    state.counters["ratio"] = oracle_seconds(values, sets.front()) * kSets / own;
  }
}
/// Eight models that are asked about the same rows; "alone": times of one after the other.
/// Arguments: rows of a set, columns, rows of the split.
void sde_of_eight_models(benchmark::State& state) {
  const Matrix values = activations(static_cast<std::size_t>(state.range(2)),
                                    static_cast<std::size_t>(state.range(1)));
  const auto sets = sets_of(values.rows(), static_cast<std::size_t>(state.range(0)));
  const std::vector<ModelRows> models(8, ModelRows{values});
  const SetGroup group{sets, "bench.sde"};
  const DependenceOptions options{.shuffles = kShuffles};
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) {
    benchmark::DoNotOptimize(split_half_dependence(models, {&group, 1}, options));
  }
  const double together = seconds_since(start);
  const auto next = std::chrono::steady_clock::now();
  const auto passes = static_cast<std::size_t>(state.iterations()) * models.size();
  for (std::size_t pass = 0; pass < passes; ++pass) {
    benchmark::DoNotOptimize(split_half_dependence(values, {&group, 1}, options));
  }
  state.counters["alone"] = seconds_since(next) / together;
}
BENCHMARK(sde_of_eight_models)
    ->ArgNames({"set", "cols", "split"})
    ->Args({400, 128, 1000})
    ->Args({400, 128, 2000})
    ->Unit(benchmark::kSecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

BENCHMARK(sde)
    ->ArgNames({"set", "cols", "split", "shuffles"})
    ->Args({1000, 512, 5000, 200})
    ->Args({2000, 512, 5000, 200})
    ->Args({2000, 8192, 5000, 200})
    ->Args({1000, 16384, 5000, 200})
    ->Args({1000, 512, 5000, 0})
    ->Args({2000, 512, 5000, 0})
    ->Unit(benchmark::kSecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

/// The part that all sets share: one kernel matrix of the split. Arguments: columns, rows.
void whole_kernel(benchmark::State& state) {
  const Matrix values = activations(static_cast<std::size_t>(state.range(1)),
                                    static_cast<std::size_t>(state.range(0)));
  std::vector<double> kernel(values.rows() * values.rows());
  for (auto _ : state) {
    rbf_kernel_into(values, sqrt_dim(values.cols()), {}, kernel);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(whole_kernel)
    ->ArgNames({"cols", "split"})
    ->Args({512, 5000})
    ->Args({8192, 5000})
    ->Unit(benchmark::kSecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

}  // namespace
}  // namespace vestige::metrics
