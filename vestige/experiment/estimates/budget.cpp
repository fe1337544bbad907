// Bisection over N and E, each looked at by an estimate.
#include "vestige/experiment/estimates/budget.h"

#include <algorithm>
#include <limits>
#include <map>

#include "vestige/base/error.h"
#include "vestige/experiment/estimates/duration.h"

namespace vestige::experiment {
namespace {

std::int64_t largest(const ExperimentPlan& plan, bool models) {
  std::int64_t most = 1;
  std::map<std::string, std::int64_t> repeats;
  for (const VariantPlan& variant : plan.variants) {
    const train::PoolSettings& pool = variant.recipe.pool;
    if (models) most = std::max({most, pool.original, pool.retrained});
    if (!models) most = std::max(most, ++repeats[variant.name]);
  }
  return most;
}

}  // namespace

std::optional<Caps> largest_fit(std::int64_t models, std::int64_t repeats,
                                const std::function<CapsFit(const Caps&)>& look) {
  if (look({models, repeats}) == CapsFit::fits) return Caps{models, repeats};
  std::optional<Caps> best;
  for (std::int64_t least = 1, most = models; least <= most;) {
    const std::int64_t middle = least + (most - least) / 2;
    const CapsFit fit = look({middle, 1});
    if (fit == CapsFit::fits) best = Caps{middle, 1};
    if (fit == CapsFit::too_long) {
      most = middle - 1;
    } else {
      least = middle + 1;
    }
  }
  if (!best) return best;
  for (std::int64_t least = 2, most = repeats; least <= most;) {
    const std::int64_t middle = least + (most - least) / 2;
    if (look({best->models, middle}) == CapsFit::fits) {
      best->repeats = middle;
      least = middle + 1;
    } else {
      most = middle - 1;
    }
  }
  return best;
}

Caps fit_budget(const std::filesystem::path& path, PlanRequest request, const std::string& device,
                double seconds, std::size_t workers, Probes& probes, const Context& context) {
  request.caps = {};
  const ExperimentPlan whole = read_plan(path, request);
  const std::int64_t models = largest(whole, true);
  const std::int64_t repeats = largest(whole, false);
  double least = std::numeric_limits<double>::infinity();
  const auto look = [&](const Caps& caps) {
    request.caps = caps;
    try {
      const Experiment experiment =
          open(read_plan(path, request), device, Detail::outline, context);
      pool::Store store(experiment.variants.front().plan.recipe.pool.folder);
      const double total = estimate(experiment, store, workers, probes).total();
      least = std::min(least, total);
      return total <= seconds ? CapsFit::fits : CapsFit::too_long;
    } catch (const InputError&) {
      // What is wrong at full size is not the budget's fault.
      if (caps.models >= models && caps.repeats >= repeats) throw;
      return CapsFit::too_small;
    }
  };
  const auto found = largest_fit(models, repeats, look);
  require(found.has_value(),
          "--budget {}: the smallest form of {} takes about {}: give more, or a smaller recipe",
          duration_text(seconds), path.string(), duration_text(least));
  return *found;
}

}  // namespace vestige::experiment
