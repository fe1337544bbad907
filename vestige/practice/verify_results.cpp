// What results.json itself shows without the evidence: its words follow from its numbers, and page,
// plots and policy outcome from it.
#include <fmt/format.h>

#include <map>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/practice/gate.h"
#include "vestige/practice/verify_parts.h"
#include "vestige/report/json/read_results.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/page/html.h"
#include "vestige/report/page/spec_files.h"
#include "vestige/result/codec.h"

namespace vestige::practice {
namespace {

namespace fs = std::filesystem;
using result::Code;
using result::reason;

constexpr const char* kPage = "report.html";
constexpr const char* kPolicy = "policy.toml";

void check_page(const fs::path& folder, const report::Results& results,
                std::vector<CheckedPart>& findings) {
  if (!fs::exists(folder / kPage)) return;
  const bool same = read_file(folder / kPage) == report::html(results);
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
    if (own != made.end() && read_file(entry.path()) == own->second) {
      ++same;
    } else {
      findings.push_back({"plots/" + name, Validity::invalid, Code::plot_differs});
    }
  }
  findings.push_back({"plots", Validity::valid, reason(Code::plots_same_bytes, same)});
}

void check_policy(const fs::path& folder, const report::Results& results, const std::string& name,
                  std::vector<CheckedPart>& findings) {
  if (!fs::exists(folder / kPolicy)) return;
  bool same = false;
  try {
    const Gate outcome = gate(results, parse_policy(read_file(folder / kPolicy), name));
    const bool stated = !results.gate || results.gate->passed == outcome.passed;
    const fs::path table = folder / "gate.md";
    same = stated && fs::exists(table) && read_file(table) == gate_markdown(outcome, results);
  } catch (const InputError& error) {
    findings.push_back({"policy", Validity::invalid, reason(Code::message, error.what())});
    return;
  }
  findings.push_back(
      {"policy", valid_if(same), same ? Code::policy_follows : Code::policy_contradicts});
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

void check_results(const fs::path& folder, const std::string& policy,
                   std::vector<CheckedPart>& findings) {
  constexpr const char* kResults = "results.json";
  Json stored;
  report::Results results;
  try {
    stored = Json::parse(read_file(folder / kResults), nullptr, false);
    results = report::results_of(stored, kResults);
  } catch (const InputError& error) {
    findings.push_back({kResults, Validity::invalid, reason(Code::message, error.what())});
    return;
  }
  // Only the build that wrote them makes the same texts and bytes.
  if (results.tool != report::this_tool()) {
    findings.push_back({kResults, Validity::not_checked, Code::results_of_other_build});
    for (const char* name : {kPage, "plots"}) {
      if (!fs::exists(folder / name)) continue;
      findings.push_back({name, Validity::not_checked, Code::page_of_other_build});
    }
    if (fs::exists(folder / kPolicy)) {
      findings.push_back({"policy", Validity::not_checked, Code::page_of_other_build});
    }
    return;
  }
  const std::vector<std::string> wrong = contradictions_in(stored, results);
  findings.push_back({kResults, valid_if(wrong.empty()),
                      wrong.empty()
                          ? reason(Code::results_follow)
                          : reason(Code::results_contradict, wrong.size(), wrong.front())});
  check_page(folder, results, findings);
  check_plots(folder, results, findings);
  check_policy(folder, results, policy, findings);
}

}  // namespace vestige::practice
