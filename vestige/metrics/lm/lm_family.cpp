// The families of language models and of models that show losses only.
#include "vestige/metrics/lm/lm_family.h"

#include <fmt/format.h>

#include <algorithm>

#include "vestige/metrics/inputs/likelihood.h"
#include "vestige/metrics/lm/lm_metrics.h"
#include "vestige/metrics/lm/lm_parts.h"

namespace vestige::metrics {
namespace {

using evidence::Evidence;
using evidence::Group;
using evidence::Model;

constexpr std::size_t kFewestSequences = 4;

/// True if some model is a language model: tokens, or losses that are declared as those of
/// sequences.
bool speaks(const Evidence& evidence) {
  const Model* model = first_scored(evidence);
  return model != nullptr && has_likelihoods(evidence, *model, "forget");
}

/// A lone pair of sequences has an AUC of 0 or 1 and says nothing.
Reason too_few(const Model& model) {
  for (const char* split : {"forget", "retain"}) {
    const std::size_t rows = sequence_count(model, split);
    if (rows >= kFewestSequences) continue;
    return reason(Code::needs_more_examples, split, rows, kFewestSequences);
  }
  return {};
}

Measurements skipped(std::string_view family, const Comparison& comparison, const Request& request,
                     Reason why) {
  Measurements out;
  Row row = make_row(fmt::format("{}.loss.auc", family), comparison, request);
  row.status = Status::skipped;
  row.notes = {std::move(why)};
  out.rows.push_back(std::move(row));
  return out;
}

bool some_model(const Evidence& evidence, std::string_view key) {
  return std::any_of(evidence.groups.begin(), evidence.groups.end(), [&](const Group& group) {
    return group.role != "shadow" && group.role != "random" &&
           std::any_of(group.models.begin(), group.models.end(), [&](const Model& model) {
             const std::string name(key);
             return model.tokens.count(name) > 0 || model.losses.count(name) > 0;
           });
  });
}

Support lm_support(const Evidence& evidence) {
  if (!speaks(evidence)) {
    return {false, Code::needs_language_model};
  }
  Reasons cautions;
  const auto lacks = [&](bool there, std::vector<std::string> scores, const char* files) {
    if (!there) cautions.push_back(reason(Code::scores_need_files, std::move(scores), files));
  };
  const Models shadows = lm_shadows(evidence, "retain", 0);
  const bool test = some_model(evidence, "test");
  lacks(!shadows.empty(), {"ratio", "reference", "emia_r", "lira", "rmia", "iam"},
        "shadow/0/tokens/{forget,retain,test}.npy");
  lacks(test, {"auc.forget_test", "privleak"}, "ROLE/0/tokens/test.npy");
  lacks(shadows.empty() || (test && has_losses_of(*shadows.front(), {"test"})), {"rmia"},
        "{ROLE,shadow}/0/tokens/test.npy");
  lacks(evidence.text.count("forget") > 0 && evidence.text.count("retain") > 0,
        {"zlib", "bag_of_words"}, "text/{forget,retain}.txt");
  lacks(some_model(evidence, "forget.lower"), {"lower"}, "ROLE/0/tokens/{forget,retain}.lower.npy");
  lacks(some_model(evidence, "forget.mean") && some_model(evidence, "forget.std"),
        {"min_k_plus_plus"}, "ROLE/0/tokens/{forget,retain}.{mean,std}.npy");
  lacks(some_model(evidence, "forget.entropy"), {"surp"},
        "ROLE/0/tokens/{forget,retain}.entropy.npy");
  return {true, cautions.empty() ? Reason() : reason(Code::several, cautions)};
}

Measurements measure_lm(const Comparison& comparison, const Request& request, Progress&) {
  const Model& model = *comparison.candidate.front();
  if (!can_be_scored(model)) {
    return skipped(
        "lm", comparison, request,
        reason(Code::needs_tokens, comparison.subject.id() + "/tokens/{forget,retain}.npy"));
  }
  const Reason few = too_few(model);
  if (!few.empty()) return skipped("lm", comparison, request, few);
  Measurements out;
  LmRows rows("lm", comparison, request, out);
  const LmSettings settings = lm_settings(request);
  add_membership(settings, rows);
  add_likelihoods(rows);
  add_loss_distance(rows);
  add_privacy_leakage(settings, rows);
  add_memorization(settings, rows);
  add_answers(rows);
  add_graded(settings, rows);
  return out;
}

Support losses_support(const Evidence& evidence) {
  const Model* model = first_scored(evidence);
  if (model == nullptr || has_likelihoods(evidence, *model, "forget")) {
    return {false, reason(Code::needs_losses, "ROLE/0/losses/{forget,retain,test}.npy")};
  }
  if (lm_shadows(evidence, "retain", 0).empty()) {
    return {true,
            reason(Code::scores_need_files,
                   std::vector<std::string>{"ratio", "reference", "emia_r", "lira", "rmia", "iam"},
                   "shadow/0/losses/{forget,retain,test}.npy")};
  }
  return {true, {}};
}

Measurements measure_losses(const Comparison& comparison, const Request& request, Progress&) {
  const Model& model = *comparison.candidate.front();
  if (!can_be_scored(model)) {
    return skipped(
        "losses", comparison, request,
        reason(Code::needs_losses, comparison.subject.id() + "/losses/{forget,retain}.npy"));
  }
  const Reason few = too_few(model);
  if (!few.empty()) return skipped("losses", comparison, request, few);
  Measurements out;
  LmRows rows("losses", comparison, request, out);
  const LmSettings settings = lm_settings(request);
  add_membership(settings, rows);
  add_loss_distance(rows);
  add_graded(settings, rows);
  return out;
}

}  // namespace

Family lm_family() {
  return {.name = "lm",
          .summary = "does a language model still know the forget sequences",
          .metrics = lm_metrics(),
          .ranges = lm_ranges(lm_metrics()),
          .support = lm_support,
          .prepare = each(measure_lm),
          .options = lm_options().options()};
}

Family losses_family() {
  return {.name = "losses",
          .summary = "does a model of which only losses are known still know the forget examples",
          .metrics = losses_metrics(),
          .ranges = lm_ranges(losses_metrics()),
          .support = losses_support,
          .prepare = each(measure_losses)};
}

}  // namespace vestige::metrics
