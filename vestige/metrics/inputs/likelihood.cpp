// Sequence likelihoods from token arrays.
#include "vestige/metrics/inputs/likelihood.h"

#include "vestige/evidence/losses.h"
#include "vestige/evidence/tokens.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {

bool has_likelihoods(const evidence::Evidence& evidence, const evidence::Model& model,
                     std::string_view split) {
  return evidence::has_tokens(model, split) ||
         (evidence.sequence_losses && evidence::has_losses(model, split));
}

std::set<std::string> utility_splits(const evidence::Model& model) {
  constexpr std::string_view kPrefix = "utility.";
  std::set<std::string> splits;
  for (const auto* arrays : {&model.tokens, &model.losses}) {
    for (const auto& [key, array] : *arrays) {
      if (key.starts_with(kPrefix)) splits.insert(key.substr(0, key.find('.', kPrefix.size())));
    }
  }
  return splits;
}

std::size_t sequence_count(const evidence::Model& model, std::string_view split) {
  if (!evidence::has_tokens(model, split)) return model.losses.at(std::string(split)).rows();
  const auto offsets = model.tokens.find(std::string(split) + ".offsets");
  return offsets == model.tokens.end() || offsets->second.size() == 0 ? 0
                                                                      : offsets->second.size() - 1;
}

std::vector<double> sequence_likelihoods(const evidence::Evidence& evidence,
                                         const evidence::Model& model, std::string_view split) {
  if (!evidence::has_tokens(model, split)) {
    std::vector<double> losses = evidence::read_losses(evidence, model, split);
    for (double& loss : losses) loss = -loss;
    return losses;
  }
  const evidence::TokenSplit tokens = evidence::read_log_probabilities(evidence, model, split);
  const evidence::Sequences sequences = tokens.sequences();
  std::vector<double> means;
  for (std::size_t index = 0; index < sequences.size(); ++index) {
    means.push_back(mean(sequences[index]));
  }
  return means;
}

}  // namespace vestige::metrics
