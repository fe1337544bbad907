// vestige train RECIPE: make the models of the recipe's pool that are missing.
#include <fmt/format.h>

#include "cli/lab_options.h"
#include "cli/verbs.h"
#include "vestige/pool/store.h"
#include "vestige/train/training.h"

namespace vestige::cli {

void add_train(CLI::App& app, Invocation& invocation) {
  CLI::App* verb = app.add_subcommand(
      "train", "Train the models that a recipe needs and its pool lacks; go on where it stopped");
  auto options = add_lab_options(*verb, true);
  verb->callback([options, &invocation] {
    invocation.after_interrupt = "finished models are kept: run it again to go on";
    const auto lab = train::open_lab(recipe_of(*options), options->device, context_of(*options));
    const std::vector<train::ModelPlan> plans = train::plan(*lab);
    const NewPoolFolder folder(lab->recipe.pool.folder);
    pool::Store store(lab->recipe.pool.folder);
    const auto jobs = train::training_jobs(lab, plans);
    invocation.exit_code = work_off(*options, *lab, invocation.arguments, store, jobs);
    if (options->worker >= 0) return;
    std::vector<pool::Identity> identities;
    for (const train::ModelPlan& plan : plans) identities.push_back(plan.identity);
    print_models(store, identities);
  });
}

}  // namespace vestige::cli
