// What differs between two results.
#include "vestige/practice/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "vestige/base/error.h"
#include "vestige/report/json/json_fields.h"

namespace vestige::practice {
namespace {

using audit::Verdict;
using metrics::Row;
using result::Code;
using result::reason;
using study::StudyRow;

/// Rows compare where metric, subject, settings and their place in an experiment agree.
std::string key_of(const StudyRow& row) {
  return Json::array({row.row.metric, row.row.subject.id(), row.row.settings,
                      metrics::name(row.row.control), row.variant, row.split_seed, row.audit,
                      row.attack_seed})
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::map<std::string, const StudyRow*> by_key(const report::Results& results) {
  std::map<std::string, const StudyRow*> rows;
  for (const StudyRow& row : results.rows) rows.emplace(key_of(row), &row);
  return rows;
}

/// How much the seed alone changes a metric: the largest change of it among models whose files are
/// the same in both audits.
class SeedNoise {
 public:
  SeedNoise(const report::Results& before, const report::Results& after,
            const std::map<std::string, const StudyRow*>& fresh) {
    if (before.run.seed == after.run.seed) return;
    const std::set<std::string> changed = changed_subjects(before.inputs, after.inputs);
    for (const StudyRow& row : before.rows) {
      const auto place = fresh.find(key_of(row));
      if (place == fresh.end() || touched(row.row.subject, changed)) continue;
      const double change = std::abs(place->second->row.value - row.row.value);
      if (std::isnan(change)) continue;
      double& most = most_.try_emplace(row.row.metric, 0).first->second;
      most = std::max(most, change);
    }
  }

  /// More than the seed can explain; never where no model shows how much that is.
  bool exceeded(const StudyRow& before, const StudyRow& after) const {
    const auto most = most_.find(before.row.metric);
    return most != most_.end() && std::abs(after.row.value - before.row.value) > most->second;
  }

 private:
  static std::set<std::string> changed_subjects(const Json& before, const Json& after) {
    std::map<std::string, std::string> hashes;
    for (const Json& input : before) {
      hashes[report::text_of(input, "path")] = report::text_of(input, "sha256");
    }
    std::set<std::string> changed;
    for (const Json& input : after) {
      const auto old = hashes.find(report::text_of(input, "path"));
      const bool same = old != hashes.end() && old->second == report::text_of(input, "sha256");
      if (!same) changed.insert(report::text_of(input, "path"));
      if (old != hashes.end()) hashes.erase(old);
    }
    for (const auto& [path, hash] : hashes) changed.insert(path);
    return changed;
  }

  /// Whether a file of the subject changed, or one that is nobody's alone: labels, an archive.
  static bool touched(const metrics::Subject& subject, const std::set<std::string>& changed) {
    const std::string own = subject.id() + "/";
    return std::any_of(changed.begin(), changed.end(), [&](const std::string& path) {
      return path.starts_with(own) || path.starts_with("labels/") ||
             path.find('/') == std::string::npos || subject.role == "evidence";
    });
  }

  std::map<std::string, double> most_;  ///< by metric
};

/// How much a word reassures, the best first. What was not tested reassures less than what was
/// tested without a result, and no more than what shows a fault.
int rank_of(result::Word word) {
  switch (word) {
    case result::Word::forgotten:
      return 0;
    case result::Word::not_decided:
      return 1;
    default:
      return 2;
  }
}

/// The outcome of a question that reassures.
result::Outcome reassuring(VerdictQuestion question) {
  return question == VerdictQuestion::equivalent ? result::Outcome::shown
                                                 : result::Outcome::excluded;
}

bool is_worse(const ChangedVerdict& change) {
  if (!change.before) return false;  // there is nothing to compare with
  if (!change.after) return true;    // no longer tested
  if (rank_of(*change.after) != rank_of(*change.before)) {
    return rank_of(*change.after) > rank_of(*change.before);
  }
  if (*change.after == result::Word::not_tested && change.before != change.after) return true;
  return std::any_of(change.answers.begin(), change.answers.end(), [](const ChangedAnswer& own) {
    return own.before == reassuring(own.question) && own.after != reassuring(own.question);
  });
}

void add_answer(VerdictQuestion question, audit::Outcome before, audit::Outcome after,
                ChangedVerdict& change) {
  if (before != after) change.answers.push_back({question, before, after});
}

const Verdict* find(const report::Results& results, const Verdict& wanted) {
  for (const Verdict& verdict : results.verdicts) {
    if (verdict.variant == wanted.variant && verdict.method == wanted.method) return &verdict;
  }
  return nullptr;
}

void compare_verdicts(const report::Results& before, const report::Results& after,
                      Comparison& found) {
  for (const Verdict& old : before.verdicts) {
    const Verdict* fresh = find(after, old);
    ChangedVerdict change{old.variant, old.method, old.word, std::nullopt, {}};
    if (fresh != nullptr) {
      change.after = fresh->word;
      add_answer(VerdictQuestion::under, old.under, fresh->under, change);
      add_answer(VerdictQuestion::over, old.over, fresh->over, change);
      add_answer(VerdictQuestion::equivalent, old.equivalent, fresh->equivalent, change);
      add_answer(VerdictQuestion::utility_loss, old.utility_loss, fresh->utility_loss, change);
      if (change.before == change.after && change.answers.empty()) continue;
    }
    change.worse = is_worse(change);
    found.verdicts.push_back(std::move(change));
  }
  for (const Verdict& fresh : after.verdicts) {
    if (find(before, fresh) != nullptr) continue;
    found.verdicts.push_back({fresh.variant, fresh.method, std::nullopt, fresh.word, {}});
  }
  std::stable_sort(found.verdicts.begin(), found.verdicts.end(),
                   [](const ChangedVerdict& left, const ChangedVerdict& right) {
                     return left.worse > right.worse;
                   });
}

bool has_interval(const Row& row) { return !std::isnan(row.lower) && !std::isnan(row.upper); }

/// Ends of an interval without width lie beside its value by rounding.
bool apart(const Row& before, const Row& after) {
  const double rounding = 1e-12 * std::max(1.0, std::abs(before.value));
  return after.lower > before.upper + rounding || after.upper < before.lower - rounding;
}

MovedValue moved_value(const StudyRow& old, const Row& after) {
  const Row& before = old.row;
  const double half = std::max(before.upper - before.lower, after.upper - after.lower) / 2;
  const double change = std::abs(after.value - before.value);
  return {before.metric,
          before.subject.id(),
          old.variant,
          before.settings,
          before.value,
          after.value,
          !has_interval(before) || !has_interval(after) ? metrics::kUndefined
          : half > 0                                    ? change / half
                                                        : std::numeric_limits<double>::infinity()};
}

void compare_values(const StudyRow& old, const StudyRow& fresh, const SeedNoise& noise,
                    Comparison& found) {
  const Row& before = old.row;
  const Row& after = fresh.row;
  if (before.status != after.status && before.control == metrics::Control::none) {
    found.statuses.push_back({before.metric, before.subject.id(), old.variant, before.status,
                              after.status, after.notes});
  }
  if (std::isnan(before.value) || std::isnan(after.value)) return;
  if (!has_interval(before) || !has_interval(after)) {
    ++found.without;
    if (!found.other_seed() && before.value != after.value) {
      found.without_changed.push_back(moved_value(old, after));
    }
    return;
  }
  ++found.compared;
  if (!apart(before, after)) return;
  const bool by_seed = found.other_seed() && !noise.exceeded(old, fresh);
  (by_seed ? found.by_seed : found.moved).push_back(moved_value(old, after));
}

void compare_rows(const report::Results& before, const report::Results& after, Comparison& found) {
  const auto fresh = by_key(after);
  const auto old = by_key(before);
  const SeedNoise noise(before, after, fresh);
  for (const StudyRow& row : before.rows) {
    const auto place = fresh.find(key_of(row));
    if (place == fresh.end()) {
      ++found.only_before;
    } else {
      compare_values(row, *place->second, noise, found);
    }
  }
  for (const auto& [key, row] : fresh) {
    if (old.count(key) == 0) ++found.only_after;
  }
  for (std::vector<MovedValue>* list : {&found.moved, &found.by_seed}) {
    std::stable_sort(list->begin(), list->end(),
                     [](const MovedValue& left, const MovedValue& right) {
                       return left.distance > right.distance;
                     });
  }
}

void compare_inputs(const Json& before, const Json& after, Comparison& found) {
  std::map<std::string, std::pair<std::string, std::string>> hashes;
  for (const Json& input : before) {
    hashes[report::text_of(input, "path")].first = report::text_of(input, "sha256");
  }
  for (const Json& input : after) {
    hashes[report::text_of(input, "path")].second = report::text_of(input, "sha256");
  }
  for (const auto& [path, pair] : hashes) {
    if (pair.first == pair.second) {
      ++found.same_inputs;
    } else if (pair.first.empty() || pair.second.empty()) {
      found.inputs.push_back(
          reason(pair.first.empty() ? Code::input_only_after : Code::input_only_before, path));
    } else {
      found.inputs.push_back(reason(Code::input_changed, path));
    }
  }
}

void compare_texts(const char* what, const std::string& before, const std::string& after,
                   Comparison& found) {
  if (before == after) return;
  found.circumstances.push_back(reason(Code::circumstance_changed, what, before, after));
}

void compare_circumstances(const report::Results& before, const report::Results& after,
                           Comparison& found) {
  for (const char* key : {"version", "commit"}) {
    compare_texts(key, report::text_of(before.tool, key), report::text_of(after.tool, key), found);
  }
  compare_texts("seed", std::to_string(before.run.seed), std::to_string(after.run.seed), found);
  const auto texts = [](const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  compare_texts("selection", texts(result::json_of(before.run.selection)),
                texts(result::json_of(after.run.selection)), found);
  for (const auto& [key, value] : after.run.options.items()) {
    const auto old = before.run.options.find(key);
    if (old != before.run.options.end() && *old != value) {
      compare_texts(key.c_str(), texts(*old), texts(value), found);
    }
  }
  compare_texts("evidence quality", report::text_of(before.evidence, "grade"),
                report::text_of(after.evidence, "grade"), found);
  for (const char* key : {"models", "rows"}) {
    compare_texts(key, texts(report::list_of(before.evidence, key)),
                  texts(report::list_of(after.evidence, key)), found);
  }
  const auto passed = [](const std::optional<result::Gate>& gate) {
    return !gate ? "" : gate->passed ? "passed" : "failed";
  };
  const auto hash = [](const std::optional<result::Gate>& gate) {
    return gate ? gate->sha256 : std::string();
  };
  compare_texts("policy", passed(before.gate), passed(after.gate), found);
  compare_texts("policy SHA-256", hash(before.gate), hash(after.gate), found);
}

/// Path without its ending -> hash, of files that say which examples the splits hold.
std::map<std::string, std::string> identities(const report::Results& results) {
  std::map<std::string, std::string> found;
  for (const Json& input : results.inputs) {
    const std::filesystem::path path = report::text_of(input, "path");
    const std::string folder = path.parent_path().string(), split = path.stem().string();
    const bool names = folder == "labels" || folder == "ids" || folder == "subjects";
    const bool whole = split == "forget" || split == "retain" || split == "test";
    if (names && whole) found[folder + "/" + split] = report::text_of(input, "sha256");
  }
  return found;
}

/// Audits of other data have no common numbers to compare.
void require_related(const report::Results& before, const report::Results& after,
                     const Comparison& found) {
  const auto refuse = [&found](const std::string& what) {
    fail(
        "{} and {} are not about the same data: {}. Compare audits of the same forget, retain and "
        "test examples",
        found.before, found.after, what);
  };
  if (before.bench.has_value() != after.bench.has_value()) {
    refuse("one is an audit, the other an experiment");
  }
  const std::string kind = report::text_of(before.evidence, "kind"),
                    other = report::text_of(after.evidence, "kind");
  if (kind != other) refuse(fmt::format("the first has {}, the second has {}", kind, other));
  const Json& rows = report::list_of(before.evidence, "rows");
  for (const auto& [split, count] : report::list_of(after.evidence, "rows").items()) {
    const bool both = rows.is_object() && rows.contains(split);
    if (!both || split == "calibration" || split.starts_with("shadow")) continue;
    if (rows[split] == count) continue;
    refuse(fmt::format("{} has {} examples in the first and {} in the second", split,
                       rows[split].dump(), count.dump()));
  }
  const auto old = identities(before), fresh = identities(after);
  bool shown = false;
  for (const auto& [name, hash] : fresh) {
    const auto place = old.find(name);
    if (place == old.end()) continue;
    if (place->second != hash) refuse(name + " differs");
    shown = shown || name.ends_with("/forget");
  }
  const bool files = !before.inputs.empty() && !after.inputs.empty();
  if (files && !shown && found.same_inputs == 0) {
    refuse("they have no input file in common, and no labels that show the same forget set");
  }
}

}  // namespace

bool Comparison::quiet() const {
  return verdicts.empty() && moved.empty() && without_changed.empty() && statuses.empty() &&
         only_before == 0 && only_after == 0;
}

std::vector<std::string> Comparison::worse() const {
  std::vector<std::string> methods;
  for (const ChangedVerdict& own : verdicts) {
    if (own.worse)
      methods.push_back(own.variant.empty() ? own.method : own.variant + "/" + own.method);
  }
  return methods;
}

Comparison compare(const report::Results& before, const report::Results& after,
                   const std::string& before_name, const std::string& after_name) {
  Comparison found;
  found.before = before_name;
  found.after = after_name;
  compare_inputs(before.inputs, after.inputs, found);
  require_related(before, after, found);
  found.seed_before = before.run.seed;
  found.seed_after = after.run.seed;
  found.seed_alone = found.other_seed() && found.inputs.empty() && found.same_inputs > 0;
  compare_verdicts(before, after, found);
  compare_rows(before, after, found);
  compare_circumstances(before, after, found);
  return found;
}

}  // namespace vestige::practice
