// vestige unlearn RECIPE: run the recipe's methods on its originals. vestige methods: list them.
#include <fmt/format.h>

#include "cli/lab_options.h"
#include "cli/verbs.h"
#include "vestige/base/error.h"
#include "vestige/language/registry.h"
#include "vestige/train/training.h"
#include "vestige/unlearn/unlearning.h"

namespace vestige::cli {
namespace {

void run_unlearn(const LabOptions& options, const std::vector<std::string>& only,
                 Invocation& invocation) {
  invocation.after_interrupt = "finished models are kept: run it again to go on";
  train::Recipe recipe = recipe_of(options);
  const auto methods = unlearn::chosen_methods(recipe, only);
  require(!methods.empty(), "{} names no methods: add methods = [\"finetune\"] or give --methods",
          recipe.path.string());
  const auto lab = train::open_lab(std::move(recipe), options.device, context_of(options));
  const auto models = train::plan(*lab);
  const auto plans = unlearn::plan_unlearning(*lab, models, methods);
  const NewPoolFolder folder(lab->recipe.pool.folder);
  auto store = std::make_shared<pool::Store>(lab->recipe.pool.folder);
  // What unlearning needs is trained too, so that one command is enough.
  std::vector<pool::Job> jobs = train::training_jobs(lab, models);
  for (pool::Job& job : unlearn::unlearning_jobs(lab, models, plans, store)) {
    jobs.push_back(std::move(job));
  }
  invocation.exit_code = work_off(options, *lab, invocation.arguments, *store, jobs);
  if (options.worker >= 0) return;
  std::vector<pool::Identity> identities;
  for (const auto& plan : plans) identities.push_back(plan.identity);
  print_models(*store, identities);
}

std::string methods_text(bool full) {
  std::string text;
  for (const unlearn::MethodInfo& method : unlearn::methods()) {
    text += fmt::format("{:<20} {}\n", method.id, method.summary);
    if (!full) continue;
    text += fmt::format("{:<20}   source: {}\n", "", method.source);
    for (const std::string& need : method.needs)
      text += fmt::format("{:<20}   needs {}\n", "", need);
    for (const auto& [key, value] : method.defaults.items()) {
      text += fmt::format("{:<20}   {} = {}\n", "", key, value.dump());
    }
    for (const auto& [name, values] : method.presets.items()) {
      text += fmt::format("{:<20}   preset {}: {}\n", "", name, values.dump());
    }
    if (method.hosts_repair) {
      text += fmt::format("{:<20}   takes another repair: {}+repair:NAME\n", "", method.id);
    }
    if (method.gives_repair) {
      text += fmt::format("{:<20}   gives its repair: HOST+repair:{}\n", "", method.id);
    }
  }
  if (!full) text += "\nvestige methods --options shows every option with its default.\n";
  return text;
}

/// Methods of recipes with kind = "language".
std::string language_methods_text(bool full) {
  std::string text;
  for (const language::MethodInfo& method : language::methods()) {
    text += fmt::format("{:<20} {}\n", method.id, method.summary);
    if (!full) continue;
    text += fmt::format("{:<20}   source: {}\n", "", method.source);
    for (const auto& [key, value] : method.defaults.items()) {
      text += fmt::format("{:<20}   {} = {}\n", "", key, value.dump());
    }
  }
  return text;
}

}  // namespace

void add_unlearn(CLI::App& app, Invocation& invocation) {
  CLI::App* verb = app.add_subcommand(
      "unlearn", "Run unlearning methods on a recipe's originals; train first what is missing");
  auto options = add_lab_options(*verb, true);
  add_external(*verb, *options);
  auto only = std::make_shared<std::vector<std::string>>();
  add_list(*verb, "--methods", *only,
           "Names or labels, separated by commas (default: the recipe's methods)");
  verb->callback([options, only, &invocation] { run_unlearn(*options, *only, invocation); });
}

void add_methods(CLI::App& app, Invocation&) {
  CLI::App* verb = app.add_subcommand("methods", "List the unlearning methods");
  auto full = std::make_shared<bool>(false);
  verb->add_flag("--options", *full,
                 "With every option, default and preset (default: one line each)");
  auto language = std::make_shared<bool>(false);
  verb->add_flag("--language", *language,
                 "Those for language models (default: those for image models and tables)");
  verb->callback([full, language] {
    fmt::print("{}", *language ? language_methods_text(*full) : methods_text(*full));
  });
}

}  // namespace vestige::cli
