// Naming what is missing.
#include "vestige/audit/verdicts/missing.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "vestige/audit/verdicts/speaking.h"
#include "vestige/evidence/losses.h"
#include "vestige/evidence/tokens.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/inputs/likelihood.h"

namespace vestige::audit {
namespace {

using evidence::Evidence;
using evidence::Group;
using evidence::Model;
using result::Code;
using result::Reason;
using result::reason;

bool answers(const Model& model, std::string_view split) {
  return model.has(split) || evidence::has_tokens(model, split) ||
         evidence::has_losses(model, split);
}

/// Where the outputs on a split would be: as the model gives its other splits.
std::string file_of(const Model& model, std::string_view split) {
  const char* folder = !model.tokens.empty() ? "tokens/" : !model.losses.empty() ? "losses/" : "";
  return model.id() + "/" + folder + std::string(split) + ".npy";
}

/// Files of these groups that are missing for a split.
std::vector<std::string> missing_files(const std::vector<const Group*>& groups,
                                       std::string_view split) {
  std::vector<std::string> files;
  for (const Group* group : groups) {
    if (group == nullptr) continue;
    for (const Model& model : group->models) {
      if (!answers(model, split)) files.push_back(file_of(model, split));
    }
  }
  return files;
}

bool is_classifier(const Group& group) {
  return std::any_of(group.models.begin(), group.models.end(),
                     [](const Model& model) { return !model.outputs.empty(); });
}

/// Outputs or labels that the gap to unseen examples needs.
Reason missing_outputs(const Evidence& evidence, const std::vector<const Group*>& groups) {
  for (const char* split : {"forget", "test"}) {
    const std::vector<std::string> files = missing_files(groups, split);
    if (!files.empty()) return reason(Code::outputs_missing, split, files);
  }
  for (const char* split : {"forget", "test"}) {
    if (is_classifier(*groups.front()) && evidence.find_labels(split) == nullptr) {
      return reason(Code::gap_labels_missing, split);
    }
  }
  return {};
}

/// Splits such as utility.real_authors that some model was asked on.
std::set<std::string> utility_splits_of(const Evidence& evidence) {
  std::set<std::string> splits;
  for (const Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      for (const std::string& split : metrics::utility_splits(model)) splits.insert(split);
    }
  }
  return splits;
}

/// Accuracies no better than always answering the most frequent class cannot fall: no loss could
/// have been seen.
Reason at_chance(const Evidence& evidence, const std::vector<VerdictTest>& tests) {
  const auto* retain = evidence.find_labels("retain");
  for (const VerdictTest& test : tests) {
    const std::string split(utility_split(test.metric));
    const auto* labels = evidence.find_labels(split);
    const metrics::MetricInfo* metric = metrics::find_metric(test.metric);
    if (labels == nullptr || metric == nullptr || metric->likelihood) continue;
    const std::set<std::int64_t> kept =
        retain == nullptr ? std::set<std::int64_t>()
                          : std::set<std::int64_t>(retain->begin(), retain->end());
    std::map<std::int64_t, std::size_t> counts;
    std::size_t all = 0, most = 0;
    for (const std::int64_t label : *labels) {
      if (!kept.empty() && !kept.contains(label)) continue;
      ++all;
      most = std::max(most, ++counts[label]);
    }
    if (all == 0) continue;
    const double chance = static_cast<double>(most) / static_cast<double>(all);
    const double error = std::sqrt(chance * (1 - chance) / static_cast<double>(all));
    if (test.retrained > chance + 2 * error) continue;
    return reason(Code::utility_at_chance, split, test.retrained, chance);
  }
  return {};
}

}  // namespace

Reason obstacle_to_verdicts(const Evidence& evidence, const Group& group, bool tried) {
  const Group* retrained = evidence.find("retrained");
  const Group* original = evidence.find("original");
  if (retrained == nullptr) {
    if (!evidence.exchangeable) return Code::no_retrained_model;
    const Reason missing = missing_outputs(evidence, {&group});
    return missing.empty() ? Code::no_unseen_examples : missing;
  }
  if (original == nullptr) return Code::no_original_model;
  const Reason missing = missing_outputs(evidence, {&group, retrained, original});
  if (!missing.empty()) return missing;
  return tried ? Code::no_metric_tells_original : Code::nothing_to_compare;
}

Reason missing_utility(const Evidence& evidence, const Group& group,
                       const std::vector<VerdictTest>& tests) {
  std::vector<std::string> splits, files;
  const std::vector<const Group*> compared = {&group, evidence.find("retrained")};
  const auto tested = [&](std::string_view split) {
    return std::any_of(tests.begin(), tests.end(), [&](const VerdictTest& test) {
      return utility_split(test.metric) == split;
    });
  };
  for (const char* split : {"retain", "test"}) {
    if (tested(split)) continue;
    splits.emplace_back(split);
    for (std::string& file : missing_files(compared, split)) files.push_back(std::move(file));
    if (is_classifier(group) && evidence.find_labels(split) == nullptr) {
      files.push_back(std::string("labels/") + split + ".npy");
    }
  }
  // One number stands for all utility splits: it compares only if both sides have all of them.
  const std::set<std::string> utility = utility_splits_of(evidence);
  const std::size_t before = splits.size();
  for (const std::string& split : utility) {
    std::vector<std::string> own = missing_files(compared, split);
    if (own.empty()) continue;
    splits.push_back(split);
    std::move(own.begin(), own.end(), std::back_inserter(files));
  }
  if (!utility.empty() && splits.size() == before && !tested("answers")) {
    splits.emplace_back("answers");
  }
  if (!splits.empty()) return reason(Code::utility_not_measured, splits, files);
  return at_chance(evidence, tests);
}

std::vector<std::string> declared_accuracies(const Evidence& evidence, const Group& group) {
  std::vector<std::string> splits;
  for (const char* split : {"retain", "test"}) {
    if (evidence.find_accuracy(group, split) != nullptr && !group.models.front().has(split)) {
      splits.emplace_back(split);
    }
  }
  return splits;
}

}  // namespace vestige::audit
