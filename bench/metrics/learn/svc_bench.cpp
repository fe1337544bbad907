// Speed of the support vector machine beside LIBSVM, whose answer it gives.
#include <cmath>

#include "bench/support/ratio.h"
#include "tests/metrics/learn/libsvm_oracle.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/learn/smo.h"

namespace vestige::metrics {
namespace {

struct Confidences {
  Matrix rows;  ///< [n, 1]
  std::vector<int> labels;
};

/// Probabilities of the true class as models give them: most near 1, members a little more so.
Confidences confidences_of(std::size_t count) {
  Stream stream(1, "svc_bench");
  Confidences data{Matrix(count, 1), std::vector<int>(count)};
  for (std::size_t i = 0; i < count; ++i) {
    data.labels[i] = static_cast<int>(i % 2);
    data.rows(i, 0) = 1 / (1 + std::exp(-3 - 0.6 * data.labels[i] - 2 * stream.normal()));
  }
  return data;
}

// 4,000 rows are one attack of mia, 1,600 one fold of MIACR. The "ratio" counter is LIBSVM's time
// divided by its own, in the same process.
void svc_of_confidences(benchmark::State& state) {
  const Confidences data = confidences_of(static_cast<std::size_t>(state.range(0)));
  const SmoOptions options{.cost = 3};
  benchmarks::with_ratio(
      state, [&] { return solve_smo(data.rows, data.labels, options); },
      [&] { return testing::solve_by_libsvm(data.rows, data.labels, options); });
}
BENCHMARK(svc_of_confidences)->Arg(1600)->Arg(4000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace vestige::metrics
