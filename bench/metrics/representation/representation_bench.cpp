// CKA and nearest neighbours on the activations of one model (1,000 fitted rows, 500 queries, 128
// columns), as ratios to their plain twins.
#include "bench/support/ratio.h"
#include "tests/metrics/representation/representation_oracle.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

Matrix layer(std::size_t rows, std::uint64_t index) {
  Stream stream(1, "bench.representation", index);
  Matrix activations(rows, 128);
  for (double& value : activations.values()) value = stream.normal();
  return activations;
}

std::vector<std::int64_t> classes(std::size_t rows) {
  std::vector<std::int64_t> labels(rows);
  for (std::size_t i = 0; i < rows; ++i) labels[i] = static_cast<std::int64_t>(i % 10);
  return labels;
}

void BM_Representation_Cka(benchmark::State& state) {
  const Matrix x = layer(500, 0), y = layer(500, 1);
  benchmarks::with_ratio(
      state, [&] { return linear_cka(x, y); }, [&] { return plain_cka(x, y); });
}
BENCHMARK(BM_Representation_Cka)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_Representation_Neighbours(benchmark::State& state) {
  const Matrix rows = layer(1000, 2), asked = layer(500, 3);
  const auto labels = classes(1000), asked_labels = classes(500);
  const LabelledActivations fitted{rows, labels}, queries{asked, asked_labels};
  benchmarks::with_ratio(
      state, [&] { return nearest_neighbours(fitted, queries); },
      [&] { return plain_neighbours(fitted, queries, 10); });
}
BENCHMARK(BM_Representation_Neighbours)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace vestige::metrics
