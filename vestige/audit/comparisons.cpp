// Comparisons and the constant predictor.
#include "vestige/audit/comparisons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace vestige::audit {
namespace {

using result::Code;
using result::reason;

using evidence::Evidence;
using evidence::Group;
using evidence::Model;
using metrics::Comparison;
using metrics::Control;
using metrics::Models;
using metrics::subject_of;
using metrics::Unit;

constexpr std::size_t kLargestConstantSplit = std::size_t{1} << 27;
constexpr std::size_t kUsualVocabulary = 32000;
// Forget or unseen examples below which the evidence is of quality C, and D.
constexpr std::size_t kFewExamples = 25;
constexpr std::size_t kVeryFewExamples = 5;

/// Examples of a split that the models answered; 0 if none did.
std::size_t examples_of(const Evidence& evidence, const std::string& split) {
  for (const Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      if (model.has(split)) return model.outputs.at(split).rows();
      const auto losses = model.losses.find(split);
      if (losses != model.losses.end()) return losses->second.rows();
      const auto offsets = model.tokens.find(split + ".offsets");
      if (offsets != model.tokens.end() && offsets->second.size() > 0) {
        return offsets->second.size() - 1;
      }
    }
  }
  return 0;
}

Models pointers(const Group* group) {
  Models models;
  if (group == nullptr) return models;
  for (const Model& model : group->models) models.push_back(&model);
  return models;
}

std::string short_name(const Group& group) {
  return group.method.empty() ? group.role : group.method;
}

Control control_of(const Group& group) {
  if (group.role == "original") return Control::original;
  if (group.role == "retrained") return Control::retrained;
  if (group.role == "constant_predictor") return Control::constant;
  if (group.role == "partial") return Control::graded;
  if (group.role == "checkpoint") return Control::checkpoint;
  return Control::none;
}

/// The originals of the candidates, in their order; all originals where a name has no partner.
Models originals_of(const Evidence& evidence, const Models& candidate) {
  Models originals;
  for (const Model* model : candidate) {
    const Model* original = evidence.original_of(*model);
    if (original == nullptr) return pointers(evidence.find("original"));
    if (std::find(originals.begin(), originals.end(), original) == originals.end()) {
      originals.push_back(original);
    }
  }
  return originals;
}

Comparison make(const Evidence& evidence, const Group& group, Models candidate, Models retrained,
                metrics::Subject subject) {
  Comparison comparison;
  comparison.evidence = &evidence;
  comparison.subject = std::move(subject);
  comparison.short_name = short_name(group);
  comparison.original = originals_of(evidence, candidate);
  comparison.candidate = std::move(candidate);
  comparison.retrained = std::move(retrained);
  comparison.control = control_of(group);
  return comparison;
}

/// Methods first, graded retrains, checkpoints, then the controls.
std::vector<const Group*> groups_to_measure(const Evidence& evidence, const Group& constant,
                                            bool checkpoints) {
  std::vector<const Group*> groups = evidence.unlearned();
  for (const Group& group : evidence.groups) {
    const bool on_the_way =
        group.role == "checkpoint" && evidence.membership.count(group.method) == 0;
    if (group.role == "partial" || (checkpoints && on_the_way)) groups.push_back(&group);
  }
  for (const char* role : {"original", "retrained"}) {
    if (const Group* group = evidence.find(role)) groups.push_back(group);
  }
  if (!constant.models.empty()) groups.push_back(&constant);
  return groups;
}

void add_models(const Evidence& evidence, const Group& group, const Models& retrained,
                std::vector<Comparison>& out) {
  for (const Model& model : group.models) {
    Models others;
    for (const Model* other : retrained) {
      if (other != &model) others.push_back(other);
    }
    Comparison comparison = make(evidence, group, {&model}, std::move(others), subject_of(model));
    if (group.models.size() > 1) comparison.short_name += "." + model.name;
    out.push_back(std::move(comparison));
  }
}

void add_group(const Evidence& evidence, const Group& group, const Models& retrained, Unit unit,
               std::vector<Comparison>& out) {
  const bool is_retrained = group.role == "retrained";
  if (unit == Unit::pool && is_retrained) return;
  Models candidate = pointers(&group);
  if (group.role == "constant_predictor") {
    candidate.assign(unit == Unit::pool ? std::max<std::size_t>(retrained.size(), 1) : 1,
                     &group.models.front());
  }
  const bool one = candidate.size() == 1 && unit == Unit::group;
  out.push_back(make(evidence, group, candidate, is_retrained ? Models{} : retrained,
                     one ? subject_of(*candidate.front()) : subject_of(group)));
}

/// At half the models the retrained pool can be compared with itself, which gives the retrained
/// control.
void add_halves(const Evidence& evidence, const Group& group, const Models& retrained,
                std::vector<Comparison>& out) {
  const std::size_t half = retrained.size() / 2;
  if (half == 0) return;
  Models candidate = pointers(&group);
  if (group.role == "constant_predictor") candidate.assign(half, &group.models.front());
  candidate.resize(std::min(candidate.size(), half));
  const Models second(retrained.begin() + static_cast<std::ptrdiff_t>(half), retrained.end());
  Comparison comparison = make(evidence, group, std::move(candidate), second, subject_of(group));
  comparison.halves = true;
  out.push_back(std::move(comparison));
}

/// Activations of a constant predictor: zeros in the shape of the original's. Arrays of one shape
/// share their bytes.
void add_constant_activations(const Model& like, Model& model) {
  std::map<std::vector<std::size_t>, evidence::Array> zeros;
  for (const auto& [layer, splits] : like.activations) {
    for (const auto& [split, array] : splits) {
      if (array.size() > kLargestConstantSplit) continue;
      auto found = zeros.find(array.shape());
      if (found == zeros.end()) {
        const std::vector<float> row(array.cols());
        found = zeros.emplace(array.shape(), evidence::Array::repeated(row, array.shape())).first;
      }
      model.activations[layer][split] = found->second;
    }
  }
}

/// Every option of every question equally probable.
void add_constant_choices(const Model& like, Model& model) {
  for (const auto& [name, array] : like.choices) {
    std::vector<double> values = array.doubles();
    for (double& value : values) value = std::isinf(value) ? value : 0;
    model.choices[name] = evidence::Array::from_doubles(std::move(values), array.shape());
  }
}

/// Tokens that language models know: declared, else by the largest rank that was exported, else as
/// many as LLaMA has; a uniform model's perplexity is that number, all its ranks are ties.
std::size_t vocabulary_of(const Evidence& evidence) {
  if (evidence.vocabulary > 0) return evidence.vocabulary;
  std::int64_t largest = 0;
  for (const Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      const auto ranks = model.tokens.find("forget.rank");
      if (ranks == model.tokens.end()) continue;
      for (const std::int64_t rank : ranks->second.integers()) largest = std::max(largest, rank);
    }
  }
  return largest > 0 ? static_cast<std::size_t>(largest) + 1 : kUsualVocabulary;
}

/// A language model that gives every token the same probability.
Group uniform_language_model(const Evidence& evidence, const Model& like) {
  Group group{"constant_predictor", "", {}};
  const double loss = std::log(static_cast<double>(vocabulary_of(evidence)));
  Model model;
  model.role = "constant_predictor";
  model.name = "0";
  for (const char* split : {"forget", "retain", "test"}) {
    const auto tokens = like.tokens.find(split);
    const auto offsets = like.tokens.find(std::string(split) + ".offsets");
    if (tokens != like.tokens.end() && offsets != like.tokens.end()) {
      model.tokens[split] = evidence::Array::from_doubles(
          std::vector<double>(tokens->second.size(), -loss), tokens->second.shape());
      model.tokens[offsets->first] = offsets->second;
    }
    const auto losses = like.losses.find(split);
    if (losses != like.losses.end() && evidence.sequence_losses) {
      model.losses[split] = evidence::Array::from_doubles(
          std::vector<double>(losses->second.size(), loss), losses->second.shape());
    }
  }
  add_constant_choices(like, model);
  if (!model.tokens.empty() || !model.losses.empty() || !model.choices.empty())
    group.models.push_back(std::move(model));
  return group;
}

}  // namespace

Group constant_group(const Evidence& evidence) {
  Group group{"constant_predictor", "", {}};
  const Group* like = evidence.find("original");
  if (like == nullptr) like = evidence.find("retrained");
  if (like != nullptr && evidence.classes == 0) {
    return uniform_language_model(evidence, like->models.front());
  }
  const auto* labels = evidence.find_labels("retain");
  if (labels == nullptr) labels = evidence.find_labels("forget");
  if (like == nullptr || labels == nullptr || evidence.classes < 2) return group;

  // Laplace's rule keeps absent classes above probability 0.
  std::vector<double> frequency(evidence.classes, 1.0);
  for (const std::int64_t label : *labels) frequency[static_cast<std::size_t>(label)] += 1;
  const double total = static_cast<double>(labels->size() + evidence.classes);
  std::vector<float> row(evidence.classes);
  for (std::size_t index = 0; index < row.size(); ++index) {
    const double share = frequency[index] / total;
    row[index] = static_cast<float>(
        evidence.kind == evidence::OutputKind::probabilities ? share : std::log(share));
  }
  Model model;
  model.role = "constant_predictor";
  model.name = "0";
  for (const auto& [split, outputs] : like->models.front().outputs) {
    if (outputs.size() > kLargestConstantSplit) continue;
    model.outputs[split] = evidence::Array::repeated(row, outputs.shape());
  }
  add_constant_activations(like->models.front(), model);
  add_constant_choices(like->models.front(), model);
  if (!model.outputs.empty()) group.models.push_back(std::move(model));
  return group;
}

std::vector<Comparison> comparisons(const Evidence& evidence, const Group& constant, Unit unit,
                                    bool checkpoints) {
  std::vector<Comparison> result;
  const Models retrained = pointers(evidence.find("retrained"));
  if (unit == Unit::whole) {
    Comparison comparison;
    comparison.evidence = &evidence;
    comparison.subject = {"evidence", {}, {}};
    comparison.short_name = "evidence";
    comparison.original = pointers(evidence.find("original"));
    comparison.retrained = retrained;
    comparison.control = Control::graded;  // what it looks at is known
    return {comparison};
  }
  const auto groups = groups_to_measure(evidence, constant, checkpoints);
  for (const Group* group : groups) {
    if (unit == Unit::model) {
      add_models(evidence, *group, retrained, result);
    } else {
      add_group(evidence, *group, retrained, unit, result);
    }
  }
  if (unit == Unit::pool && retrained.size() >= 2) {
    for (const Group* group : groups) add_halves(evidence, *group, retrained, result);
  }
  return result;
}

Grade grade(const Evidence& evidence) {
  const Group* retrained = evidence.find("retrained");
  if (retrained != nullptr && retrained->models.size() > 1) {
    return {'A', reason(Code::grade_several_retrained, retrained->models.size())};
  }
  if (retrained != nullptr) return {'B', Code::grade_one_retrained};
  if (evidence.find("shadow") != nullptr) return {'C', Code::grade_shadow_models};
  return {'D', Code::grade_model_alone};
}

Grade evidence_quality(const Evidence& evidence) {
  const Grade by_models = grade(evidence);
  const std::size_t forget = examples_of(evidence, "forget");
  const std::size_t unseen = examples_of(evidence, "test");
  // Without any unseen examples verdicts rest on models alone.
  const std::size_t fewest = unseen == 0 ? forget : std::min(forget, unseen);
  const char most = fewest < kVeryFewExamples ? 'D' : fewest < kFewExamples ? 'C' : 'A';
  if (by_models.letter >= most) return by_models;
  return {most, reason(Code::grade_few_examples, forget, unseen, by_models.reason)};
}

}  // namespace vestige::audit
