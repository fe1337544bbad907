// MMD and sliced Wasserstein beside SDE: the same sets, decided by the nearer reference set (the
// SDE paper's Section 4.2).
#include <algorithm>

#include "vestige/metrics/kernels/rbf_kernel.h"
#include "vestige/metrics/sde/activation_sets.h"
#include "vestige/metrics/sde/mmd.h"
#include "vestige/metrics/sde/sde_family.h"
#include "vestige/metrics/sde/wasserstein.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

std::vector<MetricInfo> mmd_metrics() {
  return {{"mmd.otr", Direction::higher, kUndefined, "MMD out-of-training rate",
           "share of forget sets nearer to test than to retain by MMD", true}};
}

std::vector<MetricInfo> wasserstein_metrics() {
  return {{"wasserstein.otr", Direction::higher, kUndefined, "Wasserstein out-of-training rate",
           "share of forget sets nearer to test than to retain by sliced Wasserstein distance",
           true}};
}

constexpr std::size_t kSlices = 200;
/// Rows of each split whose pairs give the median distance.
constexpr std::size_t kMedianRows = 600;

std::vector<RowSet> row_sets(const std::vector<HalvedSet>& halved) {
  std::vector<RowSet> sets;
  for (const HalvedSet& set : halved) {
    RowSet rows = set.first;
    rows.insert(rows.end(), set.second.begin(), set.second.end());
    sets.push_back(std::move(rows));
  }
  return sets;
}

/// Distances of each target to the in- and the out-reference of each pair.
std::vector<PairVerdicts> judge_by_distance(const Matrix& to_in, const Matrix& to_out) {
  std::vector<PairVerdicts> pairs(to_in.cols());
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    pairs[pair].passed = true;
    for (std::size_t target = 0; target < to_in.rows(); ++target) {
      const double in = to_in(target, pair);
      const double out = to_out(target, pair);
      pairs[pair].verdicts.push_back({in < out, in == out});
    }
  }
  return pairs;
}

/// Median distance over rows of all three splits together.
double pooled_median(const ActivationSets& sets, const Request& request) {
  std::vector<std::span<const double>> rows;
  std::uint64_t index = 0;
  for (const Matrix* matrix : {&sets.forget, &sets.retain, &sets.test}) {
    Stream stream(request.seed, "mmd.sigma", index++);
    const std::size_t count = std::min(kMedianRows, matrix->rows());
    for (const std::size_t row : stream.sample(matrix->rows(), count)) {
      rows.push_back(matrix->row(row));
    }
  }
  Matrix pooled(rows.size(), sets.forget.cols());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::copy(rows[row].begin(), rows[row].end(), pooled.row(row).begin());
  }
  return median_distance(pooled);
}

void finish(Row row, const ActivationSets& sets, const std::vector<PairVerdicts>& pairs,
            Measurements& out) {
  row.n = sets.targets.size();
  fill_rate(row, out_of_training_rate(pairs), "were compared");
  for (const std::string& note : sets.notes) {
    row.note += (row.note.empty() ? "" : "; ") + note;
  }
  out.rows.push_back(std::move(row));
}

void measure_mmd_layer(const Comparison& comparison, const Request& request, ActivationSets& sets,
                       Measurements& out) {
  const double sigma = pooled_median(sets, request);
  if (!(sigma > 0)) {
    sets.problem = sets.constant()
                       ? "inconclusive: activations are constant, so all distances are 0"
                       : "the median distance is 0, because at least half of the pairs of rows "
                         "coincide";
    add_problem(mmd_metrics(), sets, comparison, request, "median", out);
    return;
  }
  const auto targets = row_sets(sets.targets);
  const auto ins = row_sets(sets.ins), outs = row_sets(sets.outs);
  const ReferenceSets references[] = {{sets.retain, ins}, {sets.test, outs}};
  const std::vector<Matrix> to = mmd_squared_to(sets.forget, targets, references, sigma);
  Row row = set_row("mmd.otr", sets, comparison, request);
  row.facts["sigma"] = sigma;
  row.settings["rule"] = "median";
  finish(std::move(row), sets, judge_by_distance(to[0], to[1]), out);
}

void measure_wasserstein_layer(const Comparison& comparison, const Request& request,
                               ActivationSets& sets, Measurements& out) {
  const auto targets = row_sets(sets.targets);
  const auto ins = row_sets(sets.ins), outs = row_sets(sets.outs);
  const ReferenceSets references[] = {{sets.retain, ins}, {sets.test, outs}};
  const std::vector<Matrix> to = sliced_wasserstein_to(sets.forget, targets, references, kSlices);
  Row row = set_row("wasserstein.otr", sets, comparison, request);
  row.facts["slices"] = kSlices;
  finish(std::move(row), sets, judge_by_distance(to[0], to[1]), out);
}

using MeasureLayer = void (*)(const Comparison&, const Request&, ActivationSets&, Measurements&);

Measurements measure(const Comparison& comparison, const Request& request,
                     std::span<const MetricInfo> ids, std::string_view rule,
                     MeasureLayer measure_layer) {
  Measurements out;
  for (const std::string& layer : layers_to_measure(*comparison.evidence, request)) {
    ActivationSets sets = activation_sets(comparison, request, layer);
    if (sets.problem.empty()) {
      measure_layer(comparison, request, sets, out);
    } else {
      add_problem(ids, sets, comparison, request, rule, out);
    }
  }
  return out;
}

Measurements measure_mmd(const Comparison& comparison, const Request& request, Progress&) {
  return measure(comparison, request, mmd_metrics(), "median", measure_mmd_layer);
}

Measurements measure_wasserstein(const Comparison& comparison, const Request& request, Progress&) {
  return measure(comparison, request, wasserstein_metrics(), "", measure_wasserstein_layer);
}

}  // namespace

Family mmd_family() {
  return {.name = "mmd",
          .summary = "forget sets nearer to retain or to test by MMD",
          .metrics = mmd_metrics(),
          .ranges = {{"mmd.otr", kShare}},
          .support = activation_support,
          .prepare = each(measure_mmd),
          .checkpoints = true};
}

Family wasserstein_family() {
  return {.name = "wasserstein",
          .summary = "forget sets nearer to retain or to test by sliced Wasserstein distance",
          .metrics = wasserstein_metrics(),
          .ranges = {{"wasserstein.otr", kShare}},
          .support = activation_support,
          .prepare = each(measure_wasserstein),
          .checkpoints = true};
}

}  // namespace vestige::metrics
