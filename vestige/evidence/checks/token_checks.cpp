// Checks of token arrays and texts over all models.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/evidence/checks/checks.h"
#include "vestige/evidence/losses.h"
#include "vestige/evidence/tokens.h"

namespace vestige::evidence {
namespace {

// Longer ones before those that they end with.
constexpr std::string_view kSuffixes[] = {".lower.offsets",
                                          ".paraphrased.offsets",
                                          ".paraphrased.groups",
                                          ".paraphrased",
                                          ".perturbed.offsets",
                                          ".perturbed.groups",
                                          ".perturbed",
                                          ".offsets",
                                          ".mean",
                                          ".std",
                                          ".entropy",
                                          ".lower",
                                          ".rank",
                                          ".gradnorm"};
constexpr std::string_view kSplits[] = {"forget", "retain", "test", "population", "shadow_train"};

std::string split_of(std::string_view key) {
  for (const std::string_view suffix : kSuffixes) {
    if (key.ends_with(suffix)) return std::string(key.substr(0, key.size() - suffix.size()));
  }
  return std::string(key);
}

bool is_known_split(std::string_view split) {
  return split.starts_with("utility.") ||
         std::find(std::begin(kSplits), std::end(kSplits), split) != std::end(kSplits);
}

/// A split is one that has a meaning here, or whose log-probabilities come with offsets; anything
/// else ("forget.heat", "notes") is read by nobody.
bool is_unread(const Model& model, const std::string& key) {
  const std::string split = split_of(key);
  if (is_known_split(split)) return false;
  return model.tokens.count(split) == 0 || model.tokens.count(split + ".offsets") == 0;
}

std::set<std::string> splits_of(const Model& model) {
  std::set<std::string> splits;
  for (const auto& [key, array] : model.tokens) {
    if (!is_unread(model, key)) splits.insert(split_of(key));
  }
  return splits;
}

/// One warning for each kind of array that nothing reads.
void add_unread(const Evidence& evidence, Findings& findings) {
  std::map<std::string, std::pair<const Model*, std::size_t>> unread;
  for (const Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      for (const auto& [key, array] : model.tokens) {
        if (!is_unread(model, key)) continue;
        auto& [first, count] = unread[key];
        if (count++ == 0) first = &model;
      }
    }
  }
  for (const auto& [key, place] : unread) {
    findings.push_back({Severity::warning,
                        file_of(evidence, place.first->folder + "/tokens/" + key),
                        reason(Code::tokens_not_read, key, place.second), "W-NOT-READ"});
  }
}

struct SplitOutcome {
  const Model* model = nullptr;
  std::string split;
  std::vector<std::size_t> offsets;
  std::string file{};  ///< that the error is about, unless the error names it
  Reason error{};

  std::size_t sequences() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::string path() const { return fmt::format("{}/tokens/{}", model->folder, split); }
};

SplitOutcome try_split(const Evidence& evidence, const Model& model, const std::string& split) {
  SplitOutcome outcome{&model, split, {}};
  if (!has_tokens(model, split)) {
    outcome.file = outcome.path() + ".npy";
    outcome.error = Code::tokens_missing;
    return outcome;
  }
  try {
    outcome.offsets = read_tokens(evidence, model, split).offsets;
  } catch (const InputError& error) {
    outcome.error = reason(Code::message, error.what());
  }
  return outcome;
}

/// Losses per token compare only between models that cut a sequence into the same tokens.
Reason other_tokens(const SplitOutcome& one, const SplitOutcome& first,
                    const std::string& first_file) {
  for (std::size_t row = 0; row + 1 < one.offsets.size(); ++row) {
    const std::size_t ours = one.offsets[row + 1] - one.offsets[row];
    const std::size_t theirs = first.offsets[row + 1] - first.offsets[row];
    if (ours != theirs) return reason(Code::tokens_differ, row, ours, first_file, theirs);
  }
  return {};
}

/// Where the number of rows of a split comes from.
struct RowsOf {
  std::size_t rows = 0;
  std::string file;
};

/// Lines of texts and of generations against the rows of their split.
void check_lines(const Evidence& evidence, const std::map<std::string, RowsOf>& rows,
                 Findings& findings) {
  const auto check = [&](const std::string& split, const std::string& file, std::size_t lines,
                         const std::string& model) {
    const auto known = rows.find(split);
    if (known == rows.end() || known->second.rows == lines) return;
    findings.push_back({Severity::error, file,
                        reason(Code::lines_differ, lines, known->second.file, known->second.rows),
                        "E-TOKENS", model});
  };
  for (const auto& [key, lines] : evidence.text) {
    const std::string_view suffix = ".continuation";
    const bool continues = key.ends_with(suffix);
    check(continues ? key.substr(0, key.size() - suffix.size()) : key, "text/" + key + ".txt",
          lines.size(), "");
  }
  for (const Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      for (const auto& [split, lines] : model.generated) {
        check(split, fmt::format("{}/generated/{}.txt", model.folder, split), lines.size(),
              model.id());
      }
    }
  }
}

}  // namespace

Findings check_tokens(const Evidence& evidence) {
  std::vector<std::pair<const Model*, std::string>> places;
  std::map<std::string, RowsOf> rows;
  for (const Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      for (const std::string& split : splits_of(model)) places.emplace_back(&model, split);
      for (const auto& [key, array] : model.losses) {
        rows.try_emplace(key,
                         RowsOf{array.rows(), file_of(evidence, model.folder + "/losses/" + key)});
      }
    }
  }
  std::vector<SplitOutcome> outcomes(places.size());
  parallel_for(places.size(), [&](std::size_t index) {
    outcomes[index] = try_split(evidence, *places[index].first, places[index].second);
  });
  Findings findings;
  std::map<std::string, const SplitOutcome*> first;
  for (const SplitOutcome& outcome : outcomes) {
    if (!outcome.error.empty()) {
      findings.push_back(
          {Severity::error, outcome.file, outcome.error, "E-TOKENS", outcome.model->id()});
      continue;
    }
    const std::string file = file_of(evidence, outcome.path());
    const auto [known, is_new] = first.try_emplace(outcome.split, &outcome);
    rows.try_emplace(outcome.split, RowsOf{outcome.sequences(), file});
    // Shadows list their own training sequences.
    if (is_new || outcome.split == "shadow_train") continue;
    const std::string first_file = file_of(evidence, known->second->path());
    Reason why;
    if (known->second->sequences() != outcome.sequences()) {
      why = reason(Code::sequences_differ, outcome.sequences(), first_file,
                   known->second->sequences());
    } else if (outcome.model->role != "shadow" && known->second->model->role != "shadow") {
      why = other_tokens(outcome, *known->second, first_file);
    }
    if (why.empty()) continue;
    findings.push_back({Severity::error, file, std::move(why), "E-TOKENS", outcome.model->id()});
  }
  check_lines(evidence, rows, findings);
  add_unread(evidence, findings);
  return findings;
}

}  // namespace vestige::evidence
