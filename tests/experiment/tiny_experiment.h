// An experiment that takes seconds, on synthetic data, worked off by this process alone.
#pragma once

#include <string>

#include "tests/support.h"
#include "vestige/base/options.h"
#include "vestige/experiment/conductor.h"
#include "vestige/pool/run.h"

namespace vestige::testing {

/// Two classes of 8 x 8 images, one original, one retrained model and `methods`.
inline Json tiny_recipe(const std::string& more = "") {
  return parse_toml(
      "name = 'tiny'\n"
      "seed = 1\n"
      "data = {name = 'synthetic', rows = 300, test_rows = 60, classes = 2, height = 8, width = "
      "8}\n"
      "split = {train = 120}\n"
      "forget = {kind = 'random', count = 12}\n"
      "model = {name = 'small_cnn', width = 2}\n"
      "train = {epochs = 1, batch = 32, rate = 0.05}\n"
      "pool = {original = 1, retrained = 1}\n"
      "methods = ['identity']\n"
      "bench = {metrics = ['utility.accuracy']}\n" +
          more,
      "tiny.toml");
}

/// A leader that works everything off itself.
inline experiment::Crew alone() {
  experiment::Crew crew;
  crew.workers = [](std::int64_t) { return std::size_t{1}; };
  crew.work_off = [](pool::Store& store, std::span<const pool::Job> jobs, std::int64_t) {
    return pool::run(store, jobs, {.progress = false}).failed > 0 ? 2 : 0;
  };
  return crew;
}

inline experiment::ConductorSettings quiet_settings(const TemporaryFolder& folder, Json recipe) {
  experiment::ConductorSettings settings;
  settings.path = "tiny.toml";
  settings.recipe = std::move(recipe);
  settings.request.pool = (folder / "pool").string();
  settings.out = (folder / "out").string();
  settings.command = "the test";
  settings.quiet = true;
  return settings;
}

}  // namespace vestige::testing
