// vestige split RECIPE: who is trained on, forgotten and held out; and the search for the rows that
// are hardest to forget.
#include "vestige/data/splits/split.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/lab_options.h"
#include "cli/verbs.h"
#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/experiment/hardest.h"
#include "vestige/pool/store.h"
#include "vestige/train/training.h"

namespace vestige::cli {
namespace {

struct SplitOptions {
  std::string out;
  bool force = false;
  std::int64_t hardest = 0;
  std::vector<std::string> search;
};

/// Trains the recipe's first original if the pool lacks it, searches, and writes the rows.
void search_hardest(const LabOptions& lab_options, const SplitOptions& options,
                    Invocation& invocation) {
  require(!options.out.empty(), "--hardest writes a list of examples: give --out FILE");
  Json table = Json::object();
  for (const std::string& assignment : options.search) set_option(table, assignment);
  Options given(table, "--search");
  train::HardestSettings settings = train::read_hardest(given);
  settings.count = options.hardest;
  const experiment::Search plan = experiment::plan_search(
      train::open_lab(recipe_of(lab_options), lab_options.device, context_of(lab_options)),
      settings);
  const train::Recipe& recipe = plan.lab->recipe;
  pool::Store store(recipe.pool.folder);
  const int code = work_off(lab_options, *plan.lab, invocation.arguments, store,
                            train::training_jobs(plan.lab, plan.models));
  require(code == 0, "the original could not be trained, so there is nothing to search from");
  const std::string text = experiment::search(plan, store);
  write_file(options.out, text);
  fmt::print("{} examples -> {}\nuse them with: forget = {{ kind = \"hardest\", file = \"{}\" }}\n",
             settings.count, options.out, options.out);
}

}  // namespace

void add_split(CLI::App& app, Invocation& invocation) {
  CLI::App* verb =
      app.add_subcommand("split", "Show who a recipe trains on, forgets and holds out; write it");
  auto lab_options = add_lab_options(*verb, false);
  lab_options->workers = 1;
  auto options = std::make_shared<SplitOptions>();
  verb->add_option("--out", options->out, "Write the split as JSON (default: only show it)");
  verb->add_flag("--force", options->force, "Replace a file that exists (default: refuse)");
  verb->add_option(
          "--hardest", options->hardest,
          "Search this many training examples that are hardest to forget (Fan et al. 2024) and "
          "write their numbers to --out; 0: no search")
      ->check(not_negative());
  verb->add_option_function<std::string>(
          "--worst-case",
          [](const std::string& count) {
            fail("--worst-case is now called --hardest: give --hardest {}", count);
          },
          "")
      ->group("");
  verb->add_option("--search", options->search,
                   "Settings of the search: rounds=20, rate=0.1, gamma=0.0001, lower_epochs=1, "
                   "lower_rate=0.0001, forget_weight=1, batch=128")
      ->allow_extra_args(false);
  verb->callback([lab_options, options, &invocation] {
    require(options->out.empty() || options->force || !std::filesystem::exists(options->out),
            "{} exists: give --force to replace it, or another --out", options->out);
    if (options->hardest > 0) return search_hardest(*lab_options, *options, invocation);
    const auto lab =
        train::open_lab(recipe_of(*lab_options), lab_options->device, context_of(*lab_options));
    if (!options->out.empty()) data::write_split(lab->split, options->out);
    fmt::print("{}", data::split_text(lab->split, lab->data));
    if (!options->out.empty()) fmt::print("written to {}\n", options->out);
  });
}

}  // namespace vestige::cli
