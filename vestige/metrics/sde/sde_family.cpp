// SDE of one model, layer by layer: OTR with its spread over reference pairs, its closed form,
// and the F1 controls that say whether the verdicts can be trusted.
#include "vestige/metrics/sde/sde_family.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "vestige/base/parallel.h"
#include "vestige/metrics/kernels/joint_traces.h"
#include "vestige/metrics/sde/activation_layers.h"
#include "vestige/metrics/sde/permutation_store.h"
#include "vestige/metrics/sde/sde_extras.h"
#include "vestige/metrics/sde/sde_layer.h"
#include "vestige/metrics/sde/set_options.h"
#include "vestige/metrics/sde/set_rows.h"
#include "vestige/metrics/series.h"
#include "vestige/metrics/stats/rank_tests.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

Row sde_row(std::string_view id, const SdeLayer& layer, const Comparison& comparison,
            const Request& request) {
  Row row = set_row(id, layer.sets, comparison, request);
  row.n = layer.sets.targets.size();
  add_kernel(row, layer.sigma, request);
  row.settings["rule"] = layer.rule;
  if (const SetDivergence used = set_options(request).divergence; used != SetDivergence::jsd) {
    row.settings["divergence"] = name(used);
  }
  row.facts["shuffles"] = set_options(request).shuffles;
  return row;
}

double kernel_mean(const SdeLayer& layer) {
  std::vector<double> means;
  for (const Dependence& set : layer.targets) means.push_back(set.kernel_mean);
  return mean(means);
}

/// A rate with its note on constant activations, degenerate kernels and rows that were left out.
void finish_rate(Row& row, const SdeLayer& layer) {
  if (layer.constant) {
    row.notes = {reason(Code::activations_are_constant)};
    return;
  }
  row.notes.insert(row.notes.end(), layer.sets.notes.begin(), layer.sets.notes.end());
  if (layer.rule == "none") return;
  const double similar = kernel_mean(layer);
  row.facts["kernel_mean"] = similar;
  if (!degenerate_kernel(similar)) return;
  if (row.status == Status::ok) row.status = Status::unreliable;
  row.notes.push_back(reason(similar > 0.5 ? Code::bandwidth_too_large : Code::bandwidth_too_small,
                             layer.sigma, similar));
}

/// With one reference pair there is no spread: the interval of a share over subsets instead.
void single_pair_interval(Row& row, const std::vector<PairVerdicts>& pairs) {
  if (pairs.size() != 1 || std::isnan(row.value)) return;
  const auto& verdicts = pairs.front().verdicts;
  const auto out = static_cast<std::size_t>(
      std::count_if(verdicts.begin(), verdicts.end(),
                    [](const SetVerdict& verdict) { return !verdict.in_training; }));
  const Estimate estimate = clopper_pearson(out, verdicts.size());
  row.lower = estimate.lower;
  row.upper = estimate.upper;
  row.interval = result::Code::clopper_pearson_over_sets;
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

/// The verdict on each set: the share of reference pairs that passed and call it out of training.
std::vector<double> out_by_set(const std::vector<PairVerdicts>& pairs) {
  std::vector<double> shares;
  double passed = 0;
  for (const PairVerdicts& pair : pairs) {
    if (!pair.passed) continue;
    passed += 1;
    shares.resize(pair.verdicts.size());
    for (std::size_t set = 0; set < shares.size(); ++set) {
      shares[set] += pair.verdicts[set].in_training ? 0 : 1;
    }
  }
  for (double& share : shares) share /= passed;
  return shares;
}

void add_rates(const SdeLayer& layer, const Comparison& comparison, const Request& request,
               Measurements& out) {
  const auto by_shuffles =
      judge_by_shuffles(layer.targets, layer.ins, layer.outs, set_options(request).divergence);
  const auto by_mean = judge_by_mean(layer.targets, layer.ins, layer.outs);
  const OverPairs rate = out_of_training_rate(by_shuffles);
  Row row = sde_row("sde.otr", layer, comparison, request);
  fill_rate(row, rate, Code::reference_pairs_fail_u_test);
  single_pair_interval(row, by_shuffles);
  row.facts["out_by_set"] = out_by_set(by_shuffles);
  finish_rate(row, layer);
  out.rows.push_back(std::move(row));

  Row exact = sde_row("sde.closed_form.otr", layer, comparison, request);
  fill_rate(exact, out_of_training_rate(by_mean), Code::reference_pairs_fail_mean);
  single_pair_interval(exact, by_mean);
  exact.facts["agreement"] = json_number(agreement(by_shuffles, by_mean));
  finish_rate(exact, layer);
  out.rows.push_back(std::move(exact));

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
    first.notes = {reason(Code::dependence_is_constant)};
  }
  out.rows.push_back(std::move(first));
}

double average_of(const std::vector<Dependence>& sets) {
  std::vector<double> means;
  for (const Dependence& set : sets) means.push_back(mean(set.values));
  return mean(means);
}

void add_h(const SdeLayer& layer, const Comparison& comparison, const Request& request,
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
  row.interval = result::Code::central_over_sets;
  row.facts["retain"] = average_of(layer.ins);
  row.facts["test"] = average_of(layer.outs);
  row.facts["exact_mean"] = mean(exact);
  row.facts["exact_sd"] = json_number(mean(deviations));
  if (set_options(request).landmarks > 0) {
    double gap = 0;
    for (const Dependence& set : layer.targets) gap = std::max(gap, set.gap);
    row.facts["gap"] = gap;
  }
  out.rows.push_back(std::move(row));
}

void fill_f1(Row& row, const std::vector<PairVerdicts>& pairs, const SdeLayer& layer,
             const Request& request) {
  fill_f1(row, pairs, layer.members.size(), Code::reference_pairs_fail_u_test, request);
  row.facts["size"] = layer.control.size;
  if (layer.constant) {
    row.notes = {reason(Code::activations_are_constant)};
  } else if (!layer.control.smaller.empty()) {
    row.notes.push_back(layer.control.smaller);
  }
}

std::vector<Dependence> joined(std::vector<Dependence> first, std::vector<Dependence> second) {
  first.insert(first.end(), std::make_move_iterator(second.begin()),
               std::make_move_iterator(second.end()));
  return first;
}

/// Forget sets of the control's size; the OTR's own where the sizes agree.
std::vector<Dependence> forget_sets(const SdeLayer& layer, const Request& request) {
  const std::size_t count = layer.control.forget_targets.size();
  if (layer.control.size == layer.sets.size) {
    return {layer.targets.begin(), layer.targets.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  return split_half_dependence(layer.sets.forget, layer.control.forget_targets,
                               {.sigma = layer.sigma,
                                .shuffles = set_options(request).shuffles,
                                .seed = request.seed,
                                .purpose = "sde.shuffle.control.forget",
                                .store = layer.store,
                                .kernel = set_options(request).kernel,
                                .landmarks = set_options(request).landmarks});
}

void add_f1(const SdeLayer& layer, const Comparison& comparison, const Request& request,
            Measurements& out) {
  const bool retrained = never_saw_forget(*comparison.candidate.front());
  const ControlSets& control = layer.control;
  const SetDivergence divergence = set_options(request).divergence;
  Row row = sde_row("sde.f1.control", layer, comparison, request);
  Row other = sde_row("sde.f1.retrained", layer, comparison, request);
  if (control.size == 0) {
    for (Row* undefined : {&row, &other}) {
      undefined->status = Status::undefined;
      undefined->notes = {reason(Code::few_examples_for_set_control, 16)};
    }
  } else {
    const std::vector<Dependence>&ins = layer.control_ins, &outs = layer.control_outs,
          &members = layer.members, &others = layer.others;
    row.n = members.size() + others.size();
    fill_f1(row, judge_by_shuffles(joined(members, others), ins, outs, divergence), layer, request);
    if (retrained) {
      const auto forget = forget_sets(layer, request);
      other.n = members.size() + forget.size();
      fill_f1(other, judge_by_shuffles(joined(members, forget), ins, outs, divergence), layer,
              request);
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
void add_series(const SdeLayer& layer, const Comparison& comparison, Measurements& out) {
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

void add_layer(const SdeLayer& layer, const Comparison& comparison, const Request& request,
               Measurements& out) {
  if (!layer.sets.problem.empty()) {
    add_problem(sde_metrics(), layer.sets, comparison, request, layer.rule, out);
    return;
  }
  add_rates(layer, comparison, request, out);
  add_f1(layer, comparison, request, out);
  add_h(layer, comparison, request, out);
  add_series(layer, comparison, out);
  add_bandwidths(layer.sets, layer.control, comparison, request, out);
  add_batches(layer.sets.layer, layer.sigma, comparison, request, out);
}

/// One layer of comparisons that may be held at the same time; adds to the measurements of each.
void measure_layer(std::span<const Comparison* const> comparisons, const Request& request,
                   const std::string& name, PermutationStore& store, std::span<Measurements> out) {
  std::vector<SdeLayer> layers(comparisons.size());
  parallel_tasks(layers.size(), [&](std::size_t index) {
    layers[index] = open_layer(*comparisons[index], request, name, store);
  });
  measure_layers(layers, request);
  parallel_tasks(layers.size(), [&](std::size_t index) {
    add_layer(layers[index], *comparisons[index], request, out[index]);
  });
}

/// Comparisons that are measured together: eight fill a vector, as far as the memory reaches; with
/// fewer than three nothing is gained.
std::vector<std::vector<const Comparison*>> together(std::span<const Comparison> comparisons,
                                                     std::span<const std::string> layers,
                                                     const Request& request) {
  constexpr std::size_t kBytes = std::size_t{256} << 20U;
  std::vector<std::vector<const Comparison*>> batches(1);
  std::size_t held = 0;
  for (const Comparison& comparison : comparisons) {
    const evidence::Model& model = *comparison.candidate.front();
    std::size_t bytes = 0;
    bool faster = false;
    for (const std::string& layer : layers) {
      bytes = std::max(bytes, bytes_held(model, layer));
      faster = faster || faster_together(model, layer, request);
    }
    if (!faster) continue;
    if (held + bytes > kBytes || batches.back().size() == kJointPairs) {
      batches.emplace_back();
      held = 0;
    }
    batches.back().push_back(&comparison);
    held += bytes;
  }
  std::erase_if(batches, [](const auto& batch) { return batch.size() < 3; });
  return batches;
}

/// Batches are measured beforehand, each by all threads; what is in none by itself.
Measure prepare_sde(const Preparation& from) {
  const auto store = std::make_shared<PermutationStore>();
  const std::vector<std::string> layers = layers_to_measure(from.evidence, from.request);
  const auto measured = std::make_shared<std::map<const Comparison*, Measurements>>();
  for (const auto& batch : together(from.comparisons, layers, from.request)) {
    if (from.progress != nullptr) from.progress->expect(batch.size());
    std::vector<Measurements> out(batch.size());
    for (const std::string& layer : layers) {
      measure_layer(batch, from.request, layer, *store, out);
    }
    for (std::size_t index = 0; index < batch.size(); ++index) {
      measured->emplace(batch[index], std::move(out[index]));
    }
    if (from.progress != nullptr) from.progress->add(batch.size());
  }
  return
      [&request = from.request, layers, store, measured](const Comparison& comparison, Progress&) {
        const auto found = measured->find(&comparison);
        if (found != measured->end()) return found->second;
        Measurements out;
        const Comparison* one = &comparison;
        for (const std::string& layer : layers) {
          measure_layer({&one, 1}, request, layer, *store, {&out, 1});
        }
        return out;
      };
}

}  // namespace

Family sde_family() {
  return {.name = "sde",
          .summary = "split-half dependence: whether sets of forget examples look trained on",
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
