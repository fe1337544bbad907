// ZRF of 2,000 examples: logarithms of a whole example by vector instructions against the C
// library's, one entry after the other. Argument: classes.
#include <cmath>

#include "bench/support/ratio.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/zrf/zrf.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kRows = 2000;

Matrix probabilities(std::size_t classes, std::uint64_t index) {
  Stream stream(1, "bench.zrf", index);
  Matrix result(kRows, classes);
  for (std::size_t row = 0; row < kRows; ++row) {
    double sum = 0;
    for (double& value : result.row(row)) sum += value = std::exp(2 * stream.normal());
    for (double& value : result.row(row)) value /= sum;
  }
  return result;
}

/// Both forms added up.
double plain_zrf(const Matrix& p, const Matrix& q) {
  double divergence = 0, swapped = 0;
  for (std::size_t row = 0; row < p.rows(); ++row) {
    for (std::size_t k = 0; k < p.cols(); ++k) {
      const double a = p(row, k), b = q(row, k), m = (a + b) / 2;
      divergence += a * std::log(a / m) + b * std::log(b / m);
      swapped += m * std::log(m / a) + m * std::log(m / b);
    }
  }
  const auto rows = static_cast<double>(p.rows()), cols = static_cast<double>(p.cols());
  return 1 - divergence / (2 * rows) + 1 - swapped / (2 * rows * cols);
}

void BM_Zrf(benchmark::State& state) {
  const auto classes = static_cast<std::size_t>(state.range(0));
  const Matrix model = probabilities(classes, 0), teacher = probabilities(classes, 1);
  benchmarks::with_ratio(
      state,
      [&] {
        const Zrf seen = zrf(model, teacher);
        return seen.score + seen.reference;
      },
      [&] { return plain_zrf(model, teacher); });
}
BENCHMARK(BM_Zrf)->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace vestige::metrics
