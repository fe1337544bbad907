// vestige demo: the smallest whole experiment (demo --evidence is cli/demo_evidence.cpp).
#include <cli/demo_recipe.h>
#include <fmt/format.h>

#include "cli/lab_options.h"
#include "cli/verbs.h"
#include "vestige/base/error.h"
#include "vestige/base/options.h"
#include "vestige/data/dataset.h"
#include "vestige/experiment/conductor.h"

namespace vestige::cli {
namespace {

/// The recipe's data if they are here, else a synthetic set that needs no files.
Json with_data(Json table, const Context& context) {
  try {
    Options data(table.at("data"), "demo: [data]");
    (void)data::load(data, context);
  } catch (const InputError& error) {
    fmt::print(stderr, "vestige: {}; the demo goes on with a synthetic set\n", error.what());
    table["data"] = {{"name", "synthetic"}, {"rows", 6000}, {"test_rows", 1000}};
  }
  return table;
}

void run(const LabOptions& lab, const std::string& out, Invocation& invocation) {
  invocation.after_interrupt = "what is finished is kept: run it again to go on";
  experiment::ConductorSettings settings = conductor_settings(lab, invocation);
  settings.path = "recipes/demo.toml";
  settings.recipe = with_data(parse_toml(kDemoRecipe, "recipes/demo.toml"), context_of(lab));
  settings.out = out;
  settings.force = true;  // another version's demo is no loss
  if (settings.request.pool.empty()) settings.request.pool = out + "/pool";
  const launch::Launch launch;
  invocation.exit_code =
      experiment::Conductor(std::move(settings), crew_of(lab, launch, invocation)).run();
}

}  // namespace

void add_demo(CLI::App& app, Invocation& invocation) {
  CLI::App* verb = app.add_subcommand(
      "demo", "Train, unlearn and audit a small experiment in about two minutes; name its page");
  auto lab = add_lab_options(*verb, true, false);
  auto out = std::make_shared<std::string>("out/demo");
  verb->add_option("--out", *out, "Folder for models, evidence, results and the page");
  verb->footer("vestige demo --evidence audits shipped evidence instead, and needs no lab.");
  verb->callback([lab, out, &invocation] { run(*lab, *out, invocation); });
}

}  // namespace vestige::cli
