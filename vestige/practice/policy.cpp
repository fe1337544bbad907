// Reading and checking policies.
#include "vestige/practice/policy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <span>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/options.h"
#include "vestige/base/sha256.h"
#include "vestige/base/text.h"
#include "vestige/evidence/finding.h"
#include "vestige/metrics/addition.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/nearest_metric.h"

namespace vestige::practice {
namespace {

using audit::Shown;
using audit::Word;

constexpr Word kAllWords[] = {Word::forgotten,       Word::traces,      Word::over,
                              Word::traces_and_over, Word::not_decided, Word::no_verdict};

std::string small(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return result;
}

std::vector<std::string> known_conditions() {
  std::vector<std::string> known = {"under", "over", "utility", "inconclusive"};
  for (const Word word : kAllWords) known.push_back(small(audit::name(word)));
  for (const metrics::Addition& addition : metrics::additions()) known.emplace_back(addition.word);
  return known;
}

std::vector<Condition> conditions(Options& table, const char* key) {
  std::vector<Condition> found;
  for (const std::string& word : table.texts(key, {})) {
    found.push_back(condition_named(word, table.where() + ": " + key));
  }
  if (table.has(key) && found.empty()) table.wrong(key, "the list is empty: leave it out");
  return found;
}

std::optional<double> optional_number(Options& table, const char* key) {
  if (!table.has(key)) return std::nullopt;
  const double value = table.number(key, 0);
  if (!std::isfinite(value)) table.wrong(key, "it must be a finite number");
  return value;
}

/// A loss that is allowed: from 0 to below `most`.
std::optional<double> loss(Options& table, const char* key, double most, const char* unit) {
  const std::optional<double> value = optional_number(table, key);
  if (value && !(*value >= 0 && *value < most)) {
    table.wrong(key, fmt::format("{} is no {} that could be lost: give a number from 0 to below {}",
                                 *value, unit, most));
  }
  return value;
}

/// Refuses limits that every value or no value keeps.
void check_range(const Limit& limit, const Options& table) {
  if (limit.least && limit.most && *limit.least > *limit.most) {
    table.wrong("least", fmt::format("{} is above most = {}: no value can keep both", *limit.least,
                                     *limit.most));
  }
  if (limit.against_retrained) return;
  const metrics::Range range = metrics::range_of(limit.metric);
  const auto values = [&] {
    return fmt::format("values of {} lie between {} and {}", limit.metric, range.least, range.most);
  };
  if (limit.most && *limit.most < range.least) {
    table.wrong("most", fmt::format("{}: no value can keep it, {}", *limit.most, values()));
  }
  if (limit.least && *limit.least > range.most) {
    table.wrong("least", fmt::format("{}: no value can keep it, {}", *limit.least, values()));
  }
  if (limit.most && *limit.most >= range.most) {
    table.wrong("most", fmt::format("{}: every value keeps it, {}", *limit.most, values()));
  }
  if (limit.least && *limit.least <= range.least) {
    table.wrong("least", fmt::format("{}: every value keeps it, {}", *limit.least, values()));
  }
}

Limit limit_of(const Json& json, const std::string& where) {
  require(json.is_object(), "{}: write it as a table, [[limit]]", where);
  Options table(json, where);
  Limit limit;
  limit.metric = table.text("metric", "");
  if (limit.metric.empty()) table.wrong("metric", "it is missing: give the id of a metric");
  if (metrics::find_metric(limit.metric) == nullptr) {
    table.wrong("metric", fmt::format("'{}' is not known: did you mean '{}'? vestige metrics lists "
                                      "all",
                                      limit.metric, metrics::nearest_metric(limit.metric)));
  }
  limit.least = optional_number(table, "least");
  limit.most = optional_number(table, "most");
  if (!limit.least && !limit.most) table.wrong("most", "it is missing: give most, least or both");
  limit.against_retrained = table.choice("of", "value", {"value", "difference"}) == "difference";
  limit.whole_interval = table.choice("by", "value", {"value", "interval"}) == "interval";
  limit.unreliable_passes = table.choice("unreliable", "fails", {"fails", "counts"}) == "counts";
  const Json setting = table.raw("setting");
  if (!setting.is_null()) {
    if (!setting.is_object()) table.wrong("setting", "write it as { alpha = 0.1 }");
    limit.setting = setting;
  }
  table.finish();
  check_range(limit, table);
  return limit;
}

std::vector<std::string> warning_codes(Options& table) {
  std::vector<std::string> known = {"any"};
  for (const evidence::CodeInfo& code : evidence::codes()) {
    if (code.code.starts_with("W-") || code.code.starts_with("N-")) known.emplace_back(code.code);
  }
  const std::vector<std::string> given = table.texts("absent", {});
  for (const std::string& code : given) {
    if (std::find(known.begin(), known.end(), code) != known.end()) continue;
    table.wrong("absent", fmt::format("'{}' is no code of a warning: did you mean '{}'?", code,
                                      nearest(code, known)));
  }
  return given;
}

bool has_rules(const Policy& policy) {
  return !policy.absent.empty() || !policy.present.empty() || policy.least_grade ||
         policy.utility_loss || policy.likelihood_loss || !policy.warnings.empty() ||
         policy.requests || !policy.limits.empty();
}

}  // namespace

Condition condition_named(std::string_view word, const std::string& where) {
  const std::vector<std::string> known = known_conditions();
  const std::string wanted = small(word);
  require(std::find(known.begin(), known.end(), wanted) != known.end(),
          "{}: '{}' is no verdict: did you mean '{}'? Known are {}", where, word,
          nearest(wanted, known), fmt::join(known, ", "));
  return {wanted};
}

bool holds(const Condition& condition, const audit::Verdict& verdict) {
  if (condition.word == "under") return verdict.under == Shown::shown;
  if (condition.word == "over") return verdict.over == Shown::shown;
  if (condition.word == "utility") return verdict.utility_loss == Shown::shown;
  if (condition.word == "inconclusive") {
    return verdict.word == Word::not_decided || verdict.word == Word::no_verdict;
  }
  return small(audit::name(verdict.word)) == condition.word ||
         std::any_of(verdict.additions.begin(), verdict.additions.end(),
                     [&](const audit::VerdictAddition& one) { return one.word == condition.word; });
}

Policy parse_policy(std::string_view text, const std::string& name) {
  Options table(parse_toml(text, name), name);
  Policy policy;
  policy.name = name;
  policy.sha256 = sha256(std::as_bytes(std::span(text)));
  policy.title = table.text("title", "");
  policy.methods = table.texts("methods", {});
  policy.exclude = table.texts("exclude", {});
  if (table.has("grade")) {
    const std::string grade = table.text("grade", "");
    if (grade != "A" && grade != "B" && grade != "C") {
      table.wrong("grade", fmt::format("'{}' is no least grade of evidence: give A, B or C (every "
                                       "evidence has D)",
                                       grade));
    }
    policy.least_grade = grade.front();
  }
  policy.utility_loss = loss(table, "utility_loss", 1, "share of accuracy");
  policy.likelihood_loss = loss(table, "likelihood_loss", 100, "log-probability in nats");
  Options verdicts = table.table("verdicts");
  policy.absent = conditions(verdicts, "absent");
  policy.present = conditions(verdicts, "present");
  verdicts.finish();
  Options warnings = table.table("warnings");
  policy.warnings = warning_codes(warnings);
  warnings.finish();
  Options requests = table.table("requests");
  if (requests.has("traces")) {
    requests.choice("traces", "fail", {"fail"});
    policy.requests = true;
  }
  requests.finish();
  const Json limits = table.raw("limit");
  if (!limits.is_null() && !limits.is_array()) {
    table.wrong("limit", "write each limit as a table [[limit]] with two brackets");
  }
  for (std::size_t place = 0; place < limits.size(); ++place) {
    policy.limits.push_back(
        limit_of(limits[place], fmt::format("{}: [[limit]] {}", name, place + 1)));
  }
  table.finish();
  require(has_rules(policy), "{} has no rule: give grade, utility_loss, [verdicts] or [[limit]]",
          name);
  return policy;
}

Policy read_policy(const std::filesystem::path& path) {
  return parse_policy(read_file(path), path.filename().string());
}

Policy policy_of_words(const std::vector<std::string>& words) {
  Policy policy;
  policy.name = "--fail-on";
  for (const std::string& word : words) {
    policy.absent.push_back(condition_named(word, "--fail-on"));
  }
  return policy;
}

}  // namespace vestige::practice
