// vestige recover RECIPE: apply recovery tests (fine-tune, relearn, quantise, prune, noise) to the
// original, retrained and unlearned models alike, to see whether what was forgotten comes back.
// Recipes call recovery tests probes, and evidence keeps such models below probed/.
#include <fmt/format.h>

#include <utility>

#include "cli/lab_options.h"
#include "cli/verbs.h"
#include "vestige/base/error.h"
#include "vestige/base/options.h"
#include "vestige/language/experiment.h"
#include "vestige/language/probes.h"
#include "vestige/train/training.h"
#include "vestige/unlearn/probing.h"

namespace vestige::cli {
namespace {

/// Language models have a lab of their own; measuring them is for `vestige bench`.
void recover_language(Json recipe, const LabOptions& options, const std::string& size,
                      const std::vector<std::string>& methods,
                      const std::vector<std::string>& probes, Invocation& invocation) {
  require(options.external.empty(), "--external is for recipes of image models");
  pick_device(options);
  language::ExperimentSettings settings;
  settings.path = options.recipe;
  settings.recipe = std::move(recipe);
  settings.request = {.size = size, .settings = options.settings, .pool = options.pool};
  if (options.threads_per_model > 0) {
    settings.request.settings.push_back(
        fmt::format("engine.threads={}", options.threads_per_model));
  }
  settings.device = options.device;
  settings.command = invocation.command;
  settings.quiet = options.quiet;
  const launch::Launch launch;
  invocation.exit_code =
      language::probe_models(settings, methods, probes, crew_of(options, launch, invocation));
}

void run_recover(const LabOptions& options, const std::string& size,
                 const std::vector<std::string>& methods, const std::vector<std::string>& probes,
                 Invocation& invocation) {
  invocation.after_interrupt = "finished models are kept: run it again to go on";
  if (Json recipe = read_toml(options.recipe); language::is_language(recipe)) {
    return recover_language(std::move(recipe), options, size, methods, probes, invocation);
  }
  require(size.empty(), "--size is for recipes of language models here: {} has none",
          options.recipe);
  train::Recipe recipe = recipe_of(options);
  const auto chosen = unlearn::chosen_probes(recipe, probes);
  require(
      !chosen.empty(),
      "{} names no recovery tests: add probes = [\"relearn\", \"int4\"] or give --recovery-tests",
      recipe.path.string());
  const auto chosen_methods = unlearn::chosen_methods(recipe, methods);
  const auto lab = train::open_lab(std::move(recipe), options.device, context_of(options));
  const auto models = train::plan(*lab);
  const auto unlearned = unlearn::plan_unlearning(*lab, models, chosen_methods);
  const auto plans = unlearn::plan_probes(*lab, models, unlearned, chosen);
  const NewPoolFolder folder(lab->recipe.pool.folder);
  auto store = std::make_shared<pool::Store>(lab->recipe.pool.folder);
  // What recovery tests need is trained and unlearned too, so that one command is enough.
  std::vector<pool::Job> jobs = train::training_jobs(lab, models);
  const auto add = [&jobs](std::vector<pool::Job> more) {
    for (pool::Job& job : more) jobs.push_back(std::move(job));
  };
  add(unlearn::unlearning_jobs(lab, models, unlearned, store));
  add(unlearn::probing_jobs(lab, plans, store));
  invocation.exit_code = work_off(options, *lab, invocation.arguments, *store, jobs);
  if (options.worker >= 0) return;
  std::vector<pool::Identity> identities;
  for (const auto& plan : plans) identities.push_back(plan.identity);
  print_models(*store, identities);
  fmt::print("next: vestige collect {}{}\n", options.recipe,
             probes.empty() ? "" : " with the same --recovery-tests");
}

}  // namespace

void add_recover(CLI::App& app, Invocation& invocation) {
  CLI::App* verb = app.add_subcommand(
      "recover", "Apply recovery tests to a recipe's models: does what was forgotten come back?");
  auto options = add_lab_options(*verb, true);
  add_external(*verb, *options);
  auto methods = std::make_shared<std::vector<std::string>>();
  auto probes = std::make_shared<std::vector<std::string>>();
  add_list(*verb, "--methods", *methods,
           "Names or labels, separated by commas (default: the recipe's methods)");
  add_list(*verb, "--recovery-tests", *probes,
           "Names or labels, separated by commas (default: probes in the recipe)");
  auto size = std::make_shared<std::string>();
  verb->add_option("--size", *size,
                   "Of a recipe of language models: one of its [sizes] (default: smoke)");
  verb->footer("Recovery tests and their options in a recipe ([[probes]]), with defaults:\n" +
               unlearn::probes_text() + "Of language models:\n" + language::probes_text());
  verb->callback([options, size, methods, probes, &invocation] {
    run_recover(*options, *size, *methods, *probes, invocation);
  });
}

}  // namespace vestige::cli
