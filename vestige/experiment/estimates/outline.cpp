// Fewer models in the place of many, and counting as if all were there.
#include "vestige/experiment/estimates/outline.h"

#include <fmt/format.h>

#include <algorithm>

namespace vestige::experiment {
namespace {

/// Points of the grid {1 ... count} x {1 ... runs} that lie in any of the rectangles.
double covered(std::vector<std::pair<double, double>> rectangles) {
  std::sort(rectangles.rbegin(), rectangles.rend());
  double area = 0;
  double runs = 0;
  for (const auto& [count, own] : rectangles) {
    if (own <= runs) continue;
    area += count * (own - runs);
    runs = own;
  }
  return area;
}

}  // namespace

std::pair<train::Recipe, FullCounts> outlined(const train::Recipe& recipe) {
  train::Recipe few = recipe;
  FullCounts outline;
  const auto cap = [&](const std::string& role, std::int64_t& count) {
    outline.models[role] = count;
    count = std::min(count, kOutlined);
  };
  train::PoolSettings& pool = few.pool;
  outline.models["before"] = std::max({pool.original, pool.retrained, pool.partial});
  outline.models["calibration_original"] = pool.original;
  for (const double share : pool.partial_shares) {
    outline.models[fmt::format("partial/{:g}", share)] = pool.partial;
  }
  pool.partial = std::min(pool.partial, kOutlined);
  cap("original", pool.original);
  cap("retrained", pool.retrained);
  cap("shadow", pool.shadow);
  cap("random", pool.random);
  cap("membership", pool.membership);
  cap("verification", pool.verification);
  cap("graded", pool.graded);
  const Json unlearn = recipe.table.value("unlearn", Json::object());
  if (const Json given = unlearn.value("seeds", Json(1)); given.is_number_integer()) {
    outline.runs = given.get<std::int64_t>();
    const std::int64_t most =
        std::max<std::int64_t>(1, kOutlined / std::max<std::int64_t>(1, pool.original));
    if (outline.runs > most) few.table["unlearn"]["seeds"] = most;
  }
  return {std::move(few), std::move(outline)};
}

double SharedCount::add(const std::string& kind, double count, double runs) {
  auto& seen = seen_[kind];
  const double before = covered(seen);
  seen.emplace_back(count, runs);
  return covered(seen) - before;
}

}  // namespace vestige::experiment
