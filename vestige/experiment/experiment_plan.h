// The plan of an experiment: which variants of a recipe are run, how often, and how each is
// measured. Reading it refuses everything that can be known to fail before any training.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/train/recipe.h"

namespace vestige::experiment {

/// One way of measuring a variant: [[audits]].
struct AuditPlan {
  std::string name = "main";
  std::vector<std::string> metrics;            ///< families or ids; empty: all that are supported
  Json options = Json::object();               ///< of metrics, every one in force
  std::map<std::string, std::int64_t> models;  ///< at most so many models of a role
  std::int64_t attack_seeds = 1;               ///< audits with seeds 1 ... attack_seeds
};

/// One repeat of one variant: [[variants]].
struct VariantPlan {
  std::string name = "main";
  std::uint64_t split_seed = 0;
  Json factors = Json::object();  ///< what the variant changes, as given
  train::Recipe recipe;  ///< with the variant's changes, its seed and its setup's model counts
  std::vector<AuditPlan> audits;
  bool tune = false;  ///< its methods get the options that [tune] finds for them
  Json hardest;       ///< settings of the search for its forget rows; null: [forget] stands

  /// "class-2": the folder of its evidence.
  std::string folder() const;
};

struct ExperimentPlan {
  std::filesystem::path path;
  std::string name, size, notes;
  std::vector<VariantPlan> variants;
  Json checks = Json::array();         ///< [[checks]] as given: study/paper_checks.h reads them
  Json tune = Json::object();          ///< [tune]
  std::vector<std::string> stand_ins;  ///< data and weights that synthetic ones stand in for

  std::vector<std::string> variant_names() const;
  std::vector<std::string> audit_names() const;
};

/// Upper bounds that --budget sets: N models of a pool, E repeats.
struct Caps {
  std::int64_t models = std::numeric_limits<std::int64_t>::max();
  std::int64_t repeats = std::numeric_limits<std::int64_t>::max();
};

/// What the command line adds to the file.
struct PlanRequest {
  std::string size{};                   ///< one of [sizes], or "smoke": the recipe as it stands
  std::vector<std::string> settings{};  ///< "section.key=value", applied after the size
  std::string pool{};                   ///< folder; empty: the recipe's
  bool stand_in = false;                ///< synthetic data in the place of files that are not there
  Caps caps{};
};

ExperimentPlan read_plan(const std::filesystem::path& path, const PlanRequest& request);
/// The same from a table that is already there.
ExperimentPlan make_plan(Json table, const std::filesystem::path& path, const PlanRequest& request);

/// `changes` over `table`: tables are merged, everything else is replaced; a dotted key reaches
/// into tables.
void merge(Json& table, const Json& changes);

}  // namespace vestige::experiment
