// Rules held against results.
#include "vestige/practice/gate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "vestige/audit/verdict_words.h"
#include "vestige/metrics/addition.h"
#include "vestige/metrics/family.h"
#include "vestige/report/json_fields.h"

namespace vestige::practice {
namespace {

using audit::Verdict;
using metrics::Row;

std::string title_of(const Verdict& verdict) {
  return verdict.arm.empty() ? verdict.method : verdict.arm + "/" + verdict.method;
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
                                            std::vector<Check>& checks) {
  std::vector<const Verdict*> found;
  for (const Verdict& verdict : results.verdicts) {
    if (judged(policy, verdict.method)) found.push_back(&verdict);
  }
  for (const std::string& method : policy.methods) {
    const bool there = std::any_of(results.verdicts.begin(), results.verdicts.end(),
                                   [&](const Verdict& own) { return own.method == method; });
    if (!there) checks.push_back({"the method is there", method, false, "the results lack it"});
  }
  if (found.empty() && policy.methods.empty()) {
    checks.push_back({"there is a method", "", false, "the results have no method to judge"});
  }
  return found;
}

/// What the verdict says to a condition, in a phrase.
std::string said(const Condition& condition, const Verdict& verdict) {
  const auto answer = [&](std::string_view what, audit::Shown shown) {
    return fmt::format("{}: {} {}", audit::name(verdict.word), what, audit::name(shown));
  };
  if (condition.word == "under") return answer("under-forgetting", verdict.under);
  if (condition.word == "over") return answer("over-forgetting", verdict.over);
  if (condition.word == "utility") return answer("utility loss", verdict.utility_loss);
  for (const audit::VerdictAddition& one : verdict.additions) {
    if (one.word != condition.word) continue;
    return fmt::format("{}: {} {} ({:.2f})", audit::name(verdict.word), one.words, one.what,
                       one.value);
  }
  return std::string(audit::name(verdict.word));
}

/// Why a condition could not be looked at: it is an addition to verdicts, and no row of its metric
/// can be read; empty if it could.
std::string not_looked_at(const Condition& condition, const Verdict& verdict,
                          const report::Results& results) {
  for (const metrics::Addition& addition : metrics::additions()) {
    if (addition.word != condition.word) continue;
    const bool read = std::any_of(results.rows.begin(), results.rows.end(), [&](const auto& own) {
      return own.row.metric == addition.metric && own.row.status == metrics::Status::ok &&
             own.row.subject.group() == verdict.subject.group();
    });
    if (!read) return fmt::format("{} was not measured, or cannot be read", addition.metric);
  }
  return {};
}

void check_verdicts(const Verdict& verdict, const Policy& policy, const report::Results& results,
                    std::vector<Check>& checks) {
  for (const Condition& condition : policy.absent) {
    const std::string why = not_looked_at(condition, verdict, results);
    if (!why.empty()) {
      checks.push_back({"no verdict " + condition.word, title_of(verdict), false, why});
      continue;
    }
    checks.push_back({"no verdict " + condition.word, title_of(verdict), !holds(condition, verdict),
                      said(condition, verdict)});
  }
  if (policy.present.empty()) return;
  std::vector<std::string> words;
  bool any = false;
  for (const Condition& condition : policy.present) {
    words.push_back(condition.word);
    any = any || holds(condition, verdict);
  }
  checks.push_back({fmt::format("verdict {}", fmt::join(words, " or ")), title_of(verdict), any,
                    std::string(audit::name(verdict.word))});
}

/// The greatest loss that is allowed on retain and on test, by accuracy or by likelihood.
void check_loss(const Verdict& verdict, double allowed, bool likelihood,
                std::vector<Check>& checks) {
  Check check{
      fmt::format("{} at most {}", likelihood ? "likelihood loss" : "utility loss", allowed),
      title_of(verdict), true, ""};
  std::vector<std::string> parts;
  for (const audit::VerdictTest& test : verdict.tests) {
    const std::string_view split = audit::utility_split(test.metric);
    const metrics::MetricInfo* info = metrics::find_metric(test.metric);
    if (split.empty() || info == nullptr || info->likelihood != likelihood) continue;
    const double lost = -test.difference.estimate;
    if (std::isnan(lost) || lost > allowed) check.passed = false;
    parts.push_back(std::isnan(lost) ? fmt::format("{} undefined", split)
                                     : fmt::format("{} {:+.4g} against retrained", split,
                                                   test.difference.estimate));
  }
  if (parts.empty()) {
    check.passed = false;
    parts.push_back(fmt::format("cannot be checked: the verdict has no test of {}",
                                likelihood ? "likelihood" : "accuracy"));
  }
  check.text = fmt::format("{}", fmt::join(parts, ", "));
  checks.push_back(std::move(check));
}

std::string limit_name(const Limit& limit) {
  std::string text = limit.metric;
  if (!limit.setting.empty()) text += " " + limit.setting.dump();
  if (limit.against_retrained) text += " minus retrained's";
  if (limit.least) text += fmt::format(" at least {}", *limit.least);
  if (limit.least && limit.most) text += " and";
  if (limit.most) text += fmt::format(" at most {}", *limit.most);
  if (limit.whole_interval) text += " by its interval";
  return text;
}

bool fits(const Row& row, const Limit& limit) {
  if (row.metric != limit.metric || row.control != metrics::Control::none) return false;
  for (const auto& [key, value] : limit.setting.items()) {
    const auto found = row.settings.find(key);
    if (found == row.settings.end() || *found != value) return false;
  }
  return true;
}

/// Why the row does not keep the limit; empty if it does.
std::string broken(const Row& row, const Limit& limit) {
  if (std::isnan(row.value)) {
    return "undefined" + (row.note.empty() ? std::string() : ": " + row.note);
  }
  if (row.status == metrics::Status::unreliable && !limit.unreliable_passes) {
    return fmt::format("{:.6g} is unreliable: {}", row.value, row.note);
  }
  if (limit.against_retrained && std::isnan(row.reference)) return "there is no retrained value";
  const double shift = limit.against_retrained ? row.reference : 0;
  const double value = row.value - shift;
  double low = value, high = value;
  if (limit.whole_interval) {
    if (std::isnan(row.lower) || std::isnan(row.upper)) {
      return fmt::format("{:.6g} has no interval", value);
    }
    low = row.lower - shift;
    high = row.upper - shift;
  }
  if (limit.most && !(high <= *limit.most)) {
    return fmt::format("{:.6g} is above {}", high, *limit.most);
  }
  if (limit.least && !(low >= *limit.least)) {
    return fmt::format("{:.6g} is below {}", low, *limit.least);
  }
  return {};
}

void check_limit(const report::Results& results, const Limit& limit, const Policy& policy,
                 std::vector<Check>& checks) {
  std::vector<std::string> order;
  std::map<std::string, Check> by_method;
  std::map<std::string, std::size_t> rows;
  for (const study::StudyRow& line : results.rows) {
    const Row& row = line.row;
    if (row.subject.role != "unlearned" || !judged(policy, row.subject.method)) continue;
    if (!fits(row, limit)) continue;
    const std::string title =
        line.arm.empty() ? row.subject.method : line.arm + "/" + row.subject.method;
    auto [place, fresh] = by_method.try_emplace(title, Check{limit_name(limit), title, true, ""});
    if (fresh) order.push_back(title);
    ++rows[title];
    Check& check = place->second;
    if (!check.passed) continue;
    const std::string why = broken(row, limit);
    if (!why.empty()) {
      check.passed = false;
      check.text = fmt::format("{}: {}", row.subject.id(), why);
    } else if (check.text.empty()) {
      check.text = limit.against_retrained
                       ? fmt::format("{:.6g} - {:.6g}", row.value, row.reference)
                       : fmt::format("{:.6g}", row.value);
    }
  }
  for (const std::string& title : order) {
    Check& check = by_method.at(title);
    if (check.passed && rows[title] > 1) check.text += fmt::format(" and {} more", rows[title] - 1);
    checks.push_back(std::move(check));
  }
  for (const Verdict& verdict : results.verdicts) {
    if (!judged(policy, verdict.method) || by_method.count(title_of(verdict)) > 0) continue;
    checks.push_back({limit_name(limit), title_of(verdict), false,
                      "cannot be checked: it has no such row; see skipped in the results"});
  }
}

void check_evidence(const report::Results& results, const Policy& policy,
                    std::vector<Check>& checks) {
  if (policy.least_grade) {
    const std::string grade = report::text_of(results.evidence, "grade");
    checks.push_back({fmt::format("grade of evidence at least {}", *policy.least_grade), "",
                      grade.size() == 1 && grade.front() <= *policy.least_grade,
                      grade.empty()
                          ? "the results name none"
                          : grade + ": " + report::text_of(results.evidence, "grade_reason")});
  }
  const Json& findings = report::list_of(results.evidence, "checks");
  for (const std::string& code : policy.warnings) {
    Check check{code == "any" ? "no warning" : "no finding " + code, "", true, "none"};
    for (const Json& finding : findings) {
      const bool hit = code == "any" ? report::text_of(finding, "severity") == "warning"
                                     : report::text_of(finding, "code") == code;
      if (!hit) continue;
      check.passed = false;
      check.text = report::text_of(finding, "code") + ": " + report::text_of(finding, "text");
      break;
    }
    checks.push_back(std::move(check));
  }
}

/// No request may show traces; results without requests cannot be checked.
void check_requests(const report::Results& results, const Policy& policy,
                    std::vector<Check>& checks) {
  if (!policy.requests) return;
  const Json& methods = report::list_of(results.requests, "methods");
  if (methods.empty()) {
    checks.push_back({"no request with traces", "", false,
                      "cannot be checked: the results have no requests; add requests.csv"});
  }
  for (const Json& method : methods) {
    const std::string name = report::text_of(method, "method");
    if (!judged(policy, name)) continue;
    Check check{"no request with traces", name, true, ""};
    std::size_t all = 0, traces = 0, open = 0;
    for (const Json& request : report::list_of(method, "requests")) {
      const std::string word = report::text_of(request, "word");
      ++all;
      if (word == "CANNOT BE DECIDED") ++open;
      if (word == "TRACES REMAIN" && ++traces == 1) {
        check.passed = false;
        check.text = fmt::format("request {}: ", report::text_of(request, "request"));
      }
    }
    check.text +=
        fmt::format("{} of {} requests show traces, {} cannot be decided", traces, all, open);
    checks.push_back(std::move(check));
  }
}

}  // namespace

bool Gate::passed() const { return failures() == 0; }

std::size_t Gate::failures() const {
  return static_cast<std::size_t>(
      std::count_if(checks.begin(), checks.end(), [](const Check& own) { return !own.passed; }));
}

Gate gate(const report::Results& results, const Policy& policy) {
  Gate outcome{policy.name, policy.sha256, policy.title, {}};
  check_evidence(results, policy, outcome.checks);
  for (const Verdict* verdict : judged_verdicts(results, policy, outcome.checks)) {
    check_verdicts(*verdict, policy, results, outcome.checks);
    if (policy.utility_loss) check_loss(*verdict, *policy.utility_loss, false, outcome.checks);
    if (policy.likelihood_loss) {
      check_loss(*verdict, *policy.likelihood_loss, true, outcome.checks);
    }
  }
  for (const Limit& limit : policy.limits) check_limit(results, limit, policy, outcome.checks);
  check_requests(results, policy, outcome.checks);
  return outcome;
}

}  // namespace vestige::practice
