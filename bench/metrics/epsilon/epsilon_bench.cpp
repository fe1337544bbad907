// Speed of eps: growth with N, the sizes of the competition, and the ratio to the all-pairs
// version.
#include <benchmark/benchmark.h>

#include "tests/metrics/epsilon/epsilon_oracle.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/epsilon/epsilon.h"
#include "vestige/metrics/epsilon/epsilon_reference.h"

namespace vestige::metrics {
namespace {

// 467 is the size of the competition's forget set.
constexpr std::size_t kForgetRows = 467;

std::vector<double> sample(std::size_t size, std::uint64_t index, double width, double shift) {
  Stream stream(1, "epsilon_bench", index);
  std::vector<double> values(size);
  for (double& value : values) value = width * stream.normal() + shift;
  return values;
}

Matrix pool(std::size_t models, std::uint64_t index, double width, double shift) {
  Matrix values(models, kForgetRows);
  for (std::size_t model = 0; model < models; ++model) {
    const auto row = sample(kForgetRows, index + model, width, shift);
    std::copy(row.begin(), row.end(), values.row(model).begin());
  }
  return values;
}

void exact_one_row(benchmark::State& state) {
  const auto models = static_cast<std::size_t>(state.range(0));
  const auto unlearned = sample(models, 1, 1, 0);
  const auto retrained = sample(models, 2, 1.3, 0.5);
  for (auto _ : state) benchmark::DoNotOptimize(epsilon(unlearned, retrained));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(exact_one_row)->RangeMultiplier(2)->Range(64, 8192)->Complexity(benchmark::oNLogN);

void all_pairs_one_row(benchmark::State& state) {
  const auto models = static_cast<std::size_t>(state.range(0));
  const auto unlearned = sample(models, 1, 1, 0);
  const auto retrained = sample(models, 2, 1.3, 0.5);
  for (auto _ : state) benchmark::DoNotOptimize(oracle::epsilon(unlearned, retrained));
}
BENCHMARK(all_pairs_one_row)->Arg(64)->Arg(256)->Unit(benchmark::kMicrosecond);

void exact_forget_set(benchmark::State& state) {
  const auto models = static_cast<std::size_t>(state.range(0));
  const Matrix unlearned = pool(models, 0, 1, 0);
  const Matrix retrained = pool(models, 100000, 1.3, 0.5);
  Arena(1).run([&] {
    for (auto _ : state) benchmark::DoNotOptimize(epsilons(unlearned, retrained));
  });
}
BENCHMARK(exact_forget_set)->Arg(512)->Arg(1024)->Unit(benchmark::kSecond);

void reference_forget_set(benchmark::State& state) {
  const auto models = static_cast<std::size_t>(state.range(0));
  const Matrix unlearned = pool(models, 0, 1, 0);
  const Matrix retrained = pool(models, 100000, 1.3, 0.5);
  Arena(1).run([&] {
    for (auto _ : state) benchmark::DoNotOptimize(reference_epsilons(unlearned, retrained));
  });
}
BENCHMARK(reference_forget_set)->Arg(512)->Arg(1024)->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace
}  // namespace vestige::metrics
