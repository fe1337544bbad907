// Pools of models that cover the same rows.
#include "vestige/metrics/inputs/pools.h"

#include <fmt/format.h>

#include <algorithm>

namespace vestige::metrics {
namespace {

std::string missing_split(const Models& models, std::string_view split) {
  for (const evidence::Model* model : models) {
    if (!model->has(split)) return fmt::format("add {}/{}.npy", model->id(), split);
  }
  return {};
}

std::size_t forget_models_of(const evidence::Group& group) {
  return static_cast<std::size_t>(
      std::count_if(group.models.begin(), group.models.end(),
                    [](const evidence::Model& model) { return model.has("forget"); }));
}

}  // namespace

std::string pool_obstacle(const Comparison& comparison, std::string_view split,
                          std::size_t fewest) {
  if (comparison.evidence->find_labels(split) == nullptr) {
    return fmt::format("no labels of {}: add labels/{}.npy", split, split);
  }
  const std::size_t least = std::min(comparison.candidate.size(), comparison.retrained.size());
  if (least < fewest) {
    return fmt::format("{} model{} a side: it compares pools and needs at least {} of each", least,
                       least == 1 ? "" : "s", fewest);
  }
  const std::string missing = missing_split(comparison.candidate, split);
  return missing.empty() ? missing_split(comparison.retrained, split) : missing;
}

Support pool_support(const evidence::Evidence& evidence, std::size_t fewest, std::size_t enough,
                     std::string_view caution) {
  if (evidence.find_labels("forget") == nullptr) {
    return {false, "needs the labels of the forget rows: add labels/forget.npy"};
  }
  const evidence::Group* retrained = evidence.find("retrained");
  const std::size_t references = retrained == nullptr ? 0 : forget_models_of(*retrained);
  std::size_t most = 0;
  for (const evidence::Group& group : evidence.groups) {
    if (group.role != "unlearned" && group.role != "original") continue;
    most = std::max(most, forget_models_of(group));
  }
  const std::size_t models = std::min(most, references);
  if (models < fewest) {
    return {false, fmt::format("compares pools: add at least {} models of a method and of "
                               "retrained, retrained/0/forget.npy and so on",
                               fewest)};
  }
  if (models >= enough) return {true, ""};
  return {true, fmt::format("{} models a side: {}; give at least {}", models, caution, enough)};
}

std::string pool_impossible(const Planned& planned, std::string_view what, std::int64_t fewest) {
  const std::int64_t retrained = planned.models.at("retrained");
  const std::int64_t unlearned = planned.models.at("unlearned");
  if (std::min(retrained, unlearned) >= fewest) return {};
  return fmt::format(
      "{} compares pools and would have {} retrained and {} unlearned models: give [pool] "
      "retrained "
      "and original {} or more",
      what, retrained, unlearned, fewest);
}

}  // namespace vestige::metrics
