// SDE of one model, layer by layer: OTR with its spread over reference pairs, the closed-form twin,
// and the F1 controls that say whether the verdicts can be trusted.
#include "vestige/metrics/sde/sde_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "vestige/metrics/kernels/rbf_kernel.h"
#include "vestige/metrics/sde/activation_layers.h"
#include "vestige/metrics/sde/activation_sets.h"
#include "vestige/metrics/sde/permutation_store.h"
#include "vestige/metrics/sde/sde_extras.h"
#include "vestige/metrics/sde/set_options.h"
#include "vestige/metrics/sde/set_rows.h"
#include "vestige/metrics/series.h"
#include "vestige/metrics/stats/rank_tests.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr std::string_view kUTest =
    "show more dependence in retain than in test (U-test, p < 0.01)";
constexpr std::string_view kMeans = "have a higher exact mean in retain than in test";

/// Everything measured on one layer that several rows draw on.
struct Layer {
  PermutationStore* store = nullptr;  ///< shared by all models
  ActivationSets sets;
  double sigma = 0;
  std::string rule;
  bool constant = false;
  std::vector<Dependence> targets;
  std::vector<Dependence> ins;
  std::vector<Dependence> outs;
  /// Of the F1 control; measured with the others, so that each split has one kernel matrix.
  ControlSets control;
  std::vector<Dependence> control_ins;
  std::vector<Dependence> control_outs;
  std::vector<Dependence> members;
  std::vector<Dependence> others;
};

double bandwidth(const SigmaRule& rule, const ActivationSets& sets) {
  if (rule.rule == "number") return rule.number;
  if (rule.rule == "sqrt_dim") return sqrt_dim(sets.forget.cols());
  // One bandwidth for all sets of a model, or their H would not be comparable.
  return median_of_one_set(sets);
}

std::vector<Dependence> measure_sets(MatrixView rows, std::span<const HalvedSet> sets,
                                     const Layer& layer, const Request& request,
                                     std::string_view purpose) {
  return split_half_dependence(rows, sets,
                               {.sigma = layer.sigma,
                                .shuffles = set_options(request).shuffles,
                                .seed = request.seed,
                                .purpose = purpose,
                                .store = layer.store});
}

Row sde_row(std::string_view id, const Layer& layer, const Comparison& comparison,
            const Request& request) {
  Row row = set_row(id, layer.sets, comparison, request);
  row.n = layer.sets.targets.size();
  row.facts["sigma"] = layer.sigma;
  row.settings["rule"] = layer.rule;
  row.facts["shuffles"] = set_options(request).shuffles;
  return row;
}

void append_note(Row& row, const std::string& text) {
  row.note += (row.note.empty() ? "" : "; ") + text;
}

double kernel_mean(const Layer& layer) {
  std::vector<double> means;
  for (const Dependence& set : layer.targets) means.push_back(set.kernel_mean);
  return mean(means);
}

/// A rate with its note on constant activations, degenerate kernels and rows that were left out.
void finish_rate(Row& row, const Layer& layer) {
  if (layer.constant) {
    row.note = "inconclusive: activations are constant, so H = 0 for every set";
    return;
  }
  for (const std::string& note : layer.sets.notes) append_note(row, note);
  const double similar = kernel_mean(layer);
  row.facts["kernel_mean"] = similar;
  if (!degenerate_kernel(similar)) return;
  if (row.status == Status::ok) row.status = Status::unreliable;
  append_note(
      row, fmt::format("sigma = {:.4g} makes {}: the mean kernel value is {:.3g}; give "
                       "--sde-sigma median or a number (the paper takes 128 for 10-class "
                       "logits)",
                       layer.sigma, similar > 0.5 ? "all pairs of rows alike" : "no two rows alike",
                       similar));
}

/// With one reference pair there is no spread: the interval of a share over subsets instead.
void single_pair_interval(Row& row, const std::vector<PairVerdicts>& pairs) {
  if (pairs.size() != 1 || std::isnan(row.value)) return;
  const auto& verdicts = pairs.front().verdicts;
  const auto out = static_cast<std::size_t>(
      std::count_if(verdicts.begin(), verdicts.end(),
                    [](const Verdict& verdict) { return !verdict.in_training; }));
  const Estimate estimate = clopper_pearson(out, verdicts.size());
  row.lower = estimate.lower;
  row.upper = estimate.upper;
  row.interval = "Clopper-Pearson 95 % over sets";
}

/// Share of verdicts on which two rules agree, over pairs that pass both.
double agreement(const std::vector<PairVerdicts>& left, const std::vector<PairVerdicts>& right) {
  double same = 0;
  double total = 0;
  for (std::size_t pair = 0; pair < left.size(); ++pair) {
    if (!left[pair].passed || !right[pair].passed) continue;
    for (std::size_t i = 0; i < left[pair].verdicts.size(); ++i) {
      total += 1;
      if (left[pair].verdicts[i].in_training == right[pair].verdicts[i].in_training) same += 1;
    }
  }
  return total > 0 ? same / total : kUndefined;
}

void add_rates(const Layer& layer, const Comparison& comparison, const Request& request,
               Measurements& out) {
  const auto by_jsd = judge_by_jsd(layer.targets, layer.ins, layer.outs);
  const auto by_mean = judge_by_mean(layer.targets, layer.ins, layer.outs);
  const OverPairs rate = out_of_training_rate(by_jsd);
  Row row = sde_row("sde.otr", layer, comparison, request);
  fill_rate(row, rate, kUTest);
  single_pair_interval(row, by_jsd);
  finish_rate(row, layer);
  out.rows.push_back(std::move(row));

  Row twin = sde_row("sde.closed_form.otr", layer, comparison, request);
  fill_rate(twin, out_of_training_rate(by_mean), kMeans);
  single_pair_interval(twin, by_mean);
  twin.facts["agreement"] = json_number(agreement(by_jsd, by_mean));
  finish_rate(twin, layer);
  out.rows.push_back(std::move(twin));

  Row passed = sde_row("sde.reference_passed", layer, comparison, request);
  passed.value = static_cast<double>(rate.passed);
  passed.n = rate.per_pair.size();
  out.rows.push_back(std::move(passed));

  // The first pair is the paper's form (Figure 1); the others say how far it can be trusted.
  std::vector<double> p;
  for (std::size_t pair = 0; pair < layer.ins.size(); ++pair) {
    p.push_back(
        mann_whitney(layer.ins[pair].values, layer.outs[pair].values, Alternative::greater).p);
  }
  Row first = sde_row("sde.reference_p", layer, comparison, request);
  first.value = p.front();
  first.n = layer.ins.front().values.size() + layer.outs.front().values.size();
  first.facts["of_all_pairs"] = p;
  if (std::isnan(first.value)) {
    first.status = Status::undefined;
    first.note = "H is the same for every shuffle of both sets";
  }
  out.rows.push_back(std::move(first));
}

double average_of(const std::vector<Dependence>& sets) {
  std::vector<double> means;
  for (const Dependence& set : sets) means.push_back(mean(set.values));
  return mean(means);
}

void add_h(const Layer& layer, const Comparison& comparison, const Request& request,
           Measurements& out) {
  std::vector<double> means;
  std::vector<double> exact;
  std::vector<double> deviations;
  for (const Dependence& set : layer.targets) {
    means.push_back(mean(set.values));
    exact.push_back(set.moments.mean);
    deviations.push_back(std::sqrt(std::max(0.0, set.moments.variance)));
  }
  Row row = sde_row("sde.h.forget", layer, comparison, request);
  row.value = mean(means);
  row.lower = quantile(means, 0.025);
  row.upper = quantile(means, 0.975);
  row.interval = "central 95 % over sets";
  row.facts["retain"] = average_of(layer.ins);
  row.facts["test"] = average_of(layer.outs);
  row.facts["exact_mean"] = mean(exact);
  row.facts["exact_sd"] = json_number(mean(deviations));
  out.rows.push_back(std::move(row));
}

void fill_f1(Row& row, const std::vector<PairVerdicts>& pairs, const Layer& layer,
             const Request& request) {
  fill_f1(row, pairs, layer.members.size(), kUTest, request);
  if (!layer.constant) return;
  row.note = "inconclusive: activations are constant, so H = 0 for every set";
}

std::vector<Dependence> joined(std::vector<Dependence> first, std::vector<Dependence> second) {
  first.insert(first.end(), std::make_move_iterator(second.begin()),
               std::make_move_iterator(second.end()));
  return first;
}

/// Forget sets of the control's size; the OTR's own where the sizes agree.
std::vector<Dependence> forget_sets(const Layer& layer, const Request& request) {
  const std::size_t count = layer.control.forget_targets.size();
  if (layer.control.size == layer.sets.size) {
    return {layer.targets.begin(), layer.targets.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  return measure_sets(layer.sets.forget, layer.control.forget_targets, layer, request,
                      "sde.shuffle.control.forget");
}

void add_f1(const Layer& layer, const Comparison& comparison, const Request& request,
            Measurements& out) {
  const bool retrained = never_saw_forget(*comparison.candidate.front());
  const ControlSets& control = layer.control;
  Row row = sde_row("sde.f1.control", layer, comparison, request);
  Row other = sde_row("sde.f1.retrained", layer, comparison, request);
  if (control.size == 0) {
    for (Row* undefined : {&row, &other}) {
      undefined->status = Status::undefined;
      undefined->note =
          "retain and test have too few rows for reference and target sets of their "
          "own: give at least 16 of each";
    }
  } else {
    const std::vector<Dependence>&ins = layer.control_ins, &outs = layer.control_outs,
          &members = layer.members, &others = layer.others;
    row.n = members.size() + others.size();
    row.facts["size"] = control.size;
    fill_f1(row, judge_by_jsd(joined(members, others), ins, outs), layer, request);
    if (retrained) {
      const auto forget = forget_sets(layer, request);
      other.n = members.size() + forget.size();
      other.facts["size"] = control.size;
      fill_f1(other, judge_by_jsd(joined(members, forget), ins, outs), layer, request);
    }
  }
  out.rows.push_back(std::move(row));
  if (retrained) out.rows.push_back(std::move(other));
}

std::vector<double> pooled(const std::vector<Dependence>& sets) {
  std::vector<double> values;
  for (const Dependence& set : sets) {
    values.insert(values.end(), set.values.begin(), set.values.end());
  }
  return values;
}

/// H over shuffles of all sets of a group together, by bins that the three groups share.
void add_series(const Layer& layer, const Comparison& comparison, Measurements& out) {
  constexpr std::size_t kBins = 40;
  if (!gives_series(comparison)) return;
  const std::vector<double> forget = pooled(layer.targets), ins = pooled(layer.ins),
                            outs = pooled(layer.outs);
  const std::vector<double> edges = pooled_bins({forget, ins, outs}, kBins);
  const auto add = [&](const char* group, const std::vector<double>& values, std::size_t sets) {
    Series series = histogram_series("sde.h", group, values, edges, comparison);
    series.params["layer"] = layer.sets.layer;
    series.params["sets"] = sets;
    out.series.push_back(std::move(series));
  };
  add("forget", forget, layer.targets.size());
  add("in-training reference", ins, layer.ins.size());
  add("out-of-training reference", outs, layer.outs.size());
}

void measure_layer(const Comparison& comparison, const Request& request, const std::string& name,
                   PermutationStore& store, Measurements& out) {
  const SigmaRule rule = sigma_rule(set_options(request).sigma);
  Layer layer;
  layer.store = &store;
  layer.sets = activation_sets(comparison, request, name);
  layer.rule = rule.rule;
  if (!layer.sets.problem.empty()) {
    add_problem(sde_metrics(), layer.sets, comparison, request, rule.rule, out);
    return;
  }
  layer.constant = layer.sets.constant();
  layer.sigma = bandwidth(rule, layer.sets);
  if (layer.sigma == 0 && layer.constant) layer.sigma = sqrt_dim(layer.sets.forget.cols());
  if (layer.sigma == 0) {
    layer.sets.problem =
        "the median distance is 0, because at least half of the pairs of rows coincide: give "
        "--sde-sigma sqrt_dim or a number";
    add_problem(sde_metrics(), layer.sets, comparison, request, rule.rule, out);
    return;
  }
  layer.targets =
      measure_sets(layer.sets.forget, layer.sets.targets, layer, request, "sde.shuffle.forget");
  layer.control = control_sets(layer.sets, request);
  const DependenceOptions options{.sigma = layer.sigma,
                                  .shuffles = set_options(request).shuffles,
                                  .seed = request.seed,
                                  .store = &store};
  const SetGroup retain[] = {{layer.sets.ins, "sde.shuffle.retain"},
                             {layer.control.ins, "sde.shuffle.control.in"},
                             {layer.control.retain_targets, "sde.shuffle.control.member"}};
  auto of_retain = split_half_dependence(layer.sets.retain, retain, options);
  layer.ins = std::move(of_retain[0]);
  layer.control_ins = std::move(of_retain[1]);
  layer.members = std::move(of_retain[2]);
  const SetGroup test[] = {{layer.sets.outs, "sde.shuffle.test"},
                           {layer.control.outs, "sde.shuffle.control.out"},
                           {layer.control.test_targets, "sde.shuffle.control.other"}};
  auto of_test = split_half_dependence(layer.sets.test, test, options);
  layer.outs = std::move(of_test[0]);
  layer.control_outs = std::move(of_test[1]);
  layer.others = std::move(of_test[2]);
  add_rates(layer, comparison, request, out);
  add_f1(layer, comparison, request, out);
  add_h(layer, comparison, request, out);
  add_series(layer, comparison, out);
  add_bandwidths(layer.sets, layer.control, comparison, request, out);
  add_batches(name, layer.sigma, comparison, request, out);
}

Measure prepare_sde(const Preparation& from) {
  const auto store = std::make_shared<PermutationStore>();
  return [&request = from.request, store](const Comparison& comparison, Progress&) {
    Measurements out;
    for (const std::string& layer : layers_to_measure(*comparison.evidence, request)) {
      measure_layer(comparison, request, layer, *store, out);
    }
    return out;
  };
}

}  // namespace

Family sde_family() {
  return {.name = "sde",
          .summary = "split-half dependence: do forget sets look trained on?",
          .metrics = sde_metrics(),
          .ranges = {{"sde", kShare},
                     {"sde.h", {}},
                     {"sde.reference_passed", kFromZero},
                     {"sde.batch.gap", {}},
                     {"sde.batch.same", kFromZero},
                     {"sde.batch.cross", kFromZero}},
          .support = activation_support,
          .prepare = prepare_sde,
          .options = set_option_table().options(),
          .checkpoints = true,
          .companions = {"mmd", "wasserstein"},
          .series = sde_series()};
}

}  // namespace vestige::metrics
