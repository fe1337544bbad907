// vestige split RECIPE: who is trained on, forgotten and held out.
#include "vestige/data/split.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/lab_options.h"
#include "cli/verbs.h"
#include "vestige/base/error.h"

namespace vestige::cli {

void add_split(CLI::App& app, Context&) {
  CLI::App* verb =
      app.add_subcommand("split", "Show who a recipe trains on, forgets and holds out; write it");
  auto options = add_lab_options(*verb, false);
  auto out = std::make_shared<std::string>();
  auto force = std::make_shared<bool>(false);
  verb->add_option("--out", *out, "Write the split as JSON (default: only show it)");
  verb->add_flag("--force", *force, "Replace a file that exists (default: refuse)");
  verb->callback([options, out, force] {
    require(out->empty() || *force || !std::filesystem::exists(*out),
            "{} exists: give --force to replace it, or another --out", *out);
    const auto lab = train::open_lab(recipe_of(*options), options->device);
    if (!out->empty()) data::write_split(lab->split, *out);
    fmt::print("{}", data::split_text(lab->split, lab->data));
    if (!out->empty()) fmt::print("written to {}\n", *out);
  });
}

}  // namespace vestige::cli
