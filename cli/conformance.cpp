// vestige conformance DIR: run every case below DIR; those of unlearning methods in vestige-lab.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "cli/conformance_cases.h"
#include "cli/lab_program.h"
#include "cli/verbs.h"

namespace vestige::cli {
namespace {

using Verdict = audit::ConformanceOutcome::Verdict;

struct ConformanceOptions {
  std::string folder;
  bool failures_only = false;
  bool json = false;
};

/// Asks vestige-lab for the cases that this program has no runner for.
void ask_lab(std::vector<CaseOutcome>& outcomes, const std::filesystem::path& lab,
             const std::string& folder) {
  const std::string answer = output_of_lab(lab, {"conformance", folder, "--json"});
  for (CaseOutcome& other : read_cases_json(Json::parse(answer))) {
    const auto mine = std::ranges::find(outcomes, other.path, &CaseOutcome::path);
    if (mine != outcomes.end() && mine->outcome.verdict == Verdict::skipped) {
      *mine = std::move(other);
    }
  }
}

/// One line for the cases that nobody ran.
std::string skipped_text(const std::vector<CaseOutcome>& outcomes, bool with_lab) {
  std::set<std::string> metrics;
  std::size_t count = 0;
  for (const CaseOutcome& entry : outcomes) {
    if (entry.outcome.verdict != Verdict::skipped) continue;
    metrics.insert(entry.outcome.metric);
    ++count;
  }
  if (count == 0) return "";
  return fmt::format(
      "{} skipped ({}): {}\n", count, fmt::join(metrics, ", "),
      with_lab ? std::string("this build has no such metric")
               : fmt::format("cases of unlearning methods are run by vestige-lab, which is not "
                             "here: {}",
                             kHowToGetLab));
}

int run_conformance(const ConformanceOptions& options) {
  std::vector<CaseOutcome> outcomes = run_cases(options.folder, audit::core_runners());
  const auto has = [&outcomes](Verdict verdict) {
    return std::ranges::count(outcomes, verdict,
                              [](const CaseOutcome& entry) { return entry.outcome.verdict; });
  };
  const auto lab = find_lab();
  if (lab && has(Verdict::skipped) > 0) ask_lab(outcomes, *lab, options.folder);
  if (options.json) {
    fmt::print("{}\n", cases_json(outcomes).dump(1));
    return has(Verdict::failed) == 0 ? 0 : 1;
  }
  for (const auto& [path, outcome] : outcomes) {
    if (options.failures_only && outcome.verdict != Verdict::failed) continue;
    fmt::print("{:<8}{}/{}{}\n", verdict_word(outcome.verdict), outcome.metric, outcome.name,
               outcome.detail.empty() ? "" : ": " + outcome.detail);
  }
  fmt::print("{}{} passed, {} failed\n", skipped_text(outcomes, lab.has_value()),
             has(Verdict::passed), has(Verdict::failed));
  return has(Verdict::failed) == 0 ? 0 : 1;
}

}  // namespace

void add_conformance(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<ConformanceOptions>();
  CLI::App* verb = app.add_subcommand(
      "conformance", "Run reference cases: does this build compute what the papers' code does?");
  verb->add_option("DIR", options->folder, "Folder with case.json files, at any depth")->required();
  verb->add_flag("--failures-only", options->failures_only,
                 "Print only the cases that fail (default: all)");
  verb->add_flag("--json", options->json, kJsonText);
  verb->callback([options, &invocation] { invocation.exit_code = run_conformance(*options); });
}

}  // namespace vestige::cli
