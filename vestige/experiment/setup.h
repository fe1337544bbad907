// The competition's setups as model counts: which models an estimate of F needs.
#pragma once

#include <cstdint>
#include <string>

#include "vestige/base/options.h"
#include "vestige/experiment/experiment_plan.h"

namespace vestige::experiment {

/// From [bench]: setup, models (N), experiments (E), triplets (K).
struct Setup {
  std::string kind;  ///< full, reuse-n-n, reuse-n-1, bootstrap; empty: [pool] stands as it is
  std::int64_t models = 0;
  std::int64_t experiments = 0;
  std::int64_t triplets = 0;  ///< of bootstrap; 8 N by default, as in the paper
};

Setup read_setup(Options& options);

/// Not more than the budget allows.
void cap_setup(Setup& setup, const Caps& caps);

/// Sets [pool] original, retrained and [unlearn] seeds to the setup's true counts:
/// full: E N originals, E N retrained, one run each; reuse-n-n: N, N, E runs on each original;
/// reuse-n-1: 1, N, E N runs on it; bootstrap: K, K, one run each.
void apply_setup(const Setup& setup, Json& table);

/// Without a setup: at most `caps.models` originals and retrained models.
void cap_pool(Json& table, const Setup& setup, const Caps& caps);

/// The metric options that make an audit read the models as the setup meant them.
Json setup_options(const Setup& setup);

}  // namespace vestige::experiment
