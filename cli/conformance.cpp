// vestige conformance DIR: run every case below DIR.
#include "vestige/audit/conformance.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#ifdef VESTIGE_WITH_LAB
#include "cli/lab_conformance.h"
#endif
#include "cli/verbs.h"
#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"

namespace vestige::cli {
namespace {

namespace fs = std::filesystem;
using audit::ConformanceOutcome;

std::vector<fs::path> find_cases(const fs::path& folder) {
  std::error_code error;
  require(fs::is_directory(folder, error), "{} is no folder: give the folder of the cases",
          folder.string());
  std::vector<fs::path> cases;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename() == "case.json") cases.push_back(entry->path());
  }
  require(!error, "cannot read {}: {}", folder.string(), error.message());
  require(!cases.empty(), "{} holds no case.json: give the folder of the cases", folder.string());
  std::sort(cases.begin(), cases.end());
  return cases;
}

/// The core's, and the lab's where it is built.
std::vector<audit::ConformanceRunner> all_runners() {
  const auto core = audit::core_runners();
  std::vector<audit::ConformanceRunner> runners(core.begin(), core.end());
#ifdef VESTIGE_WITH_LAB
  for (const audit::ConformanceRunner& runner : lab_runners()) runners.push_back(runner);
#endif
  return runners;
}

int run(const std::string& folder, bool failures_only) {
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;
  const std::vector<audit::ConformanceRunner> runners = all_runners();
  for (const fs::path& path : find_cases(folder)) {
    check_interrupt();
    ConformanceOutcome outcome;
    try {
      outcome = audit::run_case(audit::read_case(path), runners);
    } catch (const InputError& error) {
      outcome = {path.parent_path().parent_path().filename().string(),
                 path.parent_path().filename().string(), ConformanceOutcome::Verdict::failed,
                 error.what()};
    }
    const bool good = outcome.verdict == ConformanceOutcome::Verdict::passed;
    const bool bad = outcome.verdict == ConformanceOutcome::Verdict::failed;
    passed += good ? 1 : 0;
    failed += bad ? 1 : 0;
    skipped += !good && !bad ? 1 : 0;
    if (failures_only && !bad) continue;
    fmt::print("{:<8}{}/{}{}\n",
               good  ? "passed"
               : bad ? "failed"
                     : "skipped",
               outcome.metric, outcome.name, outcome.detail.empty() ? "" : ": " + outcome.detail);
  }
  if (skipped > 0) fmt::print("{} skipped: this build has no such metric\n", skipped);
  fmt::print("{} passed, {} failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace

void add_conformance(CLI::App& app, Context& context) {
  struct Options {
    std::string folder;
    bool failures_only = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "conformance", "Run reference cases: does this build compute what the papers' code does?");
  verb->add_option("DIR", options->folder, "Folder with case.json files, at any depth")->required();
  verb->add_flag("--failures-only", options->failures_only,
                 "Print only the cases that fail (default: all)");
  verb->callback(
      [options, &context] { context.exit_code = run(options->folder, options->failures_only); });
}

}  // namespace vestige::cli
