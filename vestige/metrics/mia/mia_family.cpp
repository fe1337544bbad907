// Rows of the mia family.
#include "vestige/metrics/mia/mia_family.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "vestige/base/exponentials.h"
#include "vestige/base/parallel.h"
#include "vestige/evidence/blocks.h"
#include "vestige/metrics/inputs/accuracy.h"
#include "vestige/metrics/inputs/attack_inputs.h"
#include "vestige/metrics/inputs/row_cost.h"
#include "vestige/metrics/inputs/true_class.h"
#include "vestige/metrics/learn/entropy_attack.h"
#include "vestige/metrics/learn/svc_membership.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

std::vector<MetricInfo> mia_metrics() {
  return {
      {"mia.entropy", Direction::match, kUndefined, "entropy attack",
       "share of forget examples that an entropy attack calls members", true},
      {"mia.svc.efficacy", Direction::match, kUndefined, "MIA efficacy",
       "share of forget examples that a confidence attack does not call members", true},
      {.id = "mia.tug_of_war",
       .direction = Direction::higher,
       .ideal = 1,
       .name = "tug of war with an attack",
       .what = "product of 1 - gap to retrained over MIA efficacy on forget examples and accuracy "
               "on retain and test examples",
       .shows_forgetting = true,
       .parts = {"mia.svc.efficacy"}},
  };
}

/// Entropies of a split, and probabilities of the true class where there are labels.
struct SplitNumbers {
  std::vector<double> entropies;
  std::vector<double> confidences;
};

SplitNumbers numbers(const Context& context, const evidence::Evidence& evidence,
                     const evidence::Model& model, const char* split) {
  SplitNumbers result;
  const evidence::Array& outputs = model.outputs.at(split);
  const auto* labels = evidence.find_labels(split);
  // Not kept: a model's entropies are asked for once.
  result.entropies.resize(outputs.rows());
  evidence::for_row_blocks(outputs.rows(), [&](std::size_t first, std::size_t last) {
    std::vector<double> logits(outputs.cols());
    for (std::size_t row = first; row < last; ++row) {
      evidence::read_logits(outputs, evidence.kind, row, logits);
      result.entropies[row] = softmax_entropy(logits);
    }
  });
  if (labels != nullptr) {
    result.confidences = true_class_numbers(context, outputs, evidence.kind, *labels).probability;
  }
  return result;
}

/// A share of forget examples with its exact interval; `flags` are 0 or 1 per example.
Row share_row(Row row, const std::vector<int>& flags) {
  const auto ones = static_cast<std::size_t>(std::count(flags.begin(), flags.end(), 1));
  const Estimate estimate = clopper_pearson(ones, flags.size());
  row.value = estimate.value;
  row.lower = estimate.lower;
  row.upper = estimate.upper;
  row.interval = result::Code::clopper_pearson_models_fixed;
  row.n = flags.size();
  row.terms.assign(flags.begin(), flags.end());
  return row;
}

bool constant(const std::vector<double>& first, const std::vector<double>& second) {
  const auto same = [&](double value) { return value == first.front(); };
  return std::all_of(first.begin(), first.end(), same) &&
         std::all_of(second.begin(), second.end(), same);
}

void skip(Row row, Reason why, Measurements& out) {
  row.status = Status::skipped;
  row.notes = {std::move(why)};
  out.rows.push_back(std::move(row));
}

const std::vector<std::string> kMiaSplits = {"forget", "retain", "test"};

void add_entropy(Row row, const SplitNumbers& retain, const SplitNumbers& test,
                 const SplitNumbers& forget, Measurements& out) {
  const LogisticMembership attack =
      logistic_membership(retain.entropies, test.entropies, forget.entropies);
  row = share_row(std::move(row), attack.predictions);
  row.settings["attack"] = "logistic on entropy";
  row.facts = {{"c", 2}, {"class_weight", "balanced"}};
  if (constant(retain.entropies, test.entropies))
    row.notes = {reason(Code::retain_and_test_look_alike)};
  out.rows.push_back(std::move(row));
}

/// `known`: the attack on this model, where it was made before.
void add_efficacy(Row row, const SplitNumbers& retain, const SplitNumbers& test,
                  const SplitNumbers& forget, const SvcMembership* known, std::uint64_t seed,
                  Measurements& out) {
  if (retain.confidences.empty() || test.confidences.empty() || forget.confidences.empty()) {
    return skip(std::move(row),
                reason(Code::needs_labels, kMiaSplits, "labels/{forget,retain,test}.npy"), out);
  }
  const SvcMembershipOptions options{.seed = seed};
  const SvcMembership own = known != nullptr ? SvcMembership{}
                                             : svc_membership(retain.confidences, test.confidences,
                                                              forget.confidences, options);
  const SvcMembership& attack = known != nullptr ? *known : own;
  std::vector<int> others;
  for (const int member : attack.predictions) others.push_back(1 - member);
  row = share_row(std::move(row), others);
  row.settings["attack"] = "svc_rbf on confidence";
  row.facts = {{"c", options.cost}, {"gamma", 1}, {"examples_per_group", options.max_rows}};
  if (constant(retain.confidences, test.confidences))
    row.notes = {reason(Code::retain_and_test_look_alike)};
  out.rows.push_back(std::move(row));
}

Support mia_support(const evidence::Evidence& evidence) {
  for (const evidence::Group& group : evidence.groups) {
    if (group.role == "shadow" || group.role == "random") continue;
    if (has_outputs(group.models.front(), {"forget", "retain", "test"})) return {true};
  }
  return {false, reason(Code::needs_outputs, kMiaSplits,
                        "{original,retrained}/0/{forget,retain,test}.npy")};
}

/// Attacks on the retrained models, the references of all comparisons; nothing where a model or the
/// evidence lacks what the attack needs.
using RetrainedAttacks = std::map<const evidence::Model*, SvcMembership>;

RetrainedAttacks attack_retrained(const evidence::Evidence& evidence, const Request& request) {
  RetrainedAttacks result;
  const evidence::Group* group = evidence.find("retrained");
  if (group == nullptr || !has_labels(evidence, {"forget", "retain", "test"})) return result;
  Models models;
  for (const evidence::Model& model : group->models) {
    if (has_outputs(model, {"forget", "retain", "test"})) models.push_back(&model);
  }
  std::vector<SvcMembership> attacks(models.size());
  parallel_for(models.size(), [&](std::size_t i) {
    const auto confidences = [&](const char* split) {
      return true_class_numbers(request.context, models[i]->outputs.at(split), evidence.kind,
                                *evidence.find_labels(split))
          .probability;
    };
    attacks[i] = svc_membership(confidences("retain"), confidences("test"), confidences("forget"),
                                {.seed = request.seed});
  });
  for (std::size_t i = 0; i < models.size(); ++i) result[models[i]] = std::move(attacks[i]);
  return result;
}

/// ToW-MIA (Zhao et al. 2024, "Scalability of memorization-based machine unlearning"): the tug of
/// war with the attack's efficacy in the place of forget accuracy.
void add_tug_of_war(Row row, double efficacy, const Comparison& comparison, const Context& context,
                    const RetrainedAttacks& retrained, Measurements& out) {
  if (comparison.retrained.empty()) {
    return skip(
        std::move(row),
        comparison.control == Control::retrained
            ? reason(Code::needs_second_retrained_model, "retrained/1/{forget,retain,test}.npy")
            : reason(Code::needs_retrained_model, "retrained/0/{forget,retain,test}.npy"),
        out);
  }
  const evidence::Evidence& evidence = *comparison.evidence;
  std::vector<double> attacks;
  for (const evidence::Model* model : comparison.retrained) {
    const auto known = retrained.find(model);
    attacks.push_back(known == retrained.end() ? kUndefined : 1 - known->second.member_share);
  }
  const double gap = std::abs(efficacy - mean(attacks));
  row.value = 1 - gap;
  for (const char* split : {"retain", "test"}) {
    row.value *= 1 - std::abs(mean(accuracies(context, evidence, comparison.candidate, split)) -
                              mean(accuracies(context, evidence, comparison.retrained, split)));
  }
  row.n = 1;
  row.settings["attack"] = "svc_rbf on confidence";
  row.facts = {{"efficacy_gap", json_number(gap)},
               {"retrained_models", comparison.retrained.size()}};
  if (std::isnan(row.value)) {
    return skip(std::move(row),
                reason(Code::needs_outputs_and_labels, kMiaSplits,
                       "retrained/0/{forget,retain,test}.npy and "
                       "labels/{forget,retain,test}.npy"),
                out);
  }
  out.rows.push_back(std::move(row));
}

Measurements measure_mia(const Comparison& comparison, const Request& request,
                         const RetrainedAttacks& retrained_attacks) {
  Measurements out;
  Row entropy = make_row("mia.entropy", comparison, request);
  Row efficacy = make_row("mia.svc.efficacy", comparison, request);
  Row tug = make_row("mia.tug_of_war", comparison, request);
  const evidence::Model& model = *comparison.candidate.front();
  if (!has_outputs(model, {"forget", "retain", "test"})) {
    const Reason why =
        reason(Code::needs_outputs, kMiaSplits, model.id() + "/{forget,retain,test}.npy");
    skip(std::move(entropy), why, out);
    skip(std::move(efficacy), why, out);
    skip(std::move(tug), why, out);
    return out;
  }
  const SplitNumbers retain = numbers(request.context, *comparison.evidence, model, "retain");
  const SplitNumbers test = numbers(request.context, *comparison.evidence, model, "test");
  const SplitNumbers forget = numbers(request.context, *comparison.evidence, model, "forget");
  add_entropy(std::move(entropy), retain, test, forget, out);
  const auto known = retrained_attacks.find(&model);
  add_efficacy(std::move(efficacy), retain, test, forget,
               known == retrained_attacks.end() ? nullptr : &known->second, request.seed, out);
  add_tug_of_war(std::move(tug), out.rows.back().value, comparison, request.context,
                 retrained_attacks, out);
  return out;
}

std::function<Measure(const Preparation&)> prepared() {
  return [](const Preparation& from) -> Measure {
    return [attacks = attack_retrained(from.evidence, from.request), &request = from.request](
               const Comparison& comparison, Progress&) {
      return measure_mia(comparison, request, attacks);
    };
  };
}

/// Measured as docs/performance.md tells.
std::optional<Cost> mia_cost(const evidence::Evidence& evidence, const Json&) {
  return row_cost(evidence, compared_roles(), {"forget", "retain", "test"},
                  {.output = 2.8, .row = 2300});
}

}  // namespace

Family mia_family() {
  return {
      .name = "mia",
      .summary =
          "share of forget examples that membership attacks of published unlearning code recognise",
      .metrics = mia_metrics(),
      .ranges = {{"mia", kShare}},
      .support = mia_support,
      .prepare = prepared(),
      .cost = mia_cost};
}

}  // namespace vestige::metrics
