// vestige tune RECIPE: try a grid of options for each method; the best final score wins.
#include <fmt/format.h>

#include <filesystem>

#include "cli/lab_options.h"
#include "cli/verbs.h"
#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/experiment/conductor.h"

namespace vestige::cli {
namespace {

/// A value as TOML: JSON's form of numbers, texts, lists and truth values is TOML too.
std::string inline_table(const Json& table) {
  std::string text;
  for (const auto& [key, value] : table.items()) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, value.dump());
  }
  return "{ " + text + " }";
}

std::string methods_toml(const Json& methods) {
  std::string text = "methods = [\n";
  for (const Json& entry : methods) {
    text += "  " + (entry.is_object() ? inline_table(entry) : entry.dump()) + ",\n";
  }
  return text + "]\n";
}

void run(const LabOptions& lab, const std::string& size, const std::string& out, Context& context) {
  context.after_interrupt = "finished models are kept: run it again to go on";
  experiment::ConductorSettings settings = conductor_settings(lab, context);
  settings.request.size = size;
  const launch::Launch launch;
  experiment::Conductor conductor(std::move(settings), crew_of(lab, launch, context));
  const experiment::ExperimentPlan plan = conductor.plan();
  require(!plan.tune.empty(), "{}: it has no [tune]: add [tune.grid.METHOD] with lists of values",
          lab.recipe);
  const std::filesystem::path folder = out.empty()
                                           ? std::filesystem::path("out") / (plan.name + "-tune")
                                           : std::filesystem::path(out);
  const Json tuned = conductor.tune(plan.arms.front(), plan.tune, folder);
  context.exit_code = conductor.exit_code();
  if (!conductor.leads() || tuned.is_null()) return;
  const std::string methods = methods_toml(tuned.at("methods"));
  write_file(folder / "tuned.toml", methods);
  fmt::print("{}\n{}\n{}\n", tuned.at("text").get<std::string>(), methods,
             (folder / "tuned.toml").string());
}

}  // namespace

void add_tune(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand(
      "tune", "Try a recipe's [tune] grid on a split of its own; the best final score wins");
  auto lab = add_lab_options(*verb, true);
  auto size = std::make_shared<std::string>("smoke");
  auto out = std::make_shared<std::string>();
  verb->add_option("--size", *size, "smoke, paper, or another of the recipe's [sizes]");
  verb->add_option("--out", *out, "Folder for tuned.toml and its audits (default: out/NAME-tune)");
  verb->callback([lab, size, out, &context] { run(*lab, *size, *out, context); });
}

}  // namespace vestige::cli
