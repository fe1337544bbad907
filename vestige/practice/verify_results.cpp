// What results.json itself shows without the evidence: its words follow from its numbers, and page,
// plots and policy outcome from it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <system_error>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/nesting.h"
#include "vestige/practice/dossier.h"
#include "vestige/practice/gate.h"
#include "vestige/practice/statement.h"
#include "vestige/practice/verify_parts.h"
#include "vestige/report/json/json_fields.h"
#include "vestige/report/json/read_results.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/page/html.h"
#include "vestige/report/page/spec_files.h"
#include "vestige/result/codec.h"

namespace vestige::practice {
namespace {

namespace fs = std::filesystem;
using report::text_of;
using result::Code;
using result::reason;

constexpr const char* kPage = "report.html";
constexpr const char* kPolicy = "policy.toml";
constexpr const char* kTable = "gate.md";

/// A file of another size is not read: it may be larger than memory.
bool same_bytes(const fs::path& file, const std::string& text) {
  std::error_code error;
  return fs::file_size(file, error) == text.size() && !error && read_file(file) == text;
}

void check_page(const fs::path& folder, const report::Results& results,
                std::vector<CheckedPart>& findings) {
  if (!fs::exists(folder / kPage)) return;
  const bool same = same_bytes(folder / kPage, report::html(results));
  findings.push_back({kPage, valid_if(same), same ? Code::page_same_bytes : Code::page_differs});
}

/// The plots of these results, each with the bytes that it must have.
void check_plots(const fs::path& folder, const report::Results& results,
                 std::vector<CheckedPart>& findings) {
  if (!fs::is_directory(folder / "plots")) return;
  std::map<std::string, std::string> made;
  for (const report::SpecFile& file : report::spec_files(results)) made[file.name] = file.text;
  std::size_t same = 0;
  for (const auto& entry : fs::directory_iterator(folder / "plots")) {
    const std::string name = entry.path().filename().string();
    const auto own = made.find(name);
    if (own != made.end() && same_bytes(entry.path(), own->second)) {
      ++same;
    } else {
      findings.push_back({"plots/" + name, Validity::invalid, Code::plot_differs});
    }
  }
  findings.push_back({"plots", Validity::valid, reason(Code::plots_same_bytes, same)});
}

/// Whether the outcome of --fail-on, which has no file, is what its words give for these results.
bool follows_from_words(const report::Results& results) {
  std::vector<std::string> words;
  for (const result::PolicyCheck& check : results.gate->checks) {
    if (check.rule.code != Code::rule_verdict_not) continue;
    const auto& word = std::get<std::string>(result::argument(check.rule, "condition"));
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  try {
    return result::json_of(gate(results, policy_of_words(words))) == result::json_of(*results.gate);
  } catch (const InputError&) {
    return false;  // no such words
  }
}

/// What the dossier's policy gives for these results; nothing where there is no policy, or where it
/// contradicts the results.
std::optional<FiledPolicy> check_policy(const fs::path& folder, const report::Results& results,
                                        const std::string& name, bool own_build,
                                        std::vector<CheckedPart>& findings) {
  const auto add = [&](Validity outcome, const result::Reason& found) {
    findings.push_back({"policy", outcome, found});
  };
  const std::string declared = results.gate ? results.gate->sha256 : std::string();
  if (!fs::exists(folder / kPolicy)) {
    if (!declared.empty()) add(Validity::invalid, reason(Code::policy_missing, declared));
    if (declared.empty() && results.gate && own_build && !follows_from_words(results)) {
      add(Validity::invalid, Code::policy_contradicts);
    }
    if (fs::exists(folder / kTable))
      findings.push_back({kTable, Validity::invalid, Code::file_added});
    return std::nullopt;
  }
  std::optional<FiledPolicy> policy;
  try {
    policy = filed_policy(read_file(folder / kPolicy, kMostOfPolicy), name, results);
  } catch (const InputError& error) {
    add(Validity::invalid, reason(Code::message, error.what()));
    return std::nullopt;
  }
  if (!declared.empty() && declared != policy->sha256) {
    add(Validity::invalid, Code::policy_contradicts);
    return std::nullopt;
  }
  const bool passes = !policy->outcome.in_results || results.gate->passed == policy->outcome.passed;
  const bool same = passes && policy->as_in_results && same_bytes(folder / kTable, policy->table);
  if (same) {
    add(Validity::valid, Code::policy_follows);
  } else if (own_build) {
    add(Validity::invalid, Code::policy_contradicts);
  } else {
    add(Validity::not_checked, Code::page_of_other_build);
  }
  return policy;
}

/// "2026-11-16T06:21:24Z": the only text of a statement that is nobody's words.
bool is_moment(const std::string& text) {
  const std::string form = "dddd-dd-ddTdd:dd:ddZ";
  return text.size() == form.size() &&
         std::equal(text.begin(), text.end(), form.begin(), [](char letter, char wanted) {
           return wanted == 'd' ? letter >= '0' && letter <= '9' : letter == wanted;
         });
}

/// README.txt and what is signed about the results, made again from them.
void check_statement(const fs::path& folder, const report::Results& results, const Json& predicate,
                     std::optional<FiledPolicy> policy, bool own_build,
                     std::vector<CheckedPart>& findings) {
  const Json& stated_policy = report::list_of(predicate, "policy");
  if (policy && !own_build) {  // another build may check rules otherwise
    policy->outcome.passed = policy->outcome.in_results ? results.gate->passed
                                                        : report::flag_of(stated_policy, "passed");
  }
  const Json& ledger = report::list_of(predicate, "ledger");
  const std::string filed = report::text_of(predicate, "created");
  const Statement own = statement_of(results, policy,
                                     {.signer = report::text_of(predicate, "signer"),
                                      .filed = filed,
                                      .evidence_inside = fs::exists(folder / "evidence"),
                                      .ledger = ledger.is_object() ? ledger : Json()});
  // As text and back: names that are no UTF-8 are written otherwise.
  const Json expected =
      parse_json(own.predicate.dump(-1, ' ', false, Json::error_handler_t::replace));
  const std::string wrong = is_moment(filed) ? contradiction_of(predicate, expected) : "created";
  const bool same = predicate == expected;
  if (!wrong.empty() || (own_build && !same)) {
    findings.push_back({"statement", Validity::invalid,
                        reason(Code::statement_contradicts, wrong.empty() ? "verdicts" : wrong)});
  } else {
    findings.push_back({"statement", same ? Validity::valid : Validity::not_checked,
                        same ? Code::statement_follows : Code::page_of_other_build});
  }
  if (!fs::exists(folder / kLetterFile)) {
    findings.push_back({kLetterFile, Validity::invalid, Code::file_missing});
  } else if (same_bytes(folder / kLetterFile, own.letter)) {
    findings.push_back({kLetterFile, Validity::valid, Code::letter_same_bytes});
  } else {
    findings.push_back({kLetterFile, valid_if(false), Code::letter_differs});
    if (!own_build)
      findings.back() = {kLetterFile, Validity::not_checked, Code::page_of_other_build};
  }
}

}  // namespace

std::vector<std::string> contradictions_in(const Json& stored, const report::Results& results) {
  NumberDifferences found = differences_between(stored, Json::parse(report::results_text(results)));
  for (const result::Verdict& verdict : results.verdicts) {
    if (verdict.word != result::Word::forgotten || verdict.equivalent == result::Outcome::shown) {
      continue;
    }
    found.different.push_back(fmt::format(
        "verdict of {}: {}, equivalent: {} -> {}", verdict.method, result::name(verdict.word),
        result::name(verdict.equivalent), result::name(result::Outcome::shown)));
  }
  return found.different;
}

void check_results(const fs::path& folder, const Json& predicate,
                   std::vector<CheckedPart>& findings) {
  constexpr const char* kResults = "results.json";
  Json stored;
  report::Results results;
  try {
    stored = parse_json(read_file(folder / kResults, report::kMostOfResults));
    results = report::results_of(stored, kResults);
  } catch (const InputError& error) {
    findings.push_back({kResults, Validity::invalid, reason(Code::message, error.what())});
    return;
  }
  const std::string policy_name = text_of(report::list_of(predicate, "policy"), "name");
  // Only the build that wrote them makes the same texts and bytes.
  const bool own_build = results.tool == report::this_tool();
  if (own_build) {
    const std::vector<std::string> wrong = contradictions_in(stored, results);
    findings.push_back({kResults, valid_if(wrong.empty()),
                        wrong.empty()
                            ? reason(Code::results_follow)
                            : reason(Code::results_contradict, wrong.size(), wrong.front())});
    check_page(folder, results, findings);
    check_plots(folder, results, findings);
  } else {
    findings.push_back({kResults, Validity::not_checked, Code::results_of_other_build});
    for (const char* name : {kPage, "plots"}) {
      if (!fs::exists(folder / name)) continue;
      findings.push_back({name, Validity::not_checked, Code::page_of_other_build});
    }
  }
  const std::optional<FiledPolicy> policy =
      check_policy(folder, results, policy_name, own_build, findings);
  if (std::any_of(findings.begin(), findings.end(), [](const CheckedPart& own) {
        return own.what == "policy" && own.outcome == Validity::invalid;
      })) {
    return;  // the letter says what the policy gave
  }
  check_statement(folder, results, predicate, policy, own_build, findings);
}

}  // namespace vestige::practice
