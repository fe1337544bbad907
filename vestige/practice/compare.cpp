// What differs between two results.
#include "vestige/practice/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "vestige/report/json_fields.h"

namespace vestige::practice {
namespace {

using audit::Verdict;
using metrics::Row;
using study::StudyRow;

/// Rows compare where metric, subject, settings and their place in an experiment agree.
std::string key_of(const StudyRow& row) {
  return Json::array({row.row.metric, row.row.subject.id(), row.row.settings,
                      metrics::name(row.row.control), row.arm, row.split_seed, row.audit,
                      row.attack_seed})
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::map<std::string, const StudyRow*> by_key(const report::Results& results) {
  std::map<std::string, const StudyRow*> rows;
  for (const StudyRow& row : results.rows) rows.emplace(key_of(row), &row);
  return rows;
}

void add_answer(const char* what, audit::Shown before, audit::Shown after,
                std::vector<std::string>& answers) {
  if (before == after) return;
  answers.push_back(fmt::format("{}: {} -> {}", what, audit::name(before), audit::name(after)));
}

const Verdict* find(const report::Results& results, const Verdict& wanted) {
  for (const Verdict& verdict : results.verdicts) {
    if (verdict.arm == wanted.arm && verdict.method == wanted.method) return &verdict;
  }
  return nullptr;
}

void compare_verdicts(const report::Results& before, const report::Results& after,
                      Comparison& found) {
  for (const Verdict& old : before.verdicts) {
    const Verdict* fresh = find(after, old);
    ChangedVerdict change{old.arm, old.method, std::string(audit::name(old.word)), "", {}};
    if (fresh != nullptr) {
      change.after = audit::name(fresh->word);
      add_answer("under-forgetting", old.under, fresh->under, change.answers);
      add_answer("over-forgetting", old.over, fresh->over, change.answers);
      add_answer("equivalence", old.equivalent, fresh->equivalent, change.answers);
      add_answer("utility loss", old.utility_loss, fresh->utility_loss, change.answers);
      if (change.before == change.after && change.answers.empty()) continue;
    }
    found.verdicts.push_back(std::move(change));
  }
  for (const Verdict& fresh : after.verdicts) {
    if (find(before, fresh) != nullptr) continue;
    found.verdicts.push_back(
        {fresh.arm, fresh.method, "", std::string(audit::name(fresh.word)), {}});
  }
}

bool has_interval(const Row& row) { return !std::isnan(row.lower) && !std::isnan(row.upper); }

/// Ends of an interval without width lie beside its value by rounding.
bool outside(double value, const Row& of) {
  const double rounding = 1e-12 * std::max(1.0, std::abs(value));
  return value < of.lower - rounding || value > of.upper + rounding;
}

void compare_values(const StudyRow& old, const StudyRow& fresh, Comparison& found) {
  const Row& before = old.row;
  const Row& after = fresh.row;
  if (before.status != after.status && before.control == metrics::Control::none) {
    found.statuses.push_back({before.metric, before.subject.id(), old.arm,
                              std::string(metrics::name(before.status)),
                              std::string(metrics::name(after.status)), after.note});
  }
  if (std::isnan(before.value) || std::isnan(after.value)) return;
  if (!has_interval(before) || !has_interval(after)) {
    ++found.without;
    return;
  }
  ++found.compared;
  if (!outside(after.value, before) || !outside(before.value, after)) return;
  const double half = std::max(before.upper - before.lower, after.upper - after.lower) / 2;
  const double apart = std::abs(after.value - before.value);
  found.moved.push_back({before.metric, before.subject.id(), old.arm, before.settings, before.value,
                         after.value,
                         half > 0 ? apart / half : std::numeric_limits<double>::infinity()});
}

void compare_rows(const report::Results& before, const report::Results& after, Comparison& found) {
  const auto fresh = by_key(after);
  const auto old = by_key(before);
  for (const StudyRow& row : before.rows) {
    const auto place = fresh.find(key_of(row));
    if (place == fresh.end()) {
      ++found.only_before;
    } else {
      compare_values(row, *place->second, found);
    }
  }
  for (const auto& [key, row] : fresh) {
    if (old.count(key) == 0) ++found.only_after;
  }
  std::stable_sort(found.moved.begin(), found.moved.end(),
                   [](const MovedValue& left, const MovedValue& right) {
                     return left.distance > right.distance;
                   });
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
          fmt::format("{}: only in the {} one", path, pair.first.empty() ? "later" : "earlier"));
    } else {
      found.inputs.push_back(path + ": other bytes");
    }
  }
}

void compare_texts(const char* what, const std::string& before, const std::string& after,
                   Comparison& found) {
  if (before == after) return;
  found.circumstances.push_back(fmt::format("{}: {} -> {}", what, before.empty() ? "none" : before,
                                            after.empty() ? "none" : after));
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
  compare_texts("asked for", texts(before.run.selection), texts(after.run.selection), found);
  for (const auto& [key, value] : after.run.options.items()) {
    const auto old = before.run.options.find(key);
    if (old != before.run.options.end() && *old != value) {
      compare_texts(key.c_str(), texts(*old), texts(value), found);
    }
  }
  compare_texts("grade of evidence", report::text_of(before.evidence, "grade"),
                report::text_of(after.evidence, "grade"), found);
  for (const char* key : {"models", "rows"}) {
    compare_texts(key, texts(report::list_of(before.evidence, key)),
                  texts(report::list_of(after.evidence, key)), found);
  }
  const auto passed = [](const Json& gate) {
    return gate.is_null() ? "" : report::flag_of(gate, "passed") ? "open" : "closed";
  };
  compare_texts("gate", passed(before.gate), passed(after.gate), found);
  compare_texts("policy", report::text_of(before.gate, "sha256"),
                report::text_of(after.gate, "sha256"), found);
}

}  // namespace

bool Comparison::quiet() const {
  return verdicts.empty() && moved.empty() && statuses.empty() && only_before == 0 &&
         only_after == 0;
}

Comparison compare(const report::Results& before, const report::Results& after,
                   const std::string& before_name, const std::string& after_name) {
  Comparison found;
  found.before = before_name;
  found.after = after_name;
  compare_verdicts(before, after, found);
  compare_rows(before, after, found);
  compare_inputs(before.inputs, after.inputs, found);
  compare_circumstances(before, after, found);
  return found;
}

}  // namespace vestige::practice
