// Reading plans.
#include "vestige/experiment/experiment_plan.h"

#include <algorithm>

#include "vestige/audit/metric_options.h"
#include "vestige/audit/selection.h"
#include "vestige/base/error.h"
#include "vestige/base/text.h"
#include "vestige/data/stand_in.h"
#include "vestige/experiment/checks.h"
#include "vestige/experiment/setup.h"
#include "vestige/train/hardest.h"

namespace vestige::experiment {
namespace {

constexpr const char* kOwnKeys[] = {"variants", "audits", "checks", "sizes", "tune"};

/// The checks of this size: one with `sizes = ["smoke"]` is left out of the others.
Json checks_of(const Json& all, const std::string& size) {
  Json checks = Json::array();
  for (Json check : all) {
    if (check.contains("sizes")) {
      const Json& sizes = check["sizes"];
      if (std::find(sizes.begin(), sizes.end(), Json(size)) == sizes.end()) continue;
      check.erase("sizes");
    }
    checks.push_back(std::move(check));
  }
  return checks;
}

/// A list of tables, or nothing.
Json list(const Json& table, const char* key, const std::string& where) {
  const Json found = table.value(key, Json::array());
  require(found.is_array(), "{}: write {} as [[{}]] tables", where, key, key);
  for (const Json& entry : found) {
    require(entry.is_object(), "{}: write {} as [[{}]] tables", where, key, key);
  }
  return found;
}

void apply_size(Json& table, const std::string& size, const std::string& where) {
  const Json sizes = table.value("sizes", Json::object());
  table.erase("sizes");
  require(sizes.is_object(), "{}: write sizes as [sizes.NAME] tables", where);
  if (sizes.contains(size)) {
    merge(table, sizes.at(size));
    return;
  }
  std::vector<std::string> known = {"smoke"};
  for (const auto& [name, ignored] : sizes.items()) known.push_back(name);
  require(size.empty() || size == "smoke", "{}: it has no size '{}': the nearest is '{}'", where,
          size, nearest(size, known));
}

std::map<std::string, std::int64_t> read_limits(Options options) {
  std::map<std::string, std::int64_t> limits;
  for (const char* role :
       {"original", "retrained", "unlearned", "shadow", "partial", "random", "verification"}) {
    const std::int64_t most = options.integer(role, 0);
    if (most < 0) options.wrong(role, "it must not be negative");
    if (most > 0) limits[role] = most;
  }
  options.finish();
  return limits;
}

/// [bench] of one variant: what its audits have in common, its setup and its repeats.
struct BenchSection {
  AuditPlan common;
  Json options;
  Setup setup;
  std::int64_t seeds = 1;
  bool only_forget = false;  ///< repeats draw other forget rows of the same training rows
};

BenchSection read_bench(const Json& table, const std::string& where) {
  Options options(table.value("bench", Json::object()), where + ": [bench]");
  BenchSection bench;
  bench.common.metrics = options.texts("metrics", {});
  bench.options = options.raw("options");
  bench.seeds = options.integer("seeds", 1);
  if (bench.seeds < 1) options.wrong("seeds", "at least one repeat is needed");
  bench.only_forget = options.choice("repeat", "split", {"split", "forget"}) == "forget";
  bench.common.attack_seeds = options.integer("attack_seeds", 1);
  if (bench.common.attack_seeds < 1) options.wrong("attack_seeds", "at least one audit is needed");
  bench.setup = read_setup(options);
  options.finish();
  return bench;
}

/// The audits of one variant: one with [bench]'s settings, or one for each [[audits]] that names
/// it.
std::vector<AuditPlan> read_audits(const Json& entries, const std::string& variant,
                                   const std::vector<std::string>& variants,
                                   const BenchSection& bench, const std::string& where) {
  std::vector<AuditPlan> audits;
  const auto add = [&](Options options) {
    AuditPlan audit = bench.common;
    audit.name = options.text("name", audit.name);
    if (audit.name.starts_with('.') || audit.name.find_first_of("/\\") != std::string::npos) {
      options.wrong("name", "it names a folder: give a name without slashes");
    }
    audit.metrics = options.texts("metrics", audit.metrics);
    audit.attack_seeds = options.integer("attack_seeds", audit.attack_seeds);
    audit.models = read_limits(options.table("models"));
    Json merged = bench.options.is_object() ? bench.options : Json::object();
    merge(merged, setup_options(bench.setup));
    const Json own = options.raw("options");
    if (own.is_object()) merge(merged, own);
    audit.options = audit::checked_options(merged, options.where() + ": options");
    const auto wanted = options.texts("variants", {});
    for (const std::string& name : wanted) {
      if (std::find(variants.begin(), variants.end(), name) == variants.end()) {
        options.wrong("variants", fmt::format("there is no variant '{}': the nearest is '{}'", name,
                                              nearest(name, variants)));
      }
    }
    options.finish();
    (void)audit::Selection(audit.metrics);
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), variant) != wanted.end()) {
      audits.push_back(std::move(audit));
    }
  };
  if (entries.empty()) add(Options(Json::object(), where));
  for (std::size_t index = 0; index < entries.size(); ++index) {
    require(entries[index].contains("name"), "{}: give every [[audits]] table a name", where);
    add(Options(entries[index],
                fmt::format("{}: [[audits]] {}", where, entries[index].at("name").dump())));
  }
  return audits;
}

/// Every variant by its name, its changes and its own notes.
struct VariantEntry {
  std::string name = "main";
  Json changes = Json::object();
  bool tune = false;
  Json hardest;
};

/// hardest = true, or the settings of the search.
Json read_search(Options& options) {
  if (options.has("worst_case"))
    options.wrong("worst_case", "it is now called hardest: write that");
  const Json given = options.raw("hardest");
  if (given.is_null() || given == false) return nullptr;
  if (given != true && !given.is_object()) {
    options.wrong("hardest", "it must be true or a table of the search's settings");
  }
  const Json settings = given == true ? Json::object() : given;
  Options search(settings, options.where() + ": hardest");
  (void)train::read_hardest(search);
  return settings;
}

std::vector<VariantEntry> read_variants(const Json& table, const std::string& where) {
  std::vector<VariantEntry> variants;
  for (const Json& entry : list(table, "variants", where)) {
    Options options(entry, where + ": [[variants]]");
    VariantEntry variant;
    variant.name = options.text("name", "");
    if (variant.name.empty() || variant.name.starts_with('.') ||
        variant.name.find_first_of("/\\") != std::string::npos) {
      options.wrong("name", "every variant needs a name without slashes");
    }
    variant.changes = options.raw("set");
    if (variant.changes.is_null()) variant.changes = Json::object();
    if (!variant.changes.is_object()) options.wrong("set", "it must be a table");
    variant.tune = options.boolean("tune", false);
    variant.hardest = read_search(options);
    options.finish();
    for (const VariantEntry& other : variants) {
      require(other.name != variant.name, "{}: two variants are called '{}'", where, variant.name);
    }
    variants.push_back(std::move(variant));
  }
  if (variants.empty()) variants.emplace_back();
  return variants;
}

}  // namespace

std::string VariantPlan::folder() const { return fmt::format("{}-{}", name, split_seed); }

std::vector<std::string> ExperimentPlan::variant_names() const {
  std::vector<std::string> names;
  for (const VariantPlan& variant : variants) {
    if (std::find(names.begin(), names.end(), variant.name) == names.end())
      names.push_back(variant.name);
  }
  return names;
}

std::vector<std::string> ExperimentPlan::audit_names() const {
  std::vector<std::string> names;
  for (const VariantPlan& variant : variants) {
    for (const AuditPlan& audit : variant.audits) {
      if (std::find(names.begin(), names.end(), audit.name) == names.end()) {
        names.push_back(audit.name);
      }
    }
  }
  return names;
}

namespace {

/// Another data set, architecture or kind of forgetting has other options.
bool names_another(const Json& old, const Json& changes) {
  for (const char* key : {"name", "kind", "preset"}) {
    if (changes.contains(key) && (!old.contains(key) || old.at(key) != changes.at(key))) {
      return true;
    }
  }
  return false;
}

}  // namespace

void merge(Json& table, const Json& changes) {
  for (const auto& [key, value] : changes.items()) {
    Json* place = &table;
    std::string rest = key;
    for (std::size_t dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.')) {
      place = &(*place)[rest.substr(0, dot)];
      if (!place->is_object()) *place = Json::object();
      rest = rest.substr(dot + 1);
    }
    Json& target = (*place)[rest];
    if (target.is_object() && value.is_object() && !names_another(target, value)) {
      merge(target, value);
    } else {
      target = value;
    }
  }
}

namespace {

void note_once(std::vector<std::string>& all, const std::vector<std::string>& more) {
  for (const std::string& one : more) {
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  }
}

}  // namespace

ExperimentPlan read_plan(const std::filesystem::path& path, const PlanRequest& request) {
  return make_plan(read_toml(path), path, request);
}

ExperimentPlan make_plan(Json table, const std::filesystem::path& path,
                         const PlanRequest& request) {
  const std::string where = path.string();
  apply_size(table, request.size, where);
  for (const std::string& assignment : request.settings) set_option(table, assignment);
  ExperimentPlan plan;
  plan.path = path;
  plan.size = request.size.empty() ? "smoke" : request.size;
  plan.name = table.value("name", path.stem().string());
  plan.notes = table.value("notes", "");
  plan.checks = checks_of(list(table, "checks", where), plan.size);
  plan.tune = table.value("tune", Json::object());
  const std::vector<VariantEntry> variants = read_variants(table, where);
  const Json audits = list(table, "audits", where);
  std::vector<std::string> names;
  for (const VariantEntry& variant : variants) names.push_back(variant.name);
  for (const char* key : kOwnKeys) table.erase(key);
  for (const VariantEntry& entry : variants) {
    Json changed = table;
    merge(changed, entry.changes);
    BenchSection bench = read_bench(changed, where);
    cap_setup(bench.setup, request.caps);
    for (std::int64_t repeat = 0; repeat < std::min(bench.seeds, request.caps.repeats); ++repeat) {
      VariantPlan variant;
      variant.name = entry.name;
      variant.factors = entry.changes;
      variant.tune = entry.tune;
      variant.hardest = entry.hardest;
      Json own = changed;
      const std::int64_t seed = own.value("seed", std::int64_t{0}) + repeat;
      (bench.only_forget ? own["forget"]["seed"] : own["seed"]) = seed;
      apply_setup(bench.setup, own);
      cap_pool(own, bench.setup, request.caps);
      if (request.stand_in) note_once(plan.stand_ins, data::use_stand_ins(own));
      variant.recipe = train::make_recipe(own, path);
      if (!request.pool.empty()) variant.recipe.pool.folder = request.pool;
      variant.split_seed = static_cast<std::uint64_t>(seed);
      variant.audits = read_audits(audits, entry.name, names, bench, where);
      require(!variant.audits.empty(),
              "{}: no audit measures variant '{}': name it in the `variants` of an [[audits]] "
              "table, or take the variant out",
              where, entry.name);
      check_variant(variant);
      plan.variants.push_back(std::move(variant));
    }
  }
  return plan;
}

}  // namespace vestige::experiment
