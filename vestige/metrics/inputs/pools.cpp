// Pools of models that cover the same rows.
#include "vestige/metrics/inputs/pools.h"

#include <fmt/format.h>

#include <algorithm>

namespace vestige::metrics {
namespace {

Reason missing_split(const Models& models, std::string_view split) {
  for (const evidence::Model* model : models) {
    if (model->has(split)) continue;
    return reason(Code::needs_outputs, std::vector{std::string(split)},
                  fmt::format("{}/{}.npy", model->id(), split));
  }
  return {};
}

std::size_t forget_models_of(const evidence::Group& group) {
  return static_cast<std::size_t>(
      std::count_if(group.models.begin(), group.models.end(),
                    [](const evidence::Model& model) { return model.has("forget"); }));
}

}  // namespace

Reason pool_obstacle(const Comparison& comparison, std::string_view split, std::size_t fewest) {
  if (comparison.evidence->find_labels(split) == nullptr) {
    return reason(Code::needs_labels, std::vector{std::string(split)},
                  fmt::format("labels/{}.npy", split));
  }
  const std::size_t least = std::min(comparison.candidate.size(), comparison.retrained.size());
  if (least < fewest) return reason(Code::needs_model_groups, fewest, least);
  Reason missing = missing_split(comparison.candidate, split);
  return missing.empty() ? missing_split(comparison.retrained, split) : missing;
}

Support pool_support(const evidence::Evidence& evidence, std::size_t fewest, std::size_t enough,
                     Code caution) {
  if (evidence.find_labels("forget") == nullptr) {
    return {false,
            reason(Code::needs_labels, std::vector<std::string>{"forget"}, "labels/forget.npy")};
  }
  const evidence::Group* retrained = evidence.find("retrained");
  const std::size_t references = retrained == nullptr ? 0 : forget_models_of(*retrained);
  std::size_t most = 0;
  for (const evidence::Group& group : evidence.groups) {
    if (group.role != "unlearned" && group.role != "original") continue;
    most = std::max(most, forget_models_of(group));
  }
  const std::size_t models = std::min(most, references);
  if (models < fewest) return {false, reason(Code::needs_model_groups, fewest, models)};
  if (models >= enough) return {true, {}};
  return {true, reason(caution, models, enough)};
}

Reason pool_impossible(const Planned& planned, std::string_view group, std::int64_t fewest) {
  const std::int64_t retrained = planned.models.at("retrained");
  const std::int64_t unlearned = planned.models.at("unlearned");
  if (std::min(retrained, unlearned) >= fewest) return {};
  return reason(Code::planned_model_groups_too_small, group, retrained, unlearned, fewest);
}

}  // namespace vestige::metrics
