// Runs the cases of SDE's building blocks.
#include "vestige/audit/conformance/sde.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include "vestige/metrics/kernels/hsic.h"
#include "vestige/metrics/kernels/rbf_kernel.h"
#include "vestige/metrics/sde/sde.h"
#include "vestige/metrics/stats/jsd.h"

namespace vestige::audit {
namespace {

ConformanceValues run_hsic(const ConformanceCase& test_case) {
  const Matrix activations = test_case.matrix("activations");
  std::vector<std::uint32_t> rows(activations.rows());
  std::iota(rows.begin(), rows.end(), 0U);
  const metrics::HalvedSet set = metrics::halve(rows);
  const double sigma = test_case.parameter("sigma", metrics::sqrt_dim(activations.cols()));
  const Matrix k = metrics::rbf_kernel(activations, sigma, set.first);
  const Matrix l = metrics::rbf_kernel(activations, sigma, set.second);
  metrics::Permutations permutations{set.first.size(), {}};
  for (const std::int64_t index : test_case.integers("perm")) {
    permutations.values.push_back(static_cast<std::uint32_t>(index));
  }
  return {{"hsic_unshuffled", {metrics::hsic(k, l)}},
          {"hsic_perm", metrics::hsic_shuffled(k, l, permutations)},
          {"median_pairwise_distance", {metrics::median_distance(activations)}}};
}

ConformanceValues run_jsd(const ConformanceCase& test_case) {
  const std::vector<double> x = test_case.numbers("x");
  const std::vector<double> y = test_case.numbers("y");
  const auto bins = static_cast<std::size_t>(test_case.parameter("bins", 20));
  const metrics::SampleHistograms histograms = metrics::pooled_histograms(x, y, bins);
  const double bits = metrics::jensen_shannon_samples(x, y, bins);
  return {{"hist_x", histograms.x},
          {"hist_y", histograms.y},
          {"edges", histograms.edges},
          {"jsd_bits", {bits}},
          {"jsd_nats", {bits * std::numbers::ln2}},
          {"js_distance_bits", {std::sqrt(bits)}}};
}

ConformanceValues run_jsd_vectors(const ConformanceCase& test_case) {
  const Matrix p = test_case.matrix("p");
  const Matrix q = test_case.matrix("q");
  ConformanceValues values;
  for (std::size_t row = 0; row < p.rows(); ++row) {
    const double bits = metrics::jensen_shannon(p.row(row), q.row(row));
    values["jsd_bits"].push_back(bits);
    values["jsd_nats"].push_back(bits * std::numbers::ln2);
    values["sfron_js_eps1e20"].push_back(metrics::jensen_shannon_smoothed(p.row(row), q.row(row)));
  }
  return values;
}

}  // namespace

std::vector<ConformanceRunner> sde_runners() {
  return {{"hsic_sde", run_hsic, {}}, {"jsd", run_jsd, {}}, {"jsd_vectors", run_jsd_vectors, {}}};
}

}  // namespace vestige::audit
