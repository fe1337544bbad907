// vestige models: what a pool holds; or the taps of an architecture.
#include <fmt/ranges.h>

#include <filesystem>

#include "cli/verbs.h"
#include "vestige/base/error.h"
#include "vestige/models/taps.h"
#include "vestige/pool/listing.h"
#include "vestige/pool/store.h"

namespace vestige::cli {

void add_models(CLI::App& app, Invocation&) {
  CLI::App* verb = app.add_subcommand(
      "models", "List the models of a pool: what each is, its accuracy and size");
  auto folder = std::make_shared<std::string>("pool");
  auto json = std::make_shared<bool>(false);
  auto taps = std::make_shared<std::string>();
  verb->add_option("POOL", *folder, "Folder of the models");
  verb->add_flag("--json", *json, "One JSON object per line (default: a table)");
  verb->add_option("--taps", *taps,
                   "List the taps of this architecture instead, e.g. resnet18: names for "
                   "[collect] taps and grad_cam_tap (default: the pool)");
  verb->callback([folder, json, taps] {
    if (!taps->empty()) {
      fmt::print("{}\n", fmt::join(models::taps_of(*taps), "\n"));
      return;
    }
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(*folder, error);
    require(status.type() == std::filesystem::file_type::not_found || !error,
            "the pool {} cannot be read: {}; check its permissions", *folder, error.message());
    require(std::filesystem::is_directory(status),
            "there is no pool in {}: vestige train RECIPE --pool {} makes one", *folder, *folder);
    const std::vector<pool::Entry> entries = pool::Store(*folder).entries();
    if (!*json) {
      fmt::print("{}", pool::pool_text(entries));
      return;
    }
    for (const pool::Entry& entry : entries) {
      const Json line = {{"name", entry.name},
                         {"label", entry.label},
                         {"bytes", entry.bytes},
                         {"facts", entry.facts},
                         {"what", entry.what}};
      fmt::print("{}\n", line.dump());
    }
  });
}

}  // namespace vestige::cli
