// Rows of the MIAU family.
#include "vestige/metrics/miau/miau_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>

#include "vestige/base/parallel.h"
#include "vestige/metrics/inputs/accuracy.h"
#include "vestige/metrics/inputs/attack_inputs.h"
#include "vestige/metrics/miau/miau_attacks.h"
#include "vestige/metrics/miau/miau_context.h"
#include "vestige/metrics/miau/miau_graded.h"
#include "vestige/metrics/miau/miau_options.h"
#include "vestige/metrics/miau/strong_attack_rows.h"
#include "vestige/metrics/series.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

using evidence::Model;

/// Mean over attack seeds of a quantity in [0, 100]; the interval is cut to that range.
void set_over_seeds(const std::vector<double>& values, Row& row) {
  const Estimate estimate = t_interval(values);
  row.value = estimate.value;
  if (values.size() < 2) {
    row.notes = {reason(Code::no_interval_from_one_attack)};
    return;
  }
  row.lower = std::max(0.0, estimate.lower);
  row.upper = std::min(100.0, estimate.upper);
  row.interval = result::Code::t_over_attack_seeds;
}

/// Of the attacks on a model, those that its values come from: originals and retrained models may
/// have been attacked more often, so that their difference can be judged.
std::vector<double> scored(const MiauContext& context, std::vector<double> values) {
  if (values.size() > context.settings.seeds) values.resize(context.settings.seeds);
  return values;
}

void set_attack(const MiauContext& context, const std::vector<double>& values, Row& row) {
  const AttackedModel& ours = *context.find(context.comparison.candidate.front());
  if (context.comparison.candidate.front()->role == "partial") {
    row.facts["forget_rows"] = ours.forget_rows;
    row.facts["scored_on"] = name(ours.on_removed ? GradedRows::removed : GradedRows::all);
  }
  row.settings["attack"] = context.settings.attack();
  if (context.settings.rows > 0) row.settings["rows"] = context.settings.rows;
  row.facts["seeds"] = context.settings.seeds;
  row.facts["std"] = json_number(standard_deviation(values));
}

void skip(Row row, Reason why, Measurements& out) {
  row.status = Status::skipped;
  row.notes = {std::move(why)};
  out.rows.push_back(std::move(row));
}

void mark(Row& row, Reason why) {
  row.status = Status::unreliable;
  row.notes.push_back(std::move(why));
}

void add_accuracies(const MiauContext& context, Measurements& out) {
  const AttackedModel& ours = *context.find(context.comparison.candidate.front());
  for (std::size_t task = 0; task < kPairTasks.size(); ++task) {
    Row row = make_row(fmt::format("miau.mia.{}", name(kPairTasks[task])), context.comparison,
                       context.request);
    if (!ours.ran(task)) {
      skip(std::move(row), ours.missing[task], out);
      continue;
    }
    const std::vector<double> values = scored(context, ours.accuracy[task]);
    set_over_seeds(values, row);
    row.n = ours.rows[task];
    set_attack(context, values, row);
    if (ours.constant) row.notes.push_back(Code::answers_are_constant);
    if (const auto noise = noise_of(context, task)) mark(row, noise->full);
    out.rows.push_back(std::move(row));
  }
}

/// Why there is no score; empty if there is one.
Reason no_score_because(const MiauContext& context) {
  if (context.parts.original == nullptr) {
    return reason(Code::needs_original_model, "original/0/{forget,retain,test}.npy");
  }
  if (context.parts.retrained == nullptr) {
    return reason(Code::needs_retrained_model, "retrained/0/{forget,retain,test}.npy");
  }
  for (const Model* model :
       {context.comparison.candidate.front(), context.parts.original, context.parts.retrained}) {
    const AttackedModel& attacked = *context.find(model);
    for (std::size_t task = 0; task < kScoredTasks; ++task) {
      if (!attacked.ran(task)) {
        return reason(Code::about_model, model->id(), attacked.missing[task]);
      }
    }
  }
  return {};
}

void set_score(const MiauContext& context, const std::vector<double>& values, Row& row) {
  set_attack(context, values, row);
  row.settings["alpha"] = context.settings.score.alpha;
  row.facts["original"] = context.parts.original->id();
  row.facts["retrained"] = context.parts.retrained->id();
}

void add_mus(const MiauContext& context, const std::vector<MiauScore>& scores, std::size_t task,
             Measurements& out) {
  Row row = make_row(fmt::format("miau.mus.{}", name(kPairTasks[task])), context.comparison,
                     context.request);
  std::vector<double> mus, closures;
  for (const MiauScore& score : scores) {
    mus.push_back(score.mus[task]);
    closures.push_back(score.closure[task]);
  }
  set_over_seeds(mus, row);
  row.n = context.find(context.comparison.candidate.front())->rows[task];
  set_score(context, mus, row);
  row.facts["closure"] = json_number(mean(closures));
  if (const auto noise = noise_of(context, task)) {
    mark(row, noise->full);
    row.notes.push_back(Code::score_divides_by_noise);
  }
  out.rows.push_back(std::move(row));
}

void add_score(const MiauContext& context, Measurements& out) {
  Row row = make_row("miau.score", context.comparison, context.request);
  Reason missing = no_score_because(context);
  if (!missing.empty()) return skip(std::move(row), std::move(missing), out);
  const Model& model = *context.comparison.candidate.front();
  const std::vector<MiauScore> scores = scores_of(context, model, context.parts);
  const std::vector<double> values = totals(scores);
  set_over_seeds(values, row);
  row.n = context.settings.seeds;
  set_score(context, values, row);
  row.facts["weights"] = context.settings.score.weights;
  Reasons tasks;
  for (std::size_t task = 0; task < kScoredTasks; ++task) {
    if (auto noise = noise_of(context, task)) tasks.push_back(std::move(noise->brief));
  }
  if (tasks.size() == kScoredTasks) {
    mark(row, reason(Code::score_is_noise, std::move(tasks)));
  } else if (!tasks.empty()) {
    row.notes.push_back(reason(Code::score_is_partly_noise, std::move(tasks)));
  }
  add_graded(context, row);
  out.rows.push_back(std::move(row));
  for (std::size_t task = 0; task < kScoredTasks; ++task) {
    add_mus(context, scores, task, out);
  }
}

/// NoMUS of the accuracy on test rows and the attack on forget against test, seed by seed.
void add_nomus(const MiauContext& context, Measurements& out) {
  constexpr std::size_t kForgetTest = 1;
  Row row = make_row("miau.nomus", context.comparison, context.request);
  const Model& model = *context.comparison.candidate.front();
  const AttackedModel& ours = *context.find(&model);
  if (!ours.ran(kForgetTest)) return skip(std::move(row), ours.missing[kForgetTest], out);
  const std::vector<double> accuracy =
      has_labels(*context.comparison.evidence, {"test"})
          ? accuracies(context.request.context, *context.comparison.evidence, {&model}, "test")
          : std::vector<double>();
  if (accuracy.empty()) {
    return skip(std::move(row),
                reason(Code::needs_outputs_and_labels, std::vector<std::string>{"test"},
                       model.id() + "/test.npy" + ", " + "labels/test.npy"),
                out);
  }
  std::vector<double> values;
  for (const double right : scored(context, ours.accuracy[kForgetTest])) {
    values.push_back(nomus(accuracy.front(), right / 100));
  }
  const Estimate estimate = t_interval(values);
  row.value = estimate.value;
  if (values.size() < 2) {
    row.notes = {reason(Code::no_interval_from_one_attack)};
  } else {
    row.lower = std::max(0.0, estimate.lower);
    row.upper = std::min(1.0, estimate.upper);
    row.interval = result::Code::t_over_attack_seeds;
  }
  row.n = ours.rows[kForgetTest];
  set_attack(context, values, row);
  row.facts["test_accuracy"] = accuracy.front();
  row.facts["utility_weight"] = kNomusUtility;
  out.rows.push_back(std::move(row));
}

/// How many attacks there will be on all models.
std::uint64_t attacks_of(const Preparation& from, const Models& ends, const Models& graded,
                         const MiauSettings& settings) {
  std::set<const Model*> often(ends.begin(), ends.end());
  often.erase(nullptr);
  std::set<const Model*> once(graded.begin(), graded.end());
  for (const Comparison& comparison : from.comparisons) once.insert(comparison.candidate.front());
  std::erase_if(once, [&](const Model* model) { return often.count(model) > 0; });
  return kPairTasks.size() * (often.size() * settings.judged() + once.size() * settings.seeds);
}

/// Models that others are read against are attacked once, however many comparisons ask for them:
/// originals and retrained models often enough to judge their difference, graded ones as methods.
AttackedModels attack_shared(const Preparation& from, const MiauSettings& settings,
                             const StrongReferences& strong) {
  Models ends, graded;
  for (const Comparison& comparison : from.comparisons) {
    const Model& model = *comparison.candidate.front();
    const MiauParts parts = parts_of(comparison, model);
    ends.push_back(parts.original);
    ends.push_back(parts.retrained);
    if (model.role == "partial") graded.push_back(&model);
  }
  if (from.progress != nullptr) from.progress->expect(attacks_of(from, ends, graded, settings));
  AttackedModels shared = attack_models(from.request.context, from.evidence, ends, settings,
                                        settings.judged(), from.progress, &strong);
  shared.merge(attack_models(from.request.context, from.evidence, graded, settings, settings.seeds,
                             from.progress, &strong));
  return shared;
}

/// Distributions of attack accuracies on the original, the retrained and this model (MIAU, Figures
/// 5, 16 and 17: there over ten splits, here over attack seeds).
void add_distributions(const MiauContext& context, Measurements& out) {
  if (!gives_series(context.comparison)) return;
  const Model& model = *context.comparison.candidate.front();
  const std::vector<double> edges = equal_bins(0, 100, 50);
  for (std::size_t task = 0; task < kScoredTasks; ++task) {
    const auto add = [&](const Model* whose, const char* group) {
      const AttackedModel* attacked = context.find(whose);
      if (attacked == nullptr || attacked->accuracy[task].size() < 2) return;
      out.series.push_back(histogram_series(fmt::format("miau.mia.{}", name(kPairTasks[task])),
                                            group, attacked->accuracy[task], edges,
                                            context.comparison));
    };
    add(context.parts.original, "original");
    add(context.parts.retrained, "retrained");
    if (model.role != "original" && model.role != "retrained") add(&model, "this model");
  }
}

Measure prepare_miau(const Preparation& from) {
  const Request& request = from.request;
  const MiauSettings settings = miau_settings(request);
  const auto strong =
      std::make_shared<const StrongReferences>(request.context, from.evidence, settings);
  const auto shared =
      std::make_shared<const AttackedModels>(attack_shared(from, settings, *strong));
  return [&request, settings, shared, strong](const Comparison& comparison, Progress& progress) {
    const Model& model = *comparison.candidate.front();
    MiauContext context{comparison, request, settings, parts_of(comparison, model), *shared, {}};
    Models models;
    const auto add = [&](const Model* some) {
      if (some != nullptr && shared->count(some) == 0) models.push_back(some);
    };
    add(&model);
    if (model.role == "partial") {
      for (const Model* partial : partial_models(*comparison.evidence)) {
        const MiauParts parts = parts_of(comparison, *partial);
        for (const Model* some : {partial, parts.original, parts.retrained}) add(some);
      }
    }
    context.own = attack_models(request.context, *comparison.evidence, models, settings,
                                settings.seeds, &progress, strong.get());
    Measurements out;
    add_score(context, out);
    add_accuracies(context, out);
    add_nomus(context, out);
    add_distributions(context, out);
    add_strong_attacks(comparison, request, *strong, out);
    return out;
  };
}

/// Boosted trees on maps take many seconds a model: only as many attack seeds are tried as there
/// are threads.
std::optional<double> seconds_per_model(const evidence::Evidence& evidence, const Json& options,
                                        const Context& context) {
  const MiauSettings settings = miau_settings({.seed = 1, .options = options});
  if (settings.inner != InnerAttack::features ||
      (settings.features != AttackFeatures::saliency &&
       settings.classifier != AttackClassifier::xgboost)) {
    return std::nullopt;
  }
  const auto all = static_cast<double>(settings.seeds);
  const auto tried = static_cast<std::size_t>(context.threads());
  const auto start = std::chrono::steady_clock::now();
  (void)attack_models(context, evidence, {&evidence.groups.front().models.front()}, settings,
                      tried);
  const double taken =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return taken * all / static_cast<double>(tried);
}

}  // namespace

Family miau_family() {
  return {.name = "miau",
          .summary =
              "share of the attack gap between the original and the retrained model that is closed",
          .metrics = miau_metrics(),
          .ranges = {{"miau", kPercent}, {"miau.table4", kShare}, {"miau.nomus", kShare}},
          .support = miau_support,
          .prepare = prepare_miau,
          .options = miau_options().options(),
          .series = miau_series(),
          .impossible = miau_impossible,
          .too_large = miau_too_large,
          .cost = miau_cost,
          .seconds_per_model = seconds_per_model};
}

}  // namespace vestige::metrics
