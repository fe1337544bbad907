// KLoM of 100 models a group, the paper's number, and 2,000 examples: bins by binary search and
// examples side by side against a search of all bins for each value. Argument: bins.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "bench/support/ratio.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/klom/klom.h"

namespace vestige::metrics {
namespace {

Matrix margins(std::uint64_t index, double shift) {
  Stream stream(1, "bench.klom", index);
  Matrix models(100, 2000);
  for (double& value : models.values()) value = stream.normal() + shift;
  return models;
}

/// Shares of column `row` in equal bins over [least, most]; the last bin holds its upper end.
std::vector<double> plain_shares(const Matrix& models, std::size_t row, double least, double most,
                                 std::size_t bins) {
  const auto edge = [&](std::size_t bin) {
    return bin == bins
               ? most
               : least + (most - least) * static_cast<double>(bin) / static_cast<double>(bins);
  };
  std::vector<double> shares(bins);
  for (std::size_t model = 0; model < models.rows(); ++model) {
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const double value = models(model, row);
      const bool last = bin + 1 == bins && value == most;
      if (value >= edge(bin) && (value < edge(bin + 1) || last)) {
        shares[bin] += 1 / static_cast<double>(models.rows());
      }
    }
  }
  return shares;
}

double plain_klom(const Matrix& ours, const Matrix& theirs, std::size_t bins) {
  double sum = 0;
  for (std::size_t row = 0; row < ours.cols(); ++row) {
    double least = ours(0, row), most = ours(0, row);
    for (const Matrix* side : {&ours, &theirs}) {
      for (std::size_t model = 0; model < side->rows(); ++model) {
        least = std::min(least, (*side)(model, row));
        most = std::max(most, (*side)(model, row));
      }
    }
    const std::vector<double> p = plain_shares(ours, row, least, most, bins);
    const std::vector<double> q = plain_shares(theirs, row, least, most, bins);
    for (std::size_t bin = 0; bin < bins; ++bin) {
      if (p[bin] > 0) sum += p[bin] * std::log(p[bin] / std::max(q[bin], 1e-5));
    }
  }
  return sum;
}

void BM_Klom(benchmark::State& state) {
  const auto bins = static_cast<std::size_t>(state.range(0));
  const Matrix unlearned = margins(0, 0.3), retrained = margins(1, 0);
  benchmarks::with_ratio(
      state,
      [&] {
        const std::vector<double> rows = klom(unlearned, retrained, {.bins = bins});
        return std::accumulate(rows.begin(), rows.end(), 0.0);
      },
      [&] { return plain_klom(unlearned, retrained, bins); });
}
BENCHMARK(BM_Klom)->Arg(20)->Arg(100)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace vestige::metrics
