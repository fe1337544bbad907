// MMD and sliced Wasserstein beside SDE: the same sets, decided by the nearer reference set (the
// SDE paper's Section 4.2).
#include <fmt/format.h>

#include <algorithm>
#include <functional>

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
           "share of forget sets nearer to test than to retain by MMD", true},
          {"mmd.f1.control", Direction::higher, 1, "F1 of MMD on retain and test sets",
           "F1 of telling retain sets from test sets by MMD"},
          {"mmd.f1.retrained", Direction::higher, 1, "F1 of MMD on a retrained model",
           "F1 of telling retain sets from forget sets on a retrained model by MMD"}};
}

std::vector<MetricInfo> wasserstein_metrics() {
  return {
      {"wasserstein.otr", Direction::higher, kUndefined, "Wasserstein out-of-training rate",
       "share of forget sets nearer to test than to retain by sliced Wasserstein distance", true},
      {"wasserstein.f1.control", Direction::higher, 1, "F1 of Wasserstein on retain and test sets",
       "F1 of telling retain sets from test sets by sliced Wasserstein distance"},
      {"wasserstein.f1.retrained", Direction::higher, 1, "F1 of Wasserstein on a retrained model",
       "F1 of telling retain sets from forget sets on a retrained model by sliced Wasserstein "
       "distance"}};
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

/// Distances of sets of rows to the sets of two references.
using Distances = std::function<std::vector<Matrix>(MatrixView, std::span<const RowSet>,
                                                    std::span<const ReferenceSets>)>;

/// OTR and both F1 of one distance; `described` fills in what the rows were made with.
void add_rows(std::string_view family, const ActivationSets& sets, const Comparison& comparison,
              const Request& request, const Distances& distances,
              const std::function<void(Row&)>& described, Measurements& out) {
  constexpr std::string_view kCompared = "were compared";
  const auto row_of = [&](std::string_view what) {
    Row row = set_row(fmt::format("{}.{}", family, what), sets, comparison, request);
    described(row);
    return row;
  };
  const auto judged = [&](MatrixView values, const std::vector<HalvedSet>& halved,
                          const std::vector<HalvedSet>& ins, const std::vector<HalvedSet>& outs) {
    const auto targets = row_sets(halved), in_sets = row_sets(ins), out_sets = row_sets(outs);
    const ReferenceSets references[] = {{sets.retain, in_sets}, {sets.test, out_sets}};
    const std::vector<Matrix> to = distances(values, targets, references);
    return judge_by_distance(to[0], to[1]);
  };
  Row rate = row_of("otr");
  rate.n = sets.targets.size();
  fill_rate(rate, out_of_training_rate(judged(sets.forget, sets.targets, sets.ins, sets.outs)),
            kCompared);
  for (const std::string& note : sets.notes) {
    rate.note += (rate.note.empty() ? "" : "; ") + note;
  }
  out.rows.push_back(std::move(rate));
  const ControlSets control = control_sets(sets, request);
  if (control.size == 0) return;
  const auto members = judged(sets.retain, control.retain_targets, control.ins, control.outs);
  const auto add_f1 = [&](std::string_view what, MatrixView values,
                          const std::vector<HalvedSet>& halved) {
    std::vector<PairVerdicts> pairs = members;
    const auto others = judged(values, halved, control.ins, control.outs);
    for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
      pairs[pair].verdicts.insert(pairs[pair].verdicts.end(), others[pair].verdicts.begin(),
                                  others[pair].verdicts.end());
    }
    Row row = row_of(what);
    row.n = control.retain_targets.size() + halved.size();
    row.facts["size"] = control.size;
    fill_f1(row, pairs, control.retain_targets.size(), kCompared, request);
    out.rows.push_back(std::move(row));
  };
  add_f1("f1.control", sets.test, control.test_targets);
  if (never_saw_forget(*comparison.candidate.front())) {
    add_f1("f1.retrained", sets.forget, control.forget_targets);
  }
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
  add_rows(
      "mmd", sets, comparison, request,
      [sigma](MatrixView values, std::span<const RowSet> of,
              std::span<const ReferenceSets> references) {
        return mmd_squared_to(values, of, references, sigma);
      },
      [sigma](Row& row) {
        row.facts["sigma"] = sigma;
        row.settings["rule"] = "median";
      },
      out);
}

void measure_wasserstein_layer(const Comparison& comparison, const Request& request,
                               ActivationSets& sets, Measurements& out) {
  add_rows(
      "wasserstein", sets, comparison, request,
      [](MatrixView values, std::span<const RowSet> of, std::span<const ReferenceSets> references) {
        return sliced_wasserstein_to(values, of, references, kSlices);
      },
      [](Row& row) { row.facts["slices"] = kSlices; }, out);
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
          .ranges = {{"mmd", kShare}},
          .support = activation_support,
          .prepare = each(measure_mmd),
          .checkpoints = true};
}

Family wasserstein_family() {
  return {.name = "wasserstein",
          .summary = "forget sets nearer to retain or to test by sliced Wasserstein distance",
          .metrics = wasserstein_metrics(),
          .ranges = {{"wasserstein", kShare}},
          .support = activation_support,
          .prepare = each(measure_wasserstein),
          .checkpoints = true};
}

}  // namespace vestige::metrics
