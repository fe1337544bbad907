// vestige tune RECIPE: try points of options for each method on a split of its own; the best by a
// metric wins.
#include <fmt/format.h>

#include <filesystem>

#include "cli/lab_options.h"
#include "cli/verbs.h"
#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/experiment/conductor.h"
#include "vestige/experiment/toml_text.h"

namespace vestige::cli {
namespace {

struct TuneOptions {
  std::string size = "smoke";
  std::string out;
  std::string metric;
  std::int64_t points = 0;
  bool all = false;
  bool dry_run = false;
  bool force = false;
};

/// The options that are short for --set.
std::vector<std::string> changes_of(const TuneOptions& options) {
  std::vector<std::string> changes;
  if (options.all) changes.emplace_back("tune.all=true");
  if (options.points > 0) changes.push_back(fmt::format("tune.points={}", options.points));
  if (!options.metric.empty()) changes.push_back(fmt::format("tune.metric=\"{}\"", options.metric));
  return changes;
}

/// The file says how it came about, in comments: people copy it into recipes.
std::string tuned_toml(const Json& tuned, const std::string& command) {
  std::string text = "# " + command + "\n";
  std::string line;
  for (const char letter : tuned.at("text").get<std::string>() + "\n") {
    if (letter != '\n') {
      line += letter;
      continue;
    }
    if (!line.empty()) text += "# " + line + "\n";
    line.clear();
  }
  return text + experiment::methods_toml(tuned.at("methods"));
}

void run(const LabOptions& lab, const TuneOptions& options, Invocation& invocation) {
  invocation.after_interrupt = "finished models are kept: run it again to go on";
  experiment::ConductorSettings settings = conductor_settings(lab, invocation);
  settings.request.size = options.size;
  for (std::string& change : changes_of(options)) {
    settings.request.settings.push_back(std::move(change));
  }
  const launch::Launch launch;
  experiment::Conductor conductor(std::move(settings), crew_of(lab, launch, invocation));
  const experiment::ExperimentPlan plan = conductor.plan();
  require(!plan.tune.empty(),
          "{}: it has no [tune]: add [tune.grid.METHOD] with lists of values, or give --all for "
          "the default grids of all methods",
          lab.recipe);
  if (options.dry_run) {
    experiment::Probes probes;
    return conductor.dry_run_tune(plan.variants.front(), plan.tune, probes);
  }
  const std::filesystem::path folder = options.out.empty()
                                           ? std::filesystem::path("out") / (plan.name + "-tune")
                                           : std::filesystem::path(options.out);
  const std::string file = (folder / "tuned.toml").string();
  // Before the work, not after it; workers of this run find what their leader found.
  require(options.force || !std::filesystem::exists(file) || !conductor.leads(),
          "{} exists: give --force to replace it, or --out with another folder", file);
  const Json tuned = conductor.tune(plan.variants.front(), plan.tune, folder);
  invocation.exit_code = conductor.exit_code();
  if (!conductor.leads() || tuned.is_null()) return;
  fmt::print("{}\n", tuned.at("text").get<std::string>());
  std::fflush(stdout);
  require(tuned.at("controls").get<std::string>().empty(),
          "{}: nothing was tuned, because its criterion cannot tell original from retrained here: "
          "give another --metric, or [tune] models a larger number",
          lab.recipe);
  write_file(file, tuned_toml(tuned, invocation.command));
  fmt::print("{}\n{}\n", experiment::methods_toml(tuned.at("methods")), file);
  if (!tuned.at("lost").empty()) invocation.exit_code = 2;
}

}  // namespace

void add_tune(CLI::App& app, Invocation& invocation) {
  CLI::App* verb = app.add_subcommand(
      "tune", "Try options of methods on a split of its own; the best by a metric win");
  auto lab = add_lab_options(*verb, true);
  auto options = std::make_shared<TuneOptions>();
  verb->add_option("--size", options->size, "smoke, paper, or another of the recipe's [sizes]");
  verb->add_option("--out", options->out,
                   "Folder for tuned.toml and its audits (default: out/NAME-tune)");
  verb->add_flag("--all", options->all,
                 "Tune every method by its default grid (default: the recipe's [tune] grids)");
  verb->add_option("--points", options->points,
                   "Points of each default grid, 1 to 9, the same for every method (default: 9)")
      ->check(CLI::Range(1, 9));
  verb->add_option("--metric", options->metric,
                   "What decides, by its direction (default: the recipe's, or the final score)");
  verb->add_flag("--force", options->force, "Replace a tuned.toml that exists (default: refuse)");
  verb->add_flag("--dry-run", options->dry_run,
                 "Print what would be tried and how long it takes, and stop (default: run)");
  verb->callback([lab, options, &invocation] { run(*lab, *options, invocation); });
}

}  // namespace vestige::cli
