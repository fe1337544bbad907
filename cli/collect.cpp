// vestige collect RECIPE: run the pool's models over the split and write evidence.
#include "vestige/collect/collect.h"

#include <fmt/format.h>

#include "cli/lab_options.h"
#include "cli/verbs.h"
#include "vestige/train/training.h"

namespace vestige::cli {

void add_collect(CLI::App& app, Invocation& invocation) {
  CLI::App* verb = app.add_subcommand(
      "collect", "Write what a recipe's models say about its data as evidence, ready to audit");
  auto options = add_lab_options(*verb, false);
  add_external(*verb, *options);
  auto out = std::make_shared<std::string>();
  auto force = std::make_shared<bool>(false);
  auto only = std::make_shared<std::vector<std::string>>();
  verb->add_option("--out", *out, "Evidence folder (default: the recipe's, or evidence)");
  verb->add_flag("--force", *force, "Replace an evidence folder that exists (default: refuse)");
  add_list(*verb, "--methods", *only,
           "Names or labels, separated by commas (default: the recipe's methods)");
  auto only_probes = std::make_shared<std::vector<std::string>>();
  add_list(*verb, "--recovery-tests", *only_probes,
           "Names or labels, separated by commas (default: probes in the recipe)");
  verb->callback([options, out, force, only, only_probes, &invocation] {
    train::Recipe recipe = recipe_of(*options);
    collect::CollectSettings settings = collect::read_collect(recipe);
    if (!out->empty()) settings.out = *out;
    const auto methods = unlearn::chosen_methods(recipe, *only);
    const auto probes = unlearn::chosen_probes(recipe, *only_probes);
    const auto lab = train::open_lab(std::move(recipe), options->device, context_of(*options));
    const auto models = train::plan(*lab);
    const auto unlearned = unlearn::plan_unlearning(*lab, models, methods);
    const auto probed = unlearn::plan_probes(*lab, models, unlearned, probes);
    pool::Store store(lab->recipe.pool.folder);
    const collect::CollectSummary summary =
        collect::collect(lab, models, unlearned, store, settings, *force, probed);
    if (summary.missing > 0) {
      fmt::print(
          stderr,
          "vestige: {} of the recipe's models are not in {} and were left out: run vestige {}\n",
          summary.missing, store.folder().string(),
          !probes.empty()   ? "recover"
          : methods.empty() ? "train"
                            : "unlearn");
    }
    fmt::print("{} models -> {}{}\nnext: vestige audit {}\n", summary.models, summary.out.string(),
               summary.reused ? " (as it was)" : "", summary.out.string());
    invocation.exit_code = 0;
  });
}

}  // namespace vestige::cli
