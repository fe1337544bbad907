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
#include "vestige/evidence/checks/finding.h"
#include "vestige/metrics/addition.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/nearest_metric.h"
#include "vestige/result/names.h"

namespace vestige::practice {
namespace {

using audit::Outcome;
using audit::Word;

std::string small(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return result;
}

constexpr std::pair<Shown, std::string_view> kShown[] = {{Shown::under, "under"},
                                                         {Shown::over, "over"},
                                                         {Shown::utility, "utility"},
                                                         {Shown::undecided, "undecided"}};

/// Names of policies before verdicts had names with underscores.
constexpr std::pair<std::string_view, std::string_view> kEarlierNames[] = {
    {"traces remain", "traces_remain"},   {"over-forgotten", "over_forgotten"},
    {"traces + over-forgotten", "mixed"}, {"not decided", "not_decided"},
    {"no verdict", "not_tested"},         {"not tested", "not_tested"},
    {"inconclusive", "undecided"}};

std::vector<Condition> known_conditions() {
  std::vector<Condition> known;
  for (const auto& [word, name] : result::Names<Word>::list) known.emplace_back(word);
  for (const auto& [shown, name] : kShown) known.emplace_back(shown);
  for (const metrics::Addition& addition : metrics::additions()) {
    known.emplace_back(std::string(addition.word));
  }
  return known;
}

/// A list that says something: an empty one is a mistake.
std::vector<std::string> listed(Options& table, const char* key, const char* what) {
  std::vector<std::string> found = table.texts(key, {});
  if (table.has(key) && found.empty())
    table.wrong(key, fmt::format("the list is empty: remove it, or name a {}", what));
  return found;
}

std::vector<Condition> conditions(Options& table, const char* key) {
  std::vector<Condition> found;
  for (const std::string& word : listed(table, key, "condition")) {
    found.push_back(condition_named(word, table.where() + ": " + key));
  }
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
    table.wrong(key, fmt::format("{} cannot be a loss of {}: give a number from 0 to below {}",
                                 *value, unit, most));
  }
  return value;
}

/// The largest margins that are accepted; those that the table does not name keep their defaults.
void read_margins(Options& table, result::Margins& margins) {
  using result::Margins;
  const std::vector<metrics::Option>& options = audit::verdict_option_table().options();
  Margins::fields([&](const char* key, double Margins::*field, const char*) {
    const std::optional<double> given = optional_number(table, key);
    if (!given) return;
    for (const metrics::Option& option : options) {
      if (option.key != std::string("verdict.") + key) continue;
      const std::string why = metrics::misfit(option, *given);
      if (!why.empty()) table.wrong(key, fmt::format("{}: {}", *given, why));
    }
    margins.*field = *given;
  });
}

RequestRules request_rules(Options& table) {
  RequestRules rules;
  table.choice("traces", "fail", {"fail"});
  rules.undecided_passes = table.choice("undecided", "fail", {"fail", "pass"}) == "pass";
  rules.missing_passes = table.choice("missing", "fail", {"fail", "pass"}) == "pass";
  return rules;
}

/// Refuses limits that every value or no value satisfies.
void check_range(const Limit& limit, const Options& table) {
  if (limit.least && limit.most && *limit.least > *limit.most) {
    table.wrong("least", fmt::format("{} is above most = {}: no value satisfies both", *limit.least,
                                     *limit.most));
  }
  metrics::Range range = metrics::range_of(limit.metric);
  const char* what = "values";
  if (limit.against_retrained) {
    range = {.least = range.least - range.most, .most = range.most - range.least};
    what = "differences";
  }
  const auto values = [&] {
    return fmt::format("{} of {} lie between {} and {}", what, limit.metric, range.least,
                       range.most);
  };
  if (limit.most && *limit.most < range.least) {
    table.wrong("most", fmt::format("{}: no value satisfies it, {}", *limit.most, values()));
  }
  if (limit.least && *limit.least > range.most) {
    table.wrong("least", fmt::format("{}: no value satisfies it, {}", *limit.least, values()));
  }
  if (limit.most && *limit.most >= range.most) {
    table.wrong("most", fmt::format("{}: every value satisfies it, {}", *limit.most, values()));
  }
  if (limit.least && *limit.least <= range.least) {
    table.wrong("least", fmt::format("{}: every value satisfies it, {}", *limit.least, values()));
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
  const std::vector<std::string> given = listed(table, "absent", "code");
  for (const std::string& code : given) {
    if (std::find(known.begin(), known.end(), code) != known.end()) continue;
    table.wrong("absent", fmt::format("'{}' is not the code of a warning: did you mean '{}'?", code,
                                      nearest(code, known)));
  }
  return given;
}

/// Whether a rule on verdicts or requests is about forgetting: a method with traces fails it.
bool has_rule_on_traces(const Policy& policy) {
  const auto fails = [&policy](Word word, Outcome over) {
    audit::Verdict traces;
    traces.word = word;
    traces.under = Outcome::shown;
    traces.over = over;
    const auto met = [&](const Condition& condition) { return holds(condition, traces); };
    const auto broken = [&](const Condition& condition) { return breaks(condition, traces); };
    return std::any_of(policy.absent.begin(), policy.absent.end(), broken) ||
           (!policy.present.empty() &&
            std::none_of(policy.present.begin(), policy.present.end(), met));
  };
  if (fails(Word::traces_remain, Outcome::excluded) && fails(Word::mixed, Outcome::shown)) {
    return true;
  }
  return policy.requests && !policy.requests->missing_passes;
}

bool is_about_forgetting(const Policy& policy) {
  return has_rule_on_traces(policy) ||
         std::any_of(policy.limits.begin(), policy.limits.end(), shows_forgetting);
}

bool all_excluded(const Policy& policy, const std::vector<std::string>& methods) {
  return !methods.empty() && std::all_of(methods.begin(), methods.end(), [&](const auto& name) {
    return std::find(policy.exclude.begin(), policy.exclude.end(), name) != policy.exclude.end();
  });
}

void check_rules(const Policy& policy, Options& verdicts) {
  const auto& present = policy.present;
  if (std::find(present.begin(), present.end(), Condition(Word::not_tested)) != present.end()) {
    verdicts.wrong("present", "not_tested cannot be accepted: what was not tested has failed");
  }
  for (const Word word : {Word::mixed, Word::collapsed}) {
    if (std::find(present.begin(), present.end(), Condition(word)) == present.end()) continue;
    verdicts.wrong("present", fmt::format("{} cannot be accepted: it does not show forgetting",
                                          result::name(word)));
  }
  require(!all_excluded(policy, policy.methods),
          "{}: exclude names every one of methods, so that nothing is checked", policy.name);
  require(is_about_forgetting(policy),
          "{} has no rule about forgetting, so that a method with traces would pass: add "
          "[verdicts] present = [\"forgotten\"] or absent = [\"under\"]",
          policy.name);
}

}  // namespace

std::string name_of(const Condition& condition) {
  struct Name {
    std::string operator()(Word word) const { return std::string(result::name(word)); }
    std::string operator()(Shown shown) const {
      return std::string(kShown[static_cast<std::size_t>(shown)].second);
    }
    std::string operator()(const std::string& addition) const { return addition; }
  };
  return std::visit(Name{}, condition);
}

Condition condition_named(std::string_view name, const std::string& where) {
  const std::string wanted = small(name);
  std::vector<std::string> names;
  for (const Condition& condition : known_conditions()) {
    names.push_back(name_of(condition));
    if (names.back() == wanted) return condition;
  }
  for (const auto& [earlier, now] : kEarlierNames) {
    if (earlier == wanted) fail("{}: '{}' is now '{}'", where, name, now);
  }
  fail("{}: '{}' is not a condition on verdicts. Did you mean '{}'? The conditions are {}", where,
       name, nearest(wanted, names), fmt::join(names, ", "));
}

bool holds(const Condition& condition, const audit::Verdict& verdict) {
  struct Holds {
    const audit::Verdict& verdict;
    bool operator()(Word word) const { return verdict.word == word; }
    bool operator()(Shown shown) const {
      switch (shown) {
        case Shown::under:
          return verdict.under == Outcome::shown;
        case Shown::over:
          return verdict.over == Outcome::shown;
        case Shown::utility:
          return verdict.utility_loss == Outcome::shown;
        case Shown::undecided:
          return verdict.word == Word::not_decided || verdict.word == Word::not_tested;
      }
      return false;
    }
    bool operator()(const std::string& addition) const {
      return std::any_of(verdict.additions.begin(), verdict.additions.end(),
                         [&](const audit::VerdictAddition& one) { return one.word == addition; });
    }
  };
  return std::visit(Holds{verdict}, condition);
}

bool breaks(const Condition& condition, const audit::Verdict& verdict) {
  if (holds(condition, verdict)) return true;
  const Word* word = std::get_if<Word>(&condition);
  return word != nullptr && verdict.word == Word::mixed &&
         (*word == Word::traces_remain || *word == Word::over_forgotten);
}

bool not_tested(const Condition& condition, const audit::Verdict& verdict) {
  if (verdict.word == Word::not_tested) return true;
  const Shown* shown = std::get_if<Shown>(&condition);
  if (shown == nullptr) return false;
  switch (*shown) {
    case Shown::under:
      return verdict.under == Outcome::not_tested;
    case Shown::over:
      return verdict.over == Outcome::not_tested;
    case Shown::utility:
      return verdict.utility_loss == Outcome::not_tested;
    case Shown::undecided:
      break;
  }
  return false;
}

bool shows_forgetting(const Limit& limit) {
  const metrics::MetricInfo* info = metrics::find_metric(limit.metric);
  return info != nullptr && (info->shows_forgetting || info->speech);
}

bool forgetting_by_limits_alone(const Policy& policy) {
  return !has_rule_on_traces(policy) &&
         std::any_of(policy.limits.begin(), policy.limits.end(), shows_forgetting);
}

result::Margins default_margins() {
  const audit::VerdictOptions own;
  return {own.margin, own.smallest_effect, own.utility_margin, own.likelihood_margin};
}

Policy parse_policy(std::string_view text, const std::string& name) {
  Options table(parse_toml(text, name), name);
  Policy policy;
  policy.name = name;
  policy.sha256 = sha256(std::as_bytes(std::span(text)));
  policy.title = table.text("title", "");
  policy.methods = listed(table, "methods", "method");
  policy.exclude = listed(table, "exclude", "method");
  policy.left_out = listed(table, "allow_left_out", "model or method");
  if (table.has("grade")) {
    const std::string grade = table.text("grade", "");
    if (grade != "A" && grade != "B" && grade != "C") {
      table.wrong("grade", fmt::format("'{}' is not a least evidence quality: give A, B or C (any "
                                       "evidence has at least D)",
                                       grade));
    }
    policy.least_grade = grade.front();
  }
  policy.utility_loss = loss(table, "utility_loss", 1, "accuracy");
  policy.likelihood_loss = loss(table, "likelihood_loss", 100, "log-probability in nats");
  result::Margins::fields([&](const char* key, double result::Margins::*, const char*) {
    if (table.has(key)) table.wrong(key, "it is about verdicts: write it below [verdicts]");
  });
  Options verdicts = table.table("verdicts");
  policy.absent = conditions(verdicts, "absent");
  policy.present = conditions(verdicts, "present");
  read_margins(verdicts, policy.margins);
  verdicts.finish();
  Options warnings = table.table("warnings");
  policy.warnings = warning_codes(warnings);
  warnings.finish();
  Options requests = table.table("requests");
  if (table.has("requests")) policy.requests = request_rules(requests);
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
  check_rules(policy, verdicts);
  return policy;
}

Policy read_policy(const std::filesystem::path& path) {
  return parse_policy(read_file(path, kMostOfPolicy), path.filename().string());
}

std::string_view default_policy_text() {
  return R"(# The policy of vestige gate where none is given.
title = "Every method has forgotten"

[verdicts]
present = ["forgotten"]

[requests]
missing = "pass"         # where the evidence has requests, none has traces and all are decided
)";
}

const Policy& default_policy() {
  static const Policy policy = parse_policy(default_policy_text(), "default");
  return policy;
}

Policy policy_of_words(const std::vector<std::string>& words) {
  Policy policy;
  policy.name = "--fail-on";
  for (const std::string& word : words) {
    policy.absent.push_back(condition_named(word, "--fail-on"));
  }
  require(is_about_forgetting(policy),
          "--fail-on {} says nothing about forgetting, so that a method with traces would pass: "
          "add under",
          fmt::join(words, ","));
  return policy;
}

void check_methods(const Policy& policy, const std::vector<std::string>& methods) {
  require(!policy.methods.empty() || !all_excluded(policy, methods),
          "{}: exclude leaves no method to check: there are {}", policy.name,
          fmt::join(methods, ", "));
}

void check_methods(const Policy& policy, const evidence::Evidence& evidence) {
  std::vector<std::string> methods;
  for (const evidence::Group* group : evidence.unlearned()) methods.push_back(group->method);
  check_methods(policy, methods);
}

}  // namespace vestige::practice
