// The metric group utility: accuracies of a group of models beside those of the retrained group.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>

#include "vestige/evidence/losses.h"
#include "vestige/evidence/tokens.h"
#include "vestige/metrics/inputs/accuracy.h"
#include "vestige/metrics/inputs/likelihood.h"
#include "vestige/metrics/inputs/row_sets.h"
#include "vestige/metrics/stats/mean_contrast.h"
#include "vestige/metrics/stats/statistics.h"
#include "vestige/metrics/stats/t_tests.h"
#include "vestige/metrics/utility/utility.h"
#include "vestige/metrics/utility/utility_metrics.h"

namespace vestige::metrics {
namespace {

constexpr std::array<std::string_view, 3> kUtilitySplits = {"retain", "test", "forget"};

/// Accuracies of one side of the comparison by split.
using BySplit = std::map<std::string_view, std::vector<double>>;

BySplit all_accuracies(const Context& context, const evidence::Evidence& evidence,
                       const Models& models) {
  BySplit result;
  for (const std::string_view split : kUtilitySplits) {
    if (!models.empty()) result[split] = accuracies(context, evidence, models, split);
  }
  return result;
}

void add_accuracy(const Comparison& comparison, const Request& request, std::string_view split,
                  const std::vector<double>& values, Measurements& out) {
  Row row = make_row(fmt::format("utility.accuracy.{}", split), comparison, request);
  row.value = mean(values);
  row.n = values.size();
  row.by_model = values;
  const auto* labels = comparison.evidence->find_labels(split);
  const evidence::Model& first = *comparison.candidate.front();
  if (labels != nullptr && first.has(split)) {
    row.terms = correct_rows(request.context, first.outputs.at(std::string(split)), *labels);
  }
  // Rows of all models, for what is judged as utility.
  const Models& models = comparison.candidate;
  const bool all = std::all_of(models.begin(), models.end(), [&](const evidence::Model* model) {
    return model->has(split) && comparison.evidence->find_labels(*model, split) == labels;
  });
  if (labels != nullptr && labels->size() > 1 && all && split != "forget") {
    row.contrast = std::make_shared<Contrast>(
        mean_contrast(models.size(), labels->size(), [&](std::size_t model) {
          return correct_rows(request.context, models[model]->outputs.at(std::string(split)),
                              *labels);
        }));
  }
  if (values.size() >= 2) {
    const Estimate estimate = t_interval(values);
    row.lower = std::max(0.0, estimate.lower);
    row.upper = std::min(1.0, estimate.upper);
    row.interval = result::Code::t_over_models;
  } else if (!row.terms.empty()) {
    const auto right =
        static_cast<std::size_t>(std::llround(row.value * static_cast<double>(labels->size())));
    const Estimate estimate = clopper_pearson(right, labels->size());
    row.lower = estimate.lower;
    row.upper = estimate.upper;
    row.interval = result::Code::clopper_pearson_over_examples;
    row.n = labels->size();
  }
  out.rows.push_back(std::move(row));
}

/// Where whole classes were forgotten, test accuracy of what was kept and of what was not: together
/// they hide each other.
void add_by_class(const Comparison& comparison, const Request& request, Measurements& out) {
  const RowSets sets = row_sets(*comparison.evidence);
  if (sets.forgotten != Forgotten::classes) return;
  const auto& labels = *comparison.evidence->find_labels("test");
  for (const bool kept : {true, false}) {
    const std::vector<std::size_t>& rows = kept ? sets.unseen : sets.target_test;
    Row row = make_row(
        kept ? "utility.accuracy.test.kept_classes" : "utility.accuracy.test.forgotten_classes",
        comparison, request);
    for (const evidence::Model* model : comparison.candidate) {
      if (!model->has("test") || rows.empty()) return;
      const std::vector<double> right =
          correct_rows(request.context, model->outputs.at("test"), labels);
      double sum = 0;
      for (const std::size_t place : rows) sum += right[place];
      row.by_model.push_back(sum / static_cast<double>(rows.size()));
      if (row.terms.empty()) {
        for (const std::size_t place : rows) row.terms.push_back(right[place]);
      }
    }
    if (kept && rows.size() > 1) {
      row.contrast = std::make_shared<Contrast>(
          mean_contrast(comparison.candidate.size(), rows.size(), [&](std::size_t model) {
            const std::vector<double> all = correct_rows(
                request.context, comparison.candidate[model]->outputs.at("test"), labels);
            std::vector<double> own;
            for (const std::size_t place : rows) own.push_back(all[place]);
            return own;
          }));
    }
    row.value = mean(row.by_model);
    row.n = rows.size();
    const Estimate estimate = clopper_pearson(
        static_cast<std::size_t>(std::llround(row.value * static_cast<double>(rows.size()))),
        rows.size());
    row.lower = estimate.lower;
    row.upper = estimate.upper;
    row.interval = result::Code::clopper_pearson_models_fixed;
    out.rows.push_back(std::move(row));
  }
}

/// What a model says of each example, by model; empty if it says nothing.
using ByExample = std::function<std::vector<double>(const evidence::Model&)>;

/// The mean over examples of what all candidates say; nothing if one of them says nothing.
void add_mean(const Comparison& comparison, const Request& request, const std::string& metric,
              const ByExample& values, Measurements& out) {
  Row row = make_row(metric, comparison, request);
  for (const evidence::Model* model : comparison.candidate) {
    const std::vector<double> own = values(*model);
    if (own.empty()) return;
    if (row.terms.empty()) row.terms = own;
    if (own.size() != row.terms.size()) return;
    row.by_model.push_back(mean(own));
  }
  if (row.by_model.empty()) return;
  if (row.terms.size() > 1) {
    row.contrast = std::make_shared<Contrast>(
        mean_contrast(row.by_model.size(), row.terms.size(),
                      [&](std::size_t model) { return values(*comparison.candidate[model]); }));
  }
  row.value = mean(row.by_model);
  row.n = row.by_model.size() > 1 ? row.by_model.size() : row.terms.size();
  const Estimate estimate = t_interval(row.by_model.size() > 1 ? row.by_model : row.terms);
  row.lower = estimate.lower;
  row.upper = estimate.upper;
  row.interval =
      row.by_model.size() > 1 ? result::Code::t_over_models : result::Code::t_over_sequences;
  row.facts["perplexity"] = std::exp(-row.value);
  out.rows.push_back(std::move(row));
}

/// What a language model kept (the mean log-probability of a token, by sequence), or any model that
/// gives losses alone.
void add_likelihood(const Comparison& comparison, const Request& request, Measurements& out) {
  const evidence::Evidence& evidence = *comparison.evidence;
  for (const char* split : {"retain", "test"}) {
    add_mean(
        comparison, request, fmt::format("utility.likelihood.{}", split),
        [&](const evidence::Model& model) {
          return has_likelihoods(evidence, model, split)
                     ? sequence_likelihoods(evidence, model, split)
                     : std::vector<double>();
        },
        out);
    add_mean(
        comparison, request, fmt::format("utility.negative_loss.{}", split),
        [&](const evidence::Model& model) {
          const bool other = model.has(split) || has_likelihoods(evidence, model, split);
          return !other && evidence::has_losses(model, split)
                     ? sequence_likelihoods(evidence, model, split)
                     : std::vector<double>();
        },
        out);
  }
  add_mean(
      comparison, request, "utility.likelihood.answers",
      [&](const evidence::Model& model) {
        std::vector<double> all;
        for (const std::string& split : utility_splits(model)) {
          if (!evidence::has_tokens(model, split) && !evidence::has_losses(model, split)) {
            return std::vector<double>();
          }
          const std::vector<double> own = sequence_likelihoods(evidence, model, split);
          all.insert(all.end(), own.begin(), own.end());
        }
        return all;
      },
      out);
}

/// |a - b| with the interval of a - b folded at 0.
void set_folded(Row& row, double difference, double lower, double upper) {
  row.value = std::abs(difference);
  if (std::isnan(lower) || std::isnan(upper)) return;
  const bool straddles = lower <= 0 && upper >= 0;
  row.lower = straddles ? 0 : std::min(std::abs(lower), std::abs(upper));
  row.upper = std::max(std::abs(lower), std::abs(upper));
}

void add_gap(const Comparison& comparison, const Request& request, std::string_view split,
             const std::vector<double>& ours, const std::vector<double>& theirs,
             Measurements& out) {
  Row row = make_row(fmt::format("utility.gap.{}", split), comparison, request);
  const double difference = mean(ours) - mean(theirs);
  row.n = ours.size();
  row.value = std::abs(difference);
  const auto* labels = comparison.evidence->find_labels(split);
  if (ours.size() >= 2 && theirs.size() >= 2) {
    const WelchT test = welch_t(ours, theirs);
    set_folded(row, difference, test.lower, test.upper);
    if (!std::isnan(row.lower)) row.interval = result::Code::welch_over_models_folded;
  } else if (ours.size() == 1 && theirs.size() == 1 && labels != nullptr &&
             comparison.candidate[0]->has(split) && comparison.retrained[0]->has(split)) {
    const std::string key(split);
    const auto a = correct_rows(request.context, comparison.candidate[0]->outputs.at(key), *labels);
    const auto b = correct_rows(request.context, comparison.retrained[0]->outputs.at(key), *labels);
    const PairedT test = paired_t(a, b, Alternative::two_sided);
    set_folded(row, difference, test.lower, test.upper);
    row.n = labels->size();
    if (!std::isnan(row.lower)) row.interval = result::Code::paired_t_folded;
  }
  out.rows.push_back(std::move(row));
}

// The combined scores exist only where all three splits were measured.
void add_combined(const Comparison& comparison, const Request& request, const BySplit& ours,
                  const BySplit& theirs, Measurements& out) {
  std::vector<double> gaps;
  for (const std::string_view split : kUtilitySplits) {
    gaps.push_back(std::abs(mean(ours.at(split)) - mean(theirs.at(split))));
  }
  Row average = make_row("utility.average_gap", comparison, request);
  average.value = mean(gaps);
  average.n = ours.at("test").size();
  out.rows.push_back(std::move(average));
  Row tug = make_row("utility.tug_of_war", comparison, request);
  tug.value = tug_of_war(gaps);
  tug.n = ours.at("test").size();
  out.rows.push_back(std::move(tug));
}

/// Mean accuracy on the given test rows; NaN if a model has no outputs on test.
double mean_accuracy(const Context& context, const evidence::Evidence& evidence,
                     const Models& models, const std::vector<std::size_t>& rows) {
  std::vector<double> right;
  for (const evidence::Model* model : models) {
    if (!model->has("test")) return kUndefined;
    const std::vector<double> all =
        correct_rows(context, model->outputs.at("test"), *evidence.find_labels("test"));
    for (const std::size_t row : rows) right.push_back(all[row]);
  }
  return mean(right);
}

/// Where whole classes were forgotten, test accuracy is that on the kept ones and forget accuracy
/// should be 0; elsewhere forget accuracy should be test accuracy (Cotogni et al. 2023).
void add_aus(const Comparison& comparison, const Request& request, const BySplit& ours,
             Measurements& out) {
  if (comparison.original.empty() || ours.at("test").empty() || ours.at("forget").empty()) return;
  const evidence::Evidence& evidence = *comparison.evidence;
  const RowSets sets = row_sets(evidence);
  const bool classes = sets.forgotten == Forgotten::classes && !sets.unseen.empty();
  double original = mean(accuracies(request.context, evidence, comparison.original, "test"));
  double test = mean(ours.at("test"));
  if (classes) {
    original = mean_accuracy(request.context, evidence, comparison.original, sets.unseen);
    test = mean_accuracy(request.context, evidence, comparison.candidate, sets.unseen);
  }
  if (std::isnan(original) || std::isnan(test)) return;
  Row row = make_row("utility.aus", comparison, request);
  row.value =
      adaptive_unlearning_score(original, test, mean(ours.at("forget")), classes ? 0 : test);
  row.n = ours.at("test").size();
  row.facts["target"] = classes ? 0 : test;
  row.facts["forgotten"] = name(sets.forgotten);
  out.rows.push_back(std::move(row));
}

void add_time(const Comparison& comparison, const Request& request, Measurements& out) {
  const auto& seconds = comparison.evidence->seconds;
  const auto ours = seconds.find(comparison.candidate.front()->method);
  // Times are given by method or role; "retrain" is what the method of retraining is called.
  auto retrain = seconds.find("retrain");
  if (retrain == seconds.end()) retrain = seconds.find("retrained");
  if (ours == seconds.end() || retrain == seconds.end() || comparison.control != Control::none) {
    return;
  }
  Row row = make_row("utility.relative_time", comparison, request);
  row.n = 1;
  if (retrain->second == 0) {
    row.status = Status::undefined;
    row.notes = {reason(Code::retraining_took_no_time)};
    out.rows.push_back(std::move(row));
    return;
  }
  row.value = ours->second / retrain->second;
  constexpr double kCutOff = 0.2;
  if (row.value > kCutOff) row.notes = {reason(Code::slower_than_cutoff, kCutOff)};
  out.rows.push_back(std::move(row));
}

/// The retrained group has nothing to be compared with but itself: first half against second half.
Comparison within(const Comparison& comparison) {
  Comparison halves = comparison;
  const auto middle =
      comparison.candidate.begin() + static_cast<std::ptrdiff_t>(comparison.candidate.size() / 2);
  halves.candidate.assign(comparison.candidate.begin(), middle);
  halves.retrained.assign(middle, comparison.candidate.end());
  return halves;
}

bool says_likelihood(const evidence::Model& model, const char* split) {
  return evidence::has_tokens(model, split) || evidence::has_losses(model, split);
}

Support utility_support(const evidence::Evidence& evidence) {
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      if (!model.outputs.empty() || says_likelihood(model, "test") ||
          says_likelihood(model, "retain")) {
        if (evidence.find("retrained") != nullptr) return {true};
        return {true, reason(Code::without_accuracy_gaps,
                             reason(Code::needs_retrained_model,
                                    "retrained/0/{retain,test,forget}.npy"))};
      }
    }
  }
  return {false, reason(Code::needs_outputs,
                        std::vector<std::string>(kUtilitySplits.begin(), kUtilitySplits.end()),
                        "original/0/{retain,test,forget}.npy")};
}

Measurements measure_utility(const Comparison& comparison, const Request& request, Progress&) {
  Measurements out;
  const evidence::Evidence& evidence = *comparison.evidence;
  const BySplit ours = all_accuracies(request.context, evidence, comparison.candidate);
  for (const std::string_view split : kUtilitySplits) {
    if (!ours.at(split).empty()) add_accuracy(comparison, request, split, ours.at(split), out);
  }
  const bool alone = comparison.control == Control::retrained && comparison.retrained.empty();
  const Comparison pair = alone ? within(comparison) : comparison;
  if (!pair.candidate.empty() && !pair.retrained.empty()) {
    const BySplit candidate =
        alone ? all_accuracies(request.context, evidence, pair.candidate) : ours;
    const BySplit retrained = all_accuracies(request.context, evidence, pair.retrained);
    bool complete = true;
    for (const std::string_view split : kUtilitySplits) {
      if (candidate.at(split).empty() || retrained.at(split).empty()) {
        complete = false;
        continue;
      }
      add_gap(pair, request, split, candidate.at(split), retrained.at(split), out);
    }
    if (complete) add_combined(pair, request, candidate, retrained, out);
  }
  add_aus(comparison, request, ours, out);
  add_time(comparison, request, out);
  add_likelihood(comparison, request, out);
  add_by_class(comparison, request, out);
  return out;
}

Reason utility_impossible(const Planned& planned) {
  if (!planned.asks("utility.aus") || planned.models.at("original") > 0) return {};
  return reason(Code::planned_models_missing, "utility.aus", "original", 1);
}

}  // namespace

Family utility_family() {
  return {.name = "utility",
          .summary = "accuracy kept, and its difference from retrained models",
          .metrics = utility_metrics(),
          .ranges = {{"utility", kShare},
                     {"utility.likelihood", {}},
                     {"utility.negative_loss", {}},
                     {"utility.aus", {0, 2}},
                     {"utility.relative_time", kFromZero}},
          .support = utility_support,
          .prepare = each(measure_utility),
          .unit = Unit::group,
          .guards = true,
          .checkpoints = true,
          .impossible = utility_impossible};
}

}  // namespace vestige::metrics
