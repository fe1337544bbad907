// MMD and sliced Wasserstein beside SDE: the same sets, decided by the nearer reference set (the
// SDE paper's Section 4.2).
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "vestige/metrics/kernels/rbf_kernel.h"
#include "vestige/metrics/sde/activation_layers.h"
#include "vestige/metrics/sde/activation_sets.h"
#include "vestige/metrics/sde/mmd.h"
#include "vestige/metrics/sde/sde_family.h"
#include "vestige/metrics/sde/set_options.h"
#include "vestige/metrics/sde/set_rows.h"
#include "vestige/metrics/sde/wasserstein.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

std::vector<MetricInfo> mmd_metrics() {
  return {{"mmd.otr", Direction::higher, kUndefined, "MMD out-of-training rate",
           "share of sets of forget examples nearer to test than to retain by MMD", true},
          {"mmd.f1.control", Direction::higher, 1, "F1 of MMD on retain and test sets",
           "F1 of telling retain sets from test sets by MMD"},
          {"mmd.f1.retrained", Direction::higher, 1, "F1 of MMD on a retrained model",
           "F1 of telling retain sets from forget sets on a retrained model by MMD"}};
}

std::vector<MetricInfo> wasserstein_metrics() {
  return {
      {"wasserstein.otr", Direction::higher, kUndefined, "Wasserstein out-of-training rate",
       "share of sets of forget examples nearer to test than to retain by sliced Wasserstein "
       "distance",
       true},
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

/// Distances between groups of sets, one matrix per pair.
using Distances =
    std::function<std::vector<Matrix>(std::span<const SampleSets>, std::span<const GroupPair>)>;

/// Every group of a layer, and each group of targets with its in- and its out-references: all at
/// once, so that a distance does only once what depends on a sample alone.
class JudgedSets {
 public:
  /// The groups of targets, in the order in which they were added, after measuring.
  std::vector<std::vector<PairVerdicts>> judged(const Distances& distances) const {
    std::vector<SampleSets> groups;
    for (const Group& group : groups_) groups.push_back({*group.values, group.sets});
    const std::vector<Matrix> found = distances(groups, pairs_);
    std::vector<std::vector<PairVerdicts>> verdicts;
    for (std::size_t pair = 0; pair < found.size(); pair += 2) {
      verdicts.push_back(judge_by_distance(found[pair], found[pair + 1]));
    }
    return verdicts;
  }

  /// The place of the new group.
  std::size_t add(const Matrix& values, const std::vector<HalvedSet>& sets) {
    groups_.push_back({&values, row_sets(sets)});
    return groups_.size() - 1;
  }

  void compare(std::size_t targets, std::size_t ins, std::size_t outs) {
    pairs_.push_back({targets, ins});
    pairs_.push_back({targets, outs});
  }

 private:
  struct Group {
    const Matrix* values;
    std::vector<RowSet> sets;
  };
  std::vector<Group> groups_;
  std::vector<GroupPair> pairs_;
};

/// OTR and both F1 of one distance; `described` fills in what the rows were made with.
void add_rows(std::string_view family, const ActivationSets& sets, const Comparison& comparison,
              const Request& request, const Distances& distances,
              const std::function<void(Row&)>& described, Measurements& out) {
  const ControlSets control = control_sets(sets, request);
  const bool unseen = never_saw_forget(*comparison.candidate.front());
  JudgedSets groups;
  const std::size_t targets = groups.add(sets.forget, sets.targets);
  const std::size_t retained = groups.add(sets.retain, sets.ins);
  groups.compare(targets, retained, groups.add(sets.test, sets.outs));
  if (control.size > 0) {
    const std::size_t ins = groups.add(sets.retain, control.ins);
    const std::size_t outs = groups.add(sets.test, control.outs);
    groups.compare(groups.add(sets.retain, control.retain_targets), ins, outs);
    groups.compare(groups.add(sets.test, control.test_targets), ins, outs);
    if (unseen) groups.compare(groups.add(sets.forget, control.forget_targets), ins, outs);
  }
  const std::vector<std::vector<PairVerdicts>> judged = groups.judged(distances);
  const auto row_of = [&](std::string_view what) {
    Row row = set_row(fmt::format("{}.{}", family, what), sets, comparison, request);
    described(row);
    return row;
  };
  Row rate = row_of("otr");
  rate.n = sets.targets.size();
  fill_rate(rate, out_of_training_rate(judged[0]), Code::none);
  rate.notes.insert(rate.notes.end(), sets.notes.begin(), sets.notes.end());
  out.rows.push_back(std::move(rate));
  if (control.size == 0) return;
  const auto add_f1 = [&](std::string_view what, const std::vector<PairVerdicts>& others) {
    std::vector<PairVerdicts> pairs = judged[1];
    for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
      pairs[pair].verdicts.insert(pairs[pair].verdicts.end(), others[pair].verdicts.begin(),
                                  others[pair].verdicts.end());
    }
    Row row = row_of(what);
    row.n = pairs.front().verdicts.size();
    row.facts["size"] = control.size;
    fill_f1(row, pairs, control.retain_targets.size(), Code::none, request);
    if (!control.smaller.empty()) row.notes.push_back(control.smaller);
    out.rows.push_back(std::move(row));
  };
  add_f1("f1.control", judged[2]);
  if (unseen) add_f1("f1.retrained", judged[3]);
}

void measure_mmd_layer(const Comparison& comparison, const Request& request, ActivationSets& sets,
                       Measurements& out) {
  const double sigma = pooled_median(sets, request);
  if (!(sigma > 0)) {
    sets.problem = sets.constant() ? Code::activations_are_constant : Code::median_distance_is_zero;
    add_problem(mmd_metrics(), sets, comparison, request, "median", out);
    return;
  }
  add_rows(
      "mmd", sets, comparison, request,
      [sigma](std::span<const SampleSets> groups, std::span<const GroupPair> pairs) {
        return mmd_squared_of(groups, pairs, sigma);
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
      [](std::span<const SampleSets> groups, std::span<const GroupPair> pairs) {
        return sliced_wasserstein_of(groups, pairs, kSlices);
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
          .summary = "whether sets of forget examples are nearer to retain or to test by MMD",
          .metrics = mmd_metrics(),
          .ranges = {{"mmd", kShare}},
          .support = activation_support,
          .prepare = each(measure_mmd),
          .checkpoints = true};
}

Family wasserstein_family() {
  return {.name = "wasserstein",
          .summary =
              "whether sets of forget examples are nearer to retain or to test by sliced "
              "Wasserstein distance",
          .metrics = wasserstein_metrics(),
          .ranges = {{"wasserstein", kShare}},
          .support = activation_support,
          .prepare = each(measure_wasserstein),
          .checkpoints = true};
}

}  // namespace vestige::metrics
