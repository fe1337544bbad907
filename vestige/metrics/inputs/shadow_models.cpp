// Choosing shadow models, and reading pairs.
#include "vestige/metrics/inputs/shadow_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "vestige/base/seed.h"
#include "vestige/evidence/blocks.h"
#include "vestige/metrics/inputs/kept_numbers.h"
#include "vestige/metrics/inputs/true_class.h"
#include "vestige/metrics/scores/rmia.h"

namespace vestige::metrics {
namespace {

constexpr std::string_view kAfter = ".unlearned";
constexpr std::string_view kBefore = ".original";
const std::vector<std::string_view> kPairSplits = {"shadow_forget", "shadow_retain"};

const evidence::Model* named(const evidence::Group& group, const std::string& name) {
  for (const evidence::Model& model : group.models) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

}  // namespace

Models out_models(const evidence::Evidence& evidence, const std::vector<std::string_view>& splits) {
  Models models;
  const evidence::Group* shadows = evidence.find("shadow");
  if (shadows == nullptr) return models;
  for (const evidence::Model& model : shadows->models) {
    const bool half = model.name.ends_with(kAfter) || model.name.ends_with(kBefore);
    if (!half && covers(model, splits)) models.push_back(&model);
  }
  return models;
}

Models drawn_models(const Models& all, std::size_t count, std::uint64_t seed) {
  if (count == 0 || count >= all.size()) return all;
  Models drawn;
  Stream stream(seed, "shadow models");
  for (const std::size_t index : stream.sample(all.size(), count)) drawn.push_back(all[index]);
  return drawn;
}

Matrix stacked_models(const std::vector<std::vector<double>>& models) {
  Matrix result(models.size(), models.empty() ? 0 : models.front().size());
  for (std::size_t model = 0; model < models.size(); ++model) {
    std::copy(models[model].begin(), models[model].end(), result.row(model).begin());
  }
  return result;
}

Matrix posteriors(const evidence::Evidence& evidence, const evidence::Model& model,
                  const std::vector<std::string_view>& splits) {
  std::size_t rows = 0;
  for (const std::string_view split : splits) rows += model.outputs.at(std::string(split)).rows();
  Matrix all(rows, evidence.classes);
  auto next = all.values().begin();
  for (const std::string_view split : splits) {
    const Matrix part =
        evidence::probabilities(model.outputs.at(std::string(split)), evidence.kind);
    next = std::copy(part.values().begin(), part.values().end(), next);
  }
  return all;
}

std::vector<double> taylor_signals(const Context& context, const evidence::Evidence& evidence,
                                   const evidence::Model& model,
                                   const std::vector<std::string_view>& splits,
                                   double temperature) {
  std::vector<double> result;
  const std::string kept_as = fmt::format("taylor {}", temperature);
  for (const std::string_view split : splits) {
    const evidence::Array& outputs = model.outputs.at(std::string(split));
    const std::span<const std::int64_t> labels(*evidence.find_labels(model, split));
    const Numbers signals = kept_numbers(context, outputs, labels, kept_as, [&] {
      std::vector<double> values(outputs.rows());
      evidence::for_row_blocks(values.size(), [&](std::size_t first, std::size_t last) {
        std::ranges::copy(
            rmia_signals(evidence::matrix(outputs, first, last),
                         labels.subspan(first, last - first), {.temperature = temperature}),
            values.begin() + static_cast<std::ptrdiff_t>(first));
      });
      return values;
    });
    result.insert(result.end(), signals->begin(), signals->end());
  }
  return result;
}

std::vector<double> unleak_scores(const UnleakAttack& attack, const evidence::Evidence& evidence,
                                  const evidence::Model& original, const evidence::Model& unlearned,
                                  const std::vector<std::string_view>& splits) {
  std::vector<double> result;
  for (const std::string_view split : splits) {
    const evidence::Array& before = original.outputs.at(std::string(split));
    const evidence::Array& after = unlearned.outputs.at(std::string(split));
    const std::size_t start = result.size();
    result.resize(start + before.rows());
    evidence::for_row_blocks(before.rows(), [&](std::size_t first, std::size_t last) {
      std::ranges::copy(attack.scores(evidence::probabilities(before, evidence.kind, first, last),
                                      evidence::probabilities(after, evidence.kind, first, last)),
                        result.begin() + static_cast<std::ptrdiff_t>(start + first));
    });
  }
  return result;
}

std::vector<UnleakPair> shadow_pairs(const evidence::Evidence& evidence, const Models& shadows) {
  std::vector<UnleakPair> found;
  const evidence::Group* group = evidence.find("shadow");
  if (group == nullptr) return found;
  for (const evidence::Model& model : group->models) {
    const bool wanted =
        shadows.empty() || std::find(shadows.begin(), shadows.end(), &model) != shadows.end();
    if (!wanted || !covers(model, kPairSplits)) continue;
    const evidence::Model* before = &model;
    const evidence::Model* after = named(*group, model.name + std::string(kAfter));
    if (after == nullptr) {
      before = named(*group, model.name + std::string(kBefore));
      after = &model;
    }
    if (before == nullptr || !covers(*before, kPairSplits) || !covers(*after, kPairSplits))
      continue;
    const auto of = [&](const evidence::Model& one, std::string_view split) {
      return posteriors(evidence, one, {split});
    };
    found.push_back({of(*before, "shadow_forget"), of(*after, "shadow_forget"),
                     of(*before, "shadow_retain"), of(*after, "shadow_retain")});
  }
  return found;
}

}  // namespace vestige::metrics
