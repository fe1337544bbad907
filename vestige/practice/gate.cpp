// Rules checked against results.
#include "vestige/practice/gate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "vestige/audit/verdicts/speaking.h"
#include "vestige/evidence/checks/finding.h"
#include "vestige/metrics/addition.h"
#include "vestige/metrics/family.h"
#include "vestige/report/json/json_fields.h"

namespace vestige::practice {
namespace {

using audit::Verdict;
using metrics::Row;
using result::Code;
using result::reason;
using result::Reason;
using result::Reasons;
using Checks = std::vector<PolicyCheck>;

std::string title_of(const Verdict& verdict) {
  return verdict.variant.empty() ? verdict.method : verdict.variant + "/" + verdict.method;
}

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool judged(const Policy& policy, const std::string& method) {
  return (policy.methods.empty() || contains(policy.methods, method)) &&
         !contains(policy.exclude, method);
}

/// Methods that are judged, by the names that checks show; those that the policy names and the
/// results lack have failed already.
std::vector<const Verdict*> judged_verdicts(const report::Results& results, const Policy& policy,
                                            Checks& checks) {
  std::vector<const Verdict*> found;
  std::vector<std::string> methods;
  for (const Verdict& verdict : results.verdicts) {
    if (judged(policy, verdict.method)) found.push_back(&verdict);
    methods.push_back(verdict.method);
  }
  check_methods(policy, methods);
  for (const std::string& method : policy.methods) {
    const bool there = std::any_of(results.verdicts.begin(), results.verdicts.end(),
                                   [&](const Verdict& own) { return own.method == method; });
    if (!there) {
      checks.push_back({Code::rule_method_present, method, false, {Code::found_no_such_method}});
    }
  }
  if (found.empty() && policy.methods.empty()) {
    checks.push_back({Code::rule_some_method, "", false, {Code::found_no_method}});
  }
  return found;
}

/// What the verdict says to a condition.
Reason said(const Condition& condition, const Verdict& verdict) {
  const std::string_view word = result::name(verdict.word);
  const auto answer = [&](audit::Outcome shown) {
    return reason(Code::found_answer, word, name_of(condition), result::name(shown));
  };
  if (const Shown* shown = std::get_if<Shown>(&condition)) {
    if (*shown == Shown::under) return answer(verdict.under);
    if (*shown == Shown::over) return answer(verdict.over);
    if (*shown == Shown::utility) return answer(verdict.utility_loss);
  }
  if (const auto* addition = std::get_if<std::string>(&condition)) {
    for (const audit::VerdictAddition& one : verdict.additions) {
      if (one.word != *addition) continue;
      return reason(Code::found_addition, word, one.words, one.what, one.value);
    }
  }
  return reason(Code::found_verdict, word);
}

/// Why a condition could not be checked: it is an addition to verdicts, and no row of its metric
/// can be used; empty if it could.
Reason not_measured(const Condition& condition, const Verdict& verdict,
                    const report::Results& results) {
  const auto* wanted = std::get_if<std::string>(&condition);
  for (const metrics::Addition& addition : metrics::additions()) {
    if (wanted == nullptr || addition.word != *wanted) continue;
    const bool read = std::any_of(results.rows.begin(), results.rows.end(), [&](const auto& own) {
      return own.row.metric == addition.metric && own.row.status == metrics::Status::ok &&
             own.row.subject.group() == verdict.subject.group();
    });
    if (!read) return reason(Code::found_not_measured, addition.metric);
  }
  return {};
}

/// FORGOTTEN beside tests that say something else: the file was edited.
bool contradicts(const Verdict& verdict) {
  using result::Outcome;
  return verdict.word == audit::Word::forgotten &&
         (verdict.equivalent != Outcome::shown || verdict.under == Outcome::shown ||
          verdict.over == Outcome::shown || verdict.utility_loss == Outcome::shown ||
          verdict.utility_loss == Outcome::not_tested);
}

void check_verdicts(const Verdict& verdict, const Policy& policy, const report::Results& results,
                    Checks& checks) {
  if (contradicts(verdict)) {
    checks.push_back(
        {Code::rule_verdict_follows,
         title_of(verdict),
         false,
         {reason(Code::found_contradiction, result::name(verdict.word), result::name(verdict.under),
                 result::name(verdict.over), result::name(verdict.equivalent))}});
  }
  for (const Condition& condition : policy.absent) {
    const Reason why = not_measured(condition, verdict, results);
    const bool passed =
        why.empty() && !breaks(condition, verdict) && !not_tested(condition, verdict);
    checks.push_back({reason(Code::rule_verdict_not, name_of(condition)),
                      title_of(verdict),
                      passed,
                      {why.empty() ? said(condition, verdict) : why}});
  }
  if (policy.present.empty()) return;
  std::vector<std::string> names;
  bool any = false;
  for (const Condition& condition : policy.present) {
    names.push_back(name_of(condition));
    any = any || (holds(condition, verdict) && verdict.word != audit::Word::not_tested);
  }
  checks.push_back({reason(Code::rule_verdict_one_of, names),
                    title_of(verdict),
                    any,
                    {reason(Code::found_verdict, result::name(verdict.word))}});
}

/// The greatest loss that is allowed on retain and on test, by accuracy or by likelihood. Both must
/// have been tested.
void check_loss(const Verdict& verdict, double allowed, bool likelihood, Checks& checks) {
  PolicyCheck check{
      reason(likelihood ? Code::rule_likelihood_loss : Code::rule_accuracy_loss, allowed),
      title_of(verdict),
      true,
      {}};
  std::vector<std::string> untested = {"retain", "test"};
  for (const audit::VerdictTest& test : verdict.tests) {
    const std::string_view split = audit::utility_split(test.metric);
    const metrics::MetricInfo* info = metrics::find_metric(test.metric);
    if (split.empty() || info == nullptr || info->likelihood != likelihood) continue;
    const double change = test.difference.estimate;
    if (std::isnan(change) || -change > allowed) check.passed = false;
    check.findings.push_back(reason(Code::found_change, split, change));
    untested.erase(std::remove(untested.begin(), untested.end(), split), untested.end());
  }
  if (!untested.empty()) {
    check.passed = false;
    check.findings.push_back(
        reason(Code::found_no_test, likelihood ? "likelihood" : "accuracy", untested));
  }
  checks.push_back(std::move(check));
}

/// A metric with the settings that a limit names: "conformal.cr.forget (alpha=0.1)".
std::string limited_metric(const Limit& limit) {
  if (limit.setting.empty()) return limit.metric;
  std::vector<std::string> settings;
  for (const auto& [key, value] : limit.setting.items()) {
    settings.push_back(key + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return fmt::format("{} ({})", limit.metric, fmt::join(settings, ", "));
}

Reason rule_of(const Limit& limit) {
  const std::string metric = limited_metric(limit);
  const bool difference = limit.against_retrained, interval = limit.whole_interval;
  if (limit.least && limit.most) {
    return reason(Code::rule_between, metric, difference, interval, *limit.least, *limit.most);
  }
  return limit.least ? reason(Code::rule_at_least, metric, difference, interval, *limit.least)
                     : reason(Code::rule_at_most, metric, difference, interval, *limit.most);
}

bool fits(const Row& row, const Limit& limit, metrics::Control control = metrics::Control::none) {
  if (row.metric != limit.metric || row.control != control) return false;
  for (const auto& [key, value] : limit.setting.items()) {
    const auto found = row.settings.find(key);
    if (found == row.settings.end() || *found != value) return false;
  }
  return true;
}

/// Why the row does not keep the limit; empty if it does.
Reason broken(const Row& row, const Limit& limit) {
  if (std::isnan(row.value)) return reason(Code::found_undefined, Reasons(row.notes));
  if (row.status == metrics::Status::unreliable && !limit.unreliable_passes) {
    return reason(Code::found_unreliable, row.value, Reasons(row.notes));
  }
  if (limit.against_retrained && std::isnan(row.reference)) return Code::found_no_retrained_value;
  const double shift = limit.against_retrained ? row.reference : 0;
  const double value = row.value - shift;
  double low = value, high = value;
  if (limit.whole_interval) {
    if (std::isnan(row.lower) || std::isnan(row.upper)) {
      return reason(Code::found_no_interval, value);
    }
    low = row.lower - shift;
    high = row.upper - shift;
  }
  if (limit.most && !(high <= *limit.most)) return reason(Code::found_above, high, *limit.most);
  if (limit.least && !(low >= *limit.least)) return reason(Code::found_below, low, *limit.least);
  return {};
}

void check_limit(const report::Results& results, const Limit& limit, const Policy& policy,
                 Checks& checks) {
  std::vector<std::string> order;
  std::map<std::string, PolicyCheck> by_method;
  std::map<std::string, std::size_t> rows;
  for (const study::StudyRow& line : results.rows) {
    const Row& row = line.row;
    if (row.subject.role != "unlearned" || !judged(policy, row.subject.method)) continue;
    if (!fits(row, limit)) continue;
    const std::string title =
        line.variant.empty() ? row.subject.method : line.variant + "/" + row.subject.method;
    auto [place, fresh] =
        by_method.try_emplace(title, PolicyCheck{rule_of(limit), title, true, {}});
    if (fresh) order.push_back(title);
    ++rows[title];
    PolicyCheck& check = place->second;
    if (!check.passed) continue;
    const Reason why = broken(row, limit);
    if (!why.empty()) {
      check.passed = false;
      check.findings = {reason(Code::found_for_model, row.subject.id(), why)};
    } else if (check.findings.empty()) {
      check.findings = {limit.against_retrained
                            ? reason(Code::found_difference, row.value, row.reference)
                            : reason(Code::found_value, row.value)};
    }
  }
  for (const std::string& title : order) {
    PolicyCheck& check = by_method.at(title);
    if (check.passed && rows[title] > 1) {
      check.findings.push_back(reason(Code::found_more_values, rows[title] - 1));
    }
    checks.push_back(std::move(check));
  }
  for (const Verdict& verdict : results.verdicts) {
    if (!judged(policy, verdict.method) || by_method.count(title_of(verdict)) > 0) continue;
    checks.push_back({rule_of(limit), title_of(verdict), false, {Code::found_no_value}});
  }
}

/// How the originals of one variant stand to the limits on metrics that show forgetting.
struct OriginalsAndLimits {
  std::map<std::string, bool>
      breaks;  ///< by original: whether it breaks a limit; usable values only
  std::set<std::string> broken, kept;  ///< metrics
};

/// Limits that the original model satisfies too cannot show forgetting: where a policy has no other
/// rule about it, every original must break one of them. Without a usable value of an original this
/// was not tested, and fails.
void check_limits_inform(const report::Results& results, const Policy& policy, Checks& checks) {
  if (!forgetting_by_limits_alone(policy)) return;
  std::map<std::string, OriginalsAndLimits> variants;
  for (const Verdict& verdict : results.verdicts) {
    if (judged(policy, verdict.method)) variants.try_emplace(verdict.variant);
  }
  if (variants.empty()) variants.try_emplace("");
  std::vector<std::string> metrics;
  for (const Limit& limit : policy.limits) {
    if (!shows_forgetting(limit)) continue;
    metrics.push_back(limited_metric(limit));
    for (const study::StudyRow& line : results.rows) {
      const auto found = variants.find(line.variant);
      if (found == variants.end() || !fits(line.row, limit, metrics::Control::original)) continue;
      const Reason why = broken(line.row, limit);
      const bool breaks = why.code == Code::found_above || why.code == Code::found_below;
      // Undefined and unreliable values of the original tell nothing.
      if (!breaks && !why.empty()) continue;
      found->second.breaks[line.row.subject.id()] |= breaks;
      (breaks ? found->second.broken : found->second.kept).insert(metrics.back());
    }
  }
  const auto named = [](const std::set<std::string>& names) {
    return std::vector<std::string>(names.begin(), names.end());
  };
  for (const auto& [variant, originals] : variants) {
    const bool passed = !originals.breaks.empty() &&
                        std::all_of(originals.breaks.begin(), originals.breaks.end(),
                                    [](const auto& original) { return original.second; });
    Reason finding = reason(Code::found_original_breaks, named(originals.broken));
    if (originals.breaks.empty()) {
      finding = reason(Code::found_no_original_value, metrics);
    } else if (!passed) {
      finding = reason(Code::found_original_too, named(originals.kept));
    }
    checks.push_back({Code::rule_limits_inform, variant, passed, {finding}});
  }
}

/// A text of the evidence's summary or of a finding, as a reason.
Reason stated(const Json& json, const char* key) {
  const std::string text = report::text_of(json, key);
  return text.empty() ? Reason() : reason(Code::message, text);
}

/// Verdicts were made with margins that are no larger than the policy's.
void check_margins(const report::Results& results, const Policy& policy, Checks& checks) {
  using result::Margins;
  const auto with_numbers = [](Code code, const Margins& margins) {
    return reason(code, margins.margin, margins.smallest_effect, margins.utility_margin,
                  margins.likelihood_margin);
  };
  const Margins used = report::margins_of(results);
  PolicyCheck check{with_numbers(Code::rule_margins, policy.margins), "", true, {}};
  Margins::fields([&](const char* key, double Margins::*field, const char*) {
    if (used.*field <= policy.margins.*field) return;  // false for NaN
    check.passed = false;
    check.findings.push_back(
        reason(Code::found_margin_above, key, used.*field, policy.margins.*field));
  });
  if (check.passed) check.findings = {with_numbers(Code::found_margins, used)};
  checks.push_back(std::move(check));
}

/// `model` is "unlearned/finetune/0"; a policy names the model, its method or its role.
bool may_be_left_out(const Policy& policy, const std::string& model) {
  return std::any_of(policy.left_out.begin(), policy.left_out.end(), [&](const std::string& name) {
    const std::string beginning = name + "/";
    return model == name || model.starts_with(beginning) ||
           model.starts_with("unlearned/" + beginning);
  });
}

/// No model was left out by --keep-going, no run of an experiment failed, but those that the policy
/// names.
void check_left_out(const report::Results& results, const Policy& policy, Checks& checks) {
  PolicyCheck check{reason(Code::rule_no_model_left_out, policy.left_out), "", true, {}};
  const auto found = [&](bool allowed, Reason why) {
    check.passed = check.passed && allowed;
    check.findings.push_back(std::move(why));
  };
  for (const Json& finding : report::list_of(results.evidence, "checks")) {
    if (report::text_of(finding, "code") != "W-LEFT-OUT") continue;
    found(may_be_left_out(policy, report::text_of(finding, "model")),
          reason(Code::found_finding, "W-LEFT-OUT", stated(finding, "text")));
  }
  if (results.bench) {
    for (const result::FailedRuns& runs : results.bench->study.failed_runs) {
      found(contains(policy.left_out, runs.method), result::failed_runs_reason(runs));
    }
  } else if (!results.evidence.contains("checks")) {
    found(false, Code::found_no_findings);
  }
  if (check.findings.empty()) check.findings = {Code::found_nothing};
  checks.push_back(std::move(check));
}

/// No method was left out by --methods or --exclude that the policy would judge: the same policy
/// would pass without it.
void check_selected(const report::Results& results, const Policy& policy, Checks& checks) {
  const result::RunSelection selection = results.run.selection.value_or(result::RunSelection{});
  std::vector<std::string> excluded = selection.exclude;
  excluded.erase(std::remove_if(excluded.begin(), excluded.end(),
                                [&](const auto& name) { return !judged(policy, name); }),
                 excluded.end());
  const std::vector<std::string>& selected = selection.methods;
  const auto found = [&](Reason why) {
    checks.push_back({Code::rule_no_method_left_out, "", false, {std::move(why)}});
  };
  if (!excluded.empty()) found(reason(Code::found_excluded, excluded));
  if (!selected.empty() && policy.methods.empty()) found(reason(Code::found_selected, selected));
}

void check_evidence(const report::Results& results, const Policy& policy, Checks& checks) {
  if (policy.least_grade) {
    const std::string grade = report::text_of(results.evidence, "grade");
    checks.push_back({reason(Code::rule_quality, std::string(1, *policy.least_grade)),
                      "",
                      grade.size() == 1 && grade.front() <= *policy.least_grade,
                      {grade.empty() ? Reason(Code::found_no_quality)
                                     : reason(Code::found_quality, grade,
                                              stated(results.evidence, "grade_reason"))}});
  }
  const Json& findings = report::list_of(results.evidence, "checks");
  for (const std::string& code : policy.warnings) {
    const bool any = code == "any";
    const bool known = results.evidence.contains("checks");
    PolicyCheck check{any ? Reason(Code::rule_no_warning) : reason(Code::rule_no_finding, code),
                      "",
                      known,
                      {known ? Code::found_nothing : Code::found_no_findings}};
    for (const Json& finding : findings) {
      const std::string own = report::text_of(finding, "code");
      const auto severity =
          result::from_name<evidence::Severity>(report::text_of(finding, "severity"));
      if (any ? severity != evidence::Severity::warning : own != code) continue;
      check.passed = false;
      check.findings = {reason(Code::found_finding, own, stated(finding, "text"))};
      break;
    }
    checks.push_back(std::move(check));
  }
}

/// Whether the requests of one method show traces or were not tested, and whether all are decided.
void check_method_requests(const result::MethodRequests& method, const RequestRules& rules,
                           Checks& checks) {
  using result::RequestWord;
  std::size_t traces = 0, undecided = 0, untested = 0;
  std::string first;
  for (const result::RequestVerdict& own : method.requests) {
    if (own.word == RequestWord::traces_remain && ++traces == 1) first = own.request;
    if (own.word == RequestWord::not_decided) ++undecided;
    if (own.word == RequestWord::not_tested) ++untested;
  }
  const std::size_t all = method.requests.size();
  checks.push_back({Code::rule_no_request_traces,
                    method.method,
                    all > 0 && traces == 0 && untested == 0,
                    {reason(Code::found_requests, traces, all, untested, first)}});
  if (!method.missing.empty()) checks.back().findings.push_back(method.missing);
  if (rules.undecided_passes) return;
  checks.push_back({Code::rule_requests_decided,
                    method.method,
                    all > 0 && undecided + untested == 0,
                    {reason(Code::found_requests_decided, all - undecided - untested, all)}});
}

/// Results without requests, or a method without them, cannot be checked.
void check_requests(const report::Results& results, const Policy& policy, Checks& checks) {
  if (!policy.requests || (!results.requests && policy.requests->missing_passes)) return;
  const auto not_checked = [&](const std::string& method, const Reason& missing) {
    checks.push_back({Code::rule_no_request_traces, method, false, {Code::found_no_requests}});
    if (!missing.empty()) checks.back().findings = {missing};
  };
  if (!results.requests || results.requests->methods.empty()) {
    return not_checked("", results.requests ? results.requests->missing : Reason());
  }
  const std::vector<result::MethodRequests>& all = results.requests->methods;
  for (const Verdict& verdict : results.verdicts) {
    if (!judged(policy, verdict.method)) continue;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const auto& own) { return own.method == verdict.method; });
    if (found == all.end()) {
      not_checked(title_of(verdict), {});
    } else {
      check_method_requests(*found, *policy.requests, checks);
    }
  }
}

}  // namespace

Gate gate(const report::Results& results, const Policy& policy) {
  Gate outcome{policy.name, policy.sha256, policy.title, false, {}};
  check_evidence(results, policy, outcome.checks);
  check_left_out(results, policy, outcome.checks);
  check_selected(results, policy, outcome.checks);
  check_margins(results, policy, outcome.checks);
  for (const Verdict* verdict : judged_verdicts(results, policy, outcome.checks)) {
    check_verdicts(*verdict, policy, results, outcome.checks);
    if (policy.utility_loss) check_loss(*verdict, *policy.utility_loss, false, outcome.checks);
    if (policy.likelihood_loss) {
      check_loss(*verdict, *policy.likelihood_loss, true, outcome.checks);
    }
  }
  for (const Limit& limit : policy.limits) check_limit(results, limit, policy, outcome.checks);
  check_limits_inform(results, policy, outcome.checks);
  check_requests(results, policy, outcome.checks);
  outcome.passed = outcome.failures() == 0;
  return outcome;
}

}  // namespace vestige::practice
