// What a language model makes of each split, and how far its losses lie from a retrained model's.
#include <fmt/format.h>

#include <cmath>

#include "vestige/metrics/inputs/likelihood.h"
#include "vestige/metrics/lm/lm_parts.h"
#include "vestige/metrics/lm/lm_scores.h"
#include "vestige/metrics/stats/kolmogorov_smirnov.h"
#include "vestige/metrics/stats/roc.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

Reason needs_retrained() {
  return reason(Code::needs_retrained_model, "retrained/0/{tokens,losses}/forget.npy");
}

/// AUC of forget above test by min-k%; NaN without tokens of both.
double min_k_auc(const evidence::Evidence& evidence, const evidence::Model& model, double k) {
  if (!evidence::has_tokens(model, "forget") || !evidence::has_tokens(model, "test")) {
    return kUndefined;
  }
  const auto scores = [&](const char* split) {
    return min_k_scores(evidence::read_log_probabilities(evidence, model, split).sequences(), k);
  };
  return auc_of_samples(scores("forget"), scores("test"));
}

}  // namespace

void add_likelihoods(LmRows& rows) {
  for (const std::string_view split : {"forget", "retain", "test"}) {
    if (!has_likelihoods(rows.evidence(), rows.model(), split)) continue;
    const std::vector<double> losses = row_losses(rows.evidence(), rows.model(), split);
    Row perplexity = rows.make(fmt::format("perplexity.{}", split));
    const Estimate loss = t_interval(losses);
    perplexity.value = std::exp(loss.value);
    perplexity.n = losses.size();
    if (!std::isnan(loss.lower)) {
      perplexity.lower = std::max(1.0, std::exp(loss.lower));
      perplexity.upper = std::exp(loss.upper);
      perplexity.interval = result::Code::exp_t_over_sequences;
    }
    rows.push(std::move(perplexity));
    rows.push_mean(rows.make(fmt::format("probability.{}", split)), lm_confidences(losses));
  }
}

void push_distance(std::string_view what, std::span<const double> ours,
                   std::span<const double> theirs, const evidence::Model& retrained, LmRows& rows) {
  const std::vector<double> left = defined(ours);
  const std::vector<double> right = defined(theirs);
  const KolmogorovSmirnov seen = kolmogorov_smirnov(left, right);
  const auto push = [&](std::string_view suffix, double value) {
    Row row = rows.make(std::string(what) + std::string(suffix));
    row.value = value;
    row.n = left.size();
    row.facts["against"] = retrained.id();
    row.facts["exact"] = seen.exact;
    rows.push(std::move(row), ours.size() - left.size(), Code::no_finite_score);
  };
  push("", seen.statistic);
  push(".p", seen.p);
  push(".log10_p", seen.log10_p);
}

void add_loss_distance(LmRows& rows) {
  const evidence::Model* retrained = retrained_beside(rows.comparison());
  if (retrained == nullptr || !has_losses_of(*retrained, {"forget"})) {
    return rows.skip(rows.make("ks.loss"), needs_retrained());
  }
  push_distance("ks.loss", row_losses(rows.evidence(), rows.model(), "forget"),
                row_losses(rows.evidence(), *retrained, "forget"), *retrained, rows);
}

void add_privacy_leakage(const LmSettings& settings, LmRows& rows) {
  Row row = rows.make("privleak");
  const evidence::Model* retrained = retrained_beside(rows.comparison());
  if (retrained == nullptr) return rows.skip(std::move(row), needs_retrained());
  const double ours = min_k_auc(rows.evidence(), rows.model(), settings.privleak_k);
  const double theirs = min_k_auc(rows.evidence(), *retrained, settings.privleak_k);
  if (std::isnan(ours) || std::isnan(theirs)) {
    return rows.skip(std::move(row),
                     reason(Code::needs_tokens, rows.model().folder + "/tokens/{forget,test}.npy"));
  }
  // MUSE (Shi et al. 2025): relative to the attack's error on retrained.
  row.value = theirs == 1 ? kUndefined : (theirs - ours) / (1 - theirs) * 100;
  row.n = sequence_count(rows.model(), "forget") + sequence_count(rows.model(), "test");
  row.facts = {{"k", settings.privleak_k},
               {"auc", ours},
               {"auc_retrained", theirs},
               {"against", retrained->id()}};
  rows.push(std::move(row), 0, Code::attack_perfect_on_retrained);
}

}  // namespace vestige::metrics
