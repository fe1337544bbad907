// Counting the models of a setup.
#include "vestige/experiment/setup.h"

#include <algorithm>

#include "vestige/metrics/family.h"

namespace vestige::experiment {

Setup read_setup(Options& options) {
  Setup setup;
  if (!options.has("setup")) {
    for (const char* key : {"models", "experiments", "triplets"}) {
      if (options.has(key)) {
        options.wrong(key,
                      "it belongs to a setup: add setup = \"full\", \"reuse-n-n\", "
                      "\"reuse-n-1\" or \"bootstrap\", or use [pool]");
      }
    }
    return setup;
  }
  setup.kind = options.choice("setup", "full", {"full", "reuse-n-n", "reuse-n-1", "bootstrap"});
  setup.models = options.integer("models", 512);
  if (setup.models < 2) {
    options.wrong("models", "F compares groups of models: give N = 2 or more, better 64");
  }
  const bool bootstrap = setup.kind == "bootstrap";
  setup.experiments = options.integer("experiments", bootstrap ? 20 : 2);
  if (setup.experiments < 1) options.wrong("experiments", "give at least 1");
  setup.triplets = options.integer("triplets", bootstrap ? 8 * setup.models : 0);
  if (!bootstrap && setup.triplets != 0) options.wrong("triplets", "only bootstrap draws them");
  if (bootstrap && setup.triplets < 2) options.wrong("triplets", "give at least 2");
  return setup;
}

void cap_setup(Setup& setup, const Caps& caps) {
  if (setup.kind.empty()) return;
  const bool whole = setup.triplets == 8 * setup.models;
  setup.models = std::min(setup.models, caps.models);
  if (setup.kind == "bootstrap") {
    setup.triplets = whole ? 8 * setup.models : std::min(setup.triplets, 8 * setup.models);
  } else {
    setup.experiments = std::min(setup.experiments, caps.repeats);
  }
}

void apply_setup(const Setup& setup, Json& table) {
  if (setup.kind.empty()) return;
  const std::int64_t n = setup.models;
  const std::int64_t e = setup.experiments;
  std::int64_t originals = n;
  std::int64_t retrained = n;
  std::int64_t runs = 1;
  if (setup.kind == "full") {
    originals = retrained = e * n;
  } else if (setup.kind == "reuse-n-n") {
    runs = e;
  } else if (setup.kind == "reuse-n-1") {
    originals = 1;
    runs = e * n;
  } else {
    originals = retrained = setup.triplets;
  }
  table["pool"]["original"] = originals;
  table["pool"]["retrained"] = retrained;
  table["unlearn"]["seeds"] = runs;
}

void cap_pool(Json& table, const Setup& setup, const Caps& caps) {
  if (!setup.kind.empty() || !table.contains("pool")) return;
  for (const char* role : {"original", "retrained"}) {
    Json& pool = table["pool"];
    if (pool.contains(role) && pool[role].is_number_integer()) {
      pool[role] = std::min(pool[role].get<std::int64_t>(), caps.models);
    }
  }
}

Json setup_options(const Setup& setup) {
  if (setup.kind.empty()) return Json::object();
  Json options = Json::object();
  for (const metrics::Family& family : metrics::families()) {
    if (!metrics::takes_setups(family)) continue;
    const std::string name(family.name);
    options[name + ".setup"] = setup.kind;
    options[name + ".models"] = setup.models;
    options[name + ".experiments"] = setup.experiments;
  }
  return options;
}

}  // namespace vestige::experiment
