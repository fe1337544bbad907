// Impossible combinations of metrics and models.
#include "vestige/experiment/checks.h"

#include <algorithm>

#include "vestige/base/error.h"

namespace vestige::experiment {
namespace {

/// Whether a metric was asked for that is `family` or begins with it.
bool asks_for(const AuditPlan& audit, const std::string& family) {
  return std::any_of(audit.metrics.begin(), audit.metrics.end(), [&](const std::string& metric) {
    return metric == family || metric.starts_with(family + ".");
  });
}

bool asks_for_part(const AuditPlan& audit, const std::string& ending) {
  return std::any_of(audit.metrics.begin(), audit.metrics.end(),
                     [&](const std::string& metric) { return metric.ends_with(ending); });
}

std::int64_t at_most(const AuditPlan& audit, const char* role, std::int64_t count) {
  const auto limit = audit.models.find(role);
  return limit == audit.models.end() ? count : std::min(count, limit->second);
}

}  // namespace

void check_arm(const ArmPlan& arm) {
  const train::PoolSettings& pool = arm.recipe.pool;
  const std::string forget = arm.recipe.section("forget").all().value("kind", "random");
  for (const AuditPlan& audit : arm.audits) {
    const std::string where =
        fmt::format("{}: arm '{}', audit '{}'", arm.recipe.path.string(), arm.name, audit.name);
    const std::int64_t retrained = at_most(audit, "retrained", pool.retrained);
    const std::int64_t original = at_most(audit, "original", pool.original);
    require(!asks_for(audit, "epsilon") || retrained >= 3,
            "{}: F compares pools and {} retrained model{} cannot show a finite epsilon: give "
            "[pool] retrained 3 or more (64 to see something), or leave epsilon out of metrics",
            where, retrained, retrained == 1 ? "" : "s");
    const std::int64_t runs = arm.recipe.section("unlearn").all().value("seeds", std::int64_t{1});
    require(
        !asks_for(audit, "epsilon") || original * runs >= 3,
        "{}: F compares pools, and every method would have {} model{}: give [pool] original 3 or "
        "more, or leave epsilon out of metrics",
        where, original * runs, original * runs == 1 ? "" : "s");
    if (audit.options.contains("epsilon.models")) {
      const auto wanted = audit.options.at("epsilon.models").get<std::int64_t>();
      require(wanted <= retrained,
              "{}: epsilon.models asks for N = {} but the pool has {} retrained models: lower it "
              "or raise [pool] retrained",
              where, wanted, retrained);
    }
    for (const char* part : {".test_forget", ".test_retain", "conformal.q.forget"}) {
      require(!asks_for_part(audit, part) || forget == "class",
              "{}: metrics that end in {} belong to class forgetting, and [forget] kind is \"{}\": "
              "set it to \"class\" or leave them out",
              where, part, forget);
    }
    for (const char* family : {"iam", "mia.lira", "mia.rmia"}) {
      require(!asks_for(audit, family) || at_most(audit, "shadow", pool.shadow) > 0,
              "{}: {} needs shadow models: give [pool] shadow 1 or more, and [split] shadow rows",
              where, family);
    }
    require(!asks_for(audit, "zrf") || pool.random > 0,
            "{}: zrf needs an untrained model: give [pool] random 1", where);
    for (const char* family : {"miau", "iam.online", "utility.aus"}) {
      require(!asks_for(audit, family) || original > 0,
              "{}: {} needs the original model: give [pool] original 1 or more", where, family);
    }
    require(!asks_for(audit, "miau") || retrained > 0,
            "{}: miau needs a retrained model: give [pool] retrained 1 or more", where);
  }
}

}  // namespace vestige::experiment
