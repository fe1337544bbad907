// Rows of the one-run family.
#include "vestige/metrics/one_run/one_run_family.h"

#include <algorithm>
#include <cmath>

#include "vestige/metrics/inputs/attack_inputs.h"
#include "vestige/metrics/one_run/one_run.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr const char* kCanary = "canary";
const std::vector<std::string> kCanarySplit = {kCanary};

std::vector<MetricInfo> one_run_metrics() {
  return {
      {"one_run.epsilon", Direction::lower, 0, "lower bound on epsilon from one run",
       "largest epsilon that guessing which canaries were inserted refutes, at 95 % confidence",
       true},
      {"one_run.accuracy", Direction::lower, 0.5, "canaries guessed right",
       "share of canaries whose insertion is guessed right, without abstaining", true},
  };
}

const OptionTable<OneRunOptions>& one_run_options() {
  static const OptionTable<OneRunOptions> table = [] {
    OptionTable<OneRunOptions> made("one_run");
    made.number(
        "delta", "Delta of the differential privacy claim that is tested",
        [](auto& o) -> auto& { return o.delta; }, at_least(0));
    made.number(
        "confidence", "Confidence of the bound", [](auto& o) -> auto& { return o.confidence; },
        between(0, 1));
    made.numbers(
        "shares", "Shares of canaries to guess as inserted and as not inserted, each at most 0.5",
        [](auto& o) -> auto& { return o.shares; });
    return made;
  }();
  return table;
}

/// Which canaries the original was trained on: the model's own vector, else that of the original it
/// came from, else the first original's. Retrained models saw none and are held against the same
/// coins. nullptr if nobody says.
const evidence::Array* insertion(const Comparison& comparison) {
  const evidence::Model& model = *comparison.candidate.front();
  const evidence::Model* from[] = {
      &model, comparison.evidence->original_of(model),
      comparison.original.empty() ? nullptr : comparison.original.front()};
  for (const evidence::Model* each : from) {
    if (each == nullptr) continue;
    const auto found = each->members.find(kCanary);
    if (found != each->members.end()) return &found->second;
  }
  return nullptr;
}

/// Models that saw no canary, other than the candidate: their confidence in a canary tells how hard
/// it is.
Models references_of(const Comparison& comparison) {
  Models result;
  for (const char* role : {"retrained", "shadow"}) {
    const evidence::Group* group = comparison.evidence->find(role);
    if (group == nullptr) continue;
    for (const evidence::Model& model : group->models) {
      const auto& candidates = comparison.candidate;
      const bool itself =
          std::find(candidates.begin(), candidates.end(), &model) != candidates.end();
      if (!itself && model.has(kCanary)) result.push_back(&model);
    }
  }
  return result;
}

/// Logit-scaled confidence of the true class, minus the mean of the references'.
std::vector<double> scores_of(const Context& context, const Comparison& comparison,
                              const Models& references) {
  const evidence::Evidence& evidence = *comparison.evidence;
  std::vector<double> scores =
      split_confidences(context, evidence, *comparison.candidate.front(), kCanary);
  for (const evidence::Model* reference : references) {
    const std::vector<double> theirs = split_confidences(context, evidence, *reference, kCanary);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] -= theirs[i] / static_cast<double>(references.size());
    }
  }
  return scores;
}

Reason obstacle(const Comparison& comparison) {
  if (!comparison.candidate.front()->has(kCanary)) {
    return reason(Code::needs_outputs, kCanarySplit,
                  comparison.candidate.front()->id() + "/canary.npy");
  }
  if (comparison.evidence->find_labels(kCanary) == nullptr) {
    return reason(Code::needs_labels, kCanarySplit, "labels/canary.npy");
  }
  if (insertion(comparison) == nullptr) {
    return reason(Code::needs_canary_membership, "original/0/members/canary.npy");
  }
  return {};
}

Measurements measure_one_run(const Comparison& comparison, const Request& request, Progress&) {
  const OneRunOptions options = one_run_options().read(request.options);
  Row epsilon = make_row("one_run.epsilon", comparison, request);
  Row accuracy = make_row("one_run.accuracy", comparison, request);
  Measurements out;
  const Reason why = obstacle(comparison);
  if (!why.empty()) {
    for (Row* row : {&epsilon, &accuracy}) {
      row->status = Status::skipped;
      row->notes = {why};
      out.rows.push_back(std::move(*row));
    }
    return out;
  }
  const std::vector<std::int64_t> members = insertion(comparison)->integers();
  const Models references = references_of(comparison);
  const std::vector<double> scores = scores_of(request.context, comparison, references);
  const OneRun seen = one_run(scores, members, options);
  epsilon.value = seen.epsilon;
  epsilon.n = scores.size();
  epsilon.settings["delta"] = options.delta;
  epsilon.settings["confidence"] = options.confidence;
  epsilon.facts = {{"guesses", seen.guesses.guesses},
                   {"right", seen.guesses.right},
                   {"share", json_number(seen.share)},
                   {"inserted", std::count(members.begin(), members.end(), 1)},
                   {"references", references.size()}};
  const CanaryGuesses all = guess_canaries(scores, members, 0.5);
  if (all.guesses > 0) {
    const Estimate estimate = clopper_pearson(all.right, all.guesses);
    accuracy.value = estimate.value;
    accuracy.lower = estimate.lower;
    accuracy.upper = estimate.upper;
    accuracy.interval = result::Code::clopper_pearson_over_canaries;
  }
  accuracy.n = all.guesses;
  for (Row* row : {&epsilon, &accuracy}) {
    if (std::isnan(row->value)) {
      row->status = Status::undefined;
      row->notes = {reason(Code::canary_confidence_undefined)};
    }
    out.rows.push_back(std::move(*row));
  }
  return out;
}

Support one_run_support(const evidence::Evidence& evidence) {
  if (evidence.find_labels(kCanary) == nullptr) {
    return {false, reason(Code::needs_canaries,
                          "labels/canary.npy, MODEL/canary.npy, original/0/members/canary.npy")};
  }
  bool outputs = false, members = false;
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      outputs = outputs || model.has(kCanary);
      members = members || model.members.count(kCanary) > 0;
    }
  }
  if (!outputs) {
    return {false, reason(Code::needs_outputs, kCanarySplit, "original/0/canary.npy")};
  }
  if (!members) {
    return {false, reason(Code::needs_canary_membership, "original/0/members/canary.npy")};
  }
  return {true};
}

}  // namespace

Family one_run_family() {
  return {.name = "one_run",
          .summary = "lower bound on epsilon from canaries inserted at random, for each model",
          .metrics = one_run_metrics(),
          .ranges = {{"one_run.epsilon", kFromZero}, {"one_run.accuracy", kShare}},
          .support = one_run_support,
          .prepare = each(measure_one_run),
          .options = one_run_options().options()};
}

}  // namespace vestige::metrics
