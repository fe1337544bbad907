// IAM on 50,000 rows and 100 levels: the moments form against every level of every shadow.
#include <benchmark/benchmark.h>

#include "tests/metrics/scores/iam_oracle.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/scores/iam.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kRows = 50000;

struct Problem {
  std::vector<double> target, in;
  Matrix shadows;
};

Problem make(std::size_t shadows) {
  Stream stream(1, "bench.iam");
  Problem problem{std::vector<double>(kRows), std::vector<double>(kRows), Matrix(shadows, kRows)};
  for (double& value : problem.shadows.values()) value = 6 * stream.uniform() - 2;
  for (double& value : problem.in) value = 3 + stream.uniform();
  for (double& value : problem.target) value = 6 * stream.uniform() - 2;
  return problem;
}

void BM_Iam_Moments(benchmark::State& state) {
  const Problem problem = make(static_cast<std::size_t>(state.range(0)));
  const ShadowMoments moments = shadow_moments(problem.shadows);
  for (auto _ : state) {
    benchmark::DoNotOptimize(iam_scores(problem.target, moments, problem.in));
  }
}
BENCHMARK(BM_Iam_Moments)->Arg(1)->Arg(128)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_Iam_MomentsOfShadows(benchmark::State& state) {
  const Problem problem = make(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(shadow_moments(problem.shadows));
}
BENCHMARK(BM_Iam_MomentsOfShadows)->Arg(1)->Arg(128)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_Iam_Plain(benchmark::State& state) {
  const Problem problem = make(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(plain_iam(problem.target, problem.shadows, problem.in));
  }
}
BENCHMARK(BM_Iam_Plain)
    ->Arg(1)
    ->Arg(128)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(1);

}  // namespace
}  // namespace vestige::metrics
