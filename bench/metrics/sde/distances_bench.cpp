// MMD and sliced Wasserstein over 100 x 20 pairs of sets, as ratios to their plain twins.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>

#include "vestige/base/seed.h"
#include "vestige/metrics/sde/mmd.h"
#include "vestige/metrics/sde/wasserstein.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kTargets = 100;
constexpr std::size_t kReferences = 20;
constexpr std::size_t kSize = 400;

Matrix rows_of(std::size_t rows, std::size_t cols) {
  Stream stream(1, "bench.distances");
  Matrix matrix(rows, cols);
  for (double& value : matrix.values()) value = stream.normal();
  return matrix;
}

std::vector<RowSet> sets_of(std::size_t rows, std::size_t count) {
  std::vector<RowSet> sets;
  for (std::size_t index = 0; index < count; ++index) {
    Stream stream(2, "bench.distances.set", index);
    RowSet set;
    for (const std::size_t row : stream.sample(rows, kSize)) {
      set.push_back(static_cast<std::uint32_t>(row));
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

using Between = Matrix (*)(const Matrix&, const std::vector<RowSet>&, const std::vector<RowSet>&);
using Plain = double (*)(MatrixView, MatrixView);

void run(benchmark::State& state, Between between, Plain plain) {
  const Matrix values = rows_of(2000, 128);
  const auto targets = sets_of(2000, kTargets);
  const auto references = sets_of(2000, kReferences);
  const auto clock = [] { return std::chrono::steady_clock::now(); };
  auto start = clock();
  for (auto _ : state) benchmark::DoNotOptimize(between(values, targets, references));
  const double own = std::chrono::duration<double>(clock() - start).count() /
                     static_cast<double>(state.iterations());
  const Matrix pair = rows_of(2 * kSize, 128);
  const MatrixView x{pair.values().data(), kSize, 128};
  const MatrixView y{pair.values().data() + kSize * 128, kSize, 128};
  start = clock();
  benchmark::DoNotOptimize(plain(x, y));
  const double one = std::chrono::duration<double>(clock() - start).count();
  state.counters["ratio"] = one * kTargets * kReferences / own;
}

void mmd(benchmark::State& state) {
  run(
      state,
      [](const Matrix& values, const std::vector<RowSet>& a, const std::vector<RowSet>& b) {
        return mmd_squared_between(values, a, values, b, 16);
      },
      [](MatrixView x, MatrixView y) { return mmd_squared(x, y, 16); });
}
BENCHMARK(mmd)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

void wasserstein(benchmark::State& state) {
  run(
      state,
      [](const Matrix& values, const std::vector<RowSet>& a, const std::vector<RowSet>& b) {
        return sliced_wasserstein_between(values, a, values, b);
      },
      [](MatrixView x, MatrixView y) { return sliced_wasserstein(x, y); });
}
BENCHMARK(wasserstein)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

}  // namespace
}  // namespace vestige::metrics
