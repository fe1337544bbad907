// vestige probe RECIPE: treat originals, retrained and unlearned models alike once more (fine-tune,
// relearn, round, prune, shake), to see whether the forgotten comes back.
#include <fmt/format.h>

#include "cli/lab_options.h"
#include "cli/verbs.h"
#include "vestige/base/error.h"
#include "vestige/train/training.h"
#include "vestige/unlearn/probing.h"

namespace vestige::cli {
namespace {

void run_probe(const LabOptions& options, const std::vector<std::string>& methods,
               const std::vector<std::string>& probes, Context& context) {
  context.after_interrupt = "finished models are kept: run it again to go on";
  train::Recipe recipe = recipe_of(options);
  const auto chosen = unlearn::chosen_probes(recipe, probes);
  require(!chosen.empty(),
          "{} names no probes: add probes = [\"relearn\", \"int4\"] or give --probes",
          recipe.path.string());
  const auto chosen_methods = unlearn::chosen_methods(recipe, methods);
  const auto lab = train::open_lab(std::move(recipe), options.device);
  const auto models = train::plan(*lab);
  const auto unlearned = unlearn::plan_unlearning(*lab, models, chosen_methods);
  const auto plans = unlearn::plan_probes(*lab, models, unlearned, chosen);
  auto store = std::make_shared<pool::Store>(lab->recipe.pool.folder);
  // What probes need is trained and unlearned too, so that one command is enough.
  std::vector<pool::Job> jobs = train::training_jobs(lab, models);
  const auto add = [&jobs](std::vector<pool::Job> more) {
    for (pool::Job& job : more) jobs.push_back(std::move(job));
  };
  add(unlearn::unlearning_jobs(lab, models, unlearned, store));
  add(unlearn::probing_jobs(lab, plans, store));
  context.exit_code = work_off(options, lab->recipe, context.arguments, *store, jobs);
  if (options.worker >= 0) return;
  std::vector<pool::Identity> identities;
  for (const auto& plan : plans) identities.push_back(plan.identity);
  print_models(*store, identities);
  fmt::print("next: vestige collect {}{}\n", options.recipe,
             probes.empty() ? "" : " with the same --probes");
}

}  // namespace

void add_probe(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand(
      "probe", "Treat a recipe's models once more, to see whether the forgotten comes back");
  auto options = add_lab_options(*verb, true);
  add_external(*verb, *options);
  auto methods = std::make_shared<std::vector<std::string>>();
  auto probes = std::make_shared<std::vector<std::string>>();
  add_list(*verb, "--methods", *methods,
           "Names or labels, separated by commas (default: the recipe's methods)");
  add_list(*verb, "--probes", *probes,
           "Names or labels, separated by commas (default: the recipe's probes)");
  verb->footer("Probes and their options in a recipe, with defaults:\n" + unlearn::probes_text());
  verb->callback(
      [options, methods, probes, &context] { run_probe(*options, *methods, *probes, context); });
}

}  // namespace vestige::cli
