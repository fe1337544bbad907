// Scores of a model by itself: from its tokens and from the texts.
#include <cmath>

#include "vestige/metrics/lm/lm_evidence.h"
#include "vestige/metrics/lm/lm_scores.h"
#include "vestige/metrics/lm/lm_target.h"

namespace vestige::metrics {
namespace {

using evidence::TokenSplit;

/// With weights p the mean of ln p is minus the entropy, which tells the two conventions apart
/// where both arrays were exported.
bool mean_is_minus_entropy(const TokenSplit& split) {
  if (split.entropy.empty()) return false;
  double difference = 0;
  for (std::size_t token = 0; token < split.mean.size(); ++token) {
    difference += std::abs(split.mean[token] + split.entropy[token]);
  }
  return difference / static_cast<double>(split.mean.size()) < 0.01;
}

}  // namespace

LmScore LmEvidence::lower(const Target& target) const {
  LmScore score{.name = "lower", .why_undefined = Code::reference_loss_is_zero};
  if (target.forget.lower.empty() || target.other.lower.empty()) {
    score.missing = reason(Code::needs_lower_case_tokens, token_files(target.model, ".lower.npy"));
    return score;
  }
  score.values = lm_ratio_scores(target.losses, target.both([](const TokenSplit& split) {
    return lm_losses(split.lower_sequences());
  }));
  return score;
}

LmScore LmEvidence::zlib(const Target& target, bool bytes) const {
  LmScore score{.name = bytes ? "zlib_bytes" : "zlib", .why_undefined = Code::text_without_words};
  const std::vector<std::string> all = texts();
  if (all.empty()) {
    score.missing = reason(Code::needs_texts, "text/{forget," + other_ + "}.txt");
    return score;
  }
  score.values =
      bytes ? lm_zlib_bytes_scores(target.losses, all) : lm_zlib_scores(target.losses, all);
  return score;
}

LmScore LmEvidence::min_k(const Target& target) const {
  LmScore score{.name = "min_k", .facts = {{"k", settings_.k}}};
  if (target.forget.log_probabilities.empty() || target.other.log_probabilities.empty()) {
    score.missing = reason(Code::needs_tokens, token_files(target.model, ".npy"));
    return score;
  }
  score.values = target.both(
      [&](const TokenSplit& split) { return min_k_scores(split.sequences(), settings_.k); });
  return score;
}

LmScore LmEvidence::gradient_norm(const Target& target) const {
  LmScore score{.name = "gradnorm"};
  if (target.forget.gradient_norm.empty() || target.other.gradient_norm.empty()) {
    score.missing = reason(Code::needs_gradient_norms, token_files(target.model, ".gradnorm.npy"));
    return score;
  }
  score.values = target.both([](const TokenSplit& split) {
    std::vector<double> values = split.gradient_norm;
    for (double& value : values) value = -value;
    return values;
  });
  return score;
}

LmScore LmEvidence::min_k_plus_plus(const Target& target) const {
  LmScore score{.name = "min_k_plus_plus", .why_undefined = Code::deviation_is_zero};
  if (target.forget.mean.empty() || target.forget.deviation.empty() || target.other.mean.empty() ||
      target.other.deviation.empty()) {
    score.missing = reason(Code::needs_token_moments, token_files(target.model, ".{mean,std}.npy"));
    return score;
  }
  score.values = target.both([&](const TokenSplit& split) {
    return min_k_plus_plus_scores(split.sequences(), split.mean, split.deviation,
                                  settings_.plus_plus_k);
  });
  score.facts["k"] = settings_.plus_plus_k;
  const bool weighted = mean_is_minus_entropy(target.forget) && mean_is_minus_entropy(target.other);
  score.facts["moments"] = !evidence_.token_moments.empty() ? evidence_.token_moments
                           : weighted                       ? "weighted"
                                                            : "unknown";
  return score;
}

LmScore LmEvidence::surp(const Target& target) const {
  LmScore score{.name = "surp", .why_undefined = Code::no_surprising_token};
  if (target.forget.entropy.empty() || target.other.entropy.empty()) {
    score.missing = reason(Code::needs_token_entropy, token_files(target.model, ".entropy.npy"));
    return score;
  }
  const SurpOptions options{.k = settings_.surp_k, .max_entropy = settings_.surp_entropy};
  score.values = target.both([&](const TokenSplit& split) {
    return surp_scores(split.sequences(), split.entropy, options);
  });
  score.facts["k"] = options.k;
  score.facts["max_entropy"] = options.max_entropy;
  return score;
}

}  // namespace vestige::metrics
