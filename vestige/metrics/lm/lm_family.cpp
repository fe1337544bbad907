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
std::string too_few(const Model& model) {
  for (const char* split : {"forget", "retain"}) {
    const std::size_t rows = sequence_count(model, split);
    if (rows >= kFewestSequences) continue;
    return fmt::format("{} has {} sequences: give at least {}", split, rows, kFewestSequences);
  }
  return {};
}

Measurements skipped(std::string_view family, const Comparison& comparison, const Request& request,
                     std::string why) {
  Measurements out;
  Row row = make_row(fmt::format("{}.loss.auc", family), comparison, request);
  row.status = Status::skipped;
  row.note = std::move(why);
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
    return {false,
            "needs token log-probabilities of a language model: add "
            "ROLE/0/tokens/{forget,retain}.npy and {forget,retain}.offsets.npy (or losses of "
            "sequences, ROLE/0/losses/{forget,retain}.npy, with losses = \"sequence\" in "
            "evidence.toml)"};
  }
  std::string sentence;
  const auto lacks = [&](bool there, std::string_view text) {
    if (there) return;
    sentence += sentence.empty() ? "" : "; ";
    sentence += text;
  };
  const Models shadows = lm_shadows(evidence, "retain", 0);
  lacks(!shadows.empty(),
        "ratio, lira, rmia and iam need a shadow model, add shadow/0/tokens/{forget,retain,test}"
        ".npy with offsets");
  lacks(some_model(evidence, "test"),
        "AUCs of forget against test and privleak need test sequences, add tokens/test.npy");
  lacks(shadows.empty() ||
            (some_model(evidence, "test") && has_losses_of(*shadows.front(), {"test"})),
        "rmia needs test sequences, add tokens/test.npy of every model and shadow");
  lacks(evidence.text.count("forget") > 0 && evidence.text.count("retain") > 0,
        "zlib and bag_of_words need the texts, add text/{forget,retain}.txt");
  lacks(some_model(evidence, "forget.lower"),
        "lower needs tokens/{forget,retain}.lower.npy with offsets");
  lacks(some_model(evidence, "forget.mean") && some_model(evidence, "forget.std"),
        "min_k_plus_plus needs tokens/{forget,retain}.mean.npy and .std.npy");
  lacks(some_model(evidence, "forget.entropy"), "surp needs tokens/{forget,retain}.entropy.npy");
  return {true, sentence};
}

Measurements measure_lm(const Comparison& comparison, const Request& request, Progress&) {
  const Model& model = *comparison.candidate.front();
  if (!can_be_scored(model)) {
    return skipped("lm", comparison, request,
                   fmt::format("needs token log-probabilities: add {}/tokens/{{forget,retain}}.npy "
                               "with offsets",
                               comparison.subject.id()));
  }
  const std::string few = too_few(model);
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
    return {false,
            "needs one loss per row of models that show nothing else: add "
            "ROLE/0/losses/{forget,retain,test}.npy"};
  }
  if (lm_shadows(evidence, "retain", 0).empty()) {
    return {true,
            "ratio, reference, emia_r, lira, rmia and iam need a shadow model, add "
            "shadow/0/losses/{forget,retain,test}.npy"};
  }
  return {true, ""};
}

Measurements measure_losses(const Comparison& comparison, const Request& request, Progress&) {
  const Model& model = *comparison.candidate.front();
  if (!can_be_scored(model)) {
    return skipped(
        "losses", comparison, request,
        fmt::format("needs losses: add {}/losses/{{forget,retain}}.npy", comparison.subject.id()));
  }
  const std::string few = too_few(model);
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
          .summary = "does a model that shows losses only still know the forget rows",
          .metrics = losses_metrics(),
          .ranges = lm_ranges(losses_metrics()),
          .support = losses_support,
          .prepare = each(measure_losses)};
}

}  // namespace vestige::metrics
