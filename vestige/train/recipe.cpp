// Reading recipes.
#include "vestige/train/recipe.h"

#include <algorithm>
#include <initializer_list>

#include "vestige/base/error.h"

namespace vestige::train {
namespace {

/// What shapes a model's bytes: the preset's name does not, its values do; threads and copies are
/// named apart, as they are in force.
Json shaping(Json used) {
  for (const char* key : {"preset", "copies", "threads"}) used.erase(key);
  // Named only where they are not the defaults, so that older pools keep their names.
  if (used.value("precision", "float32") == "float32") used.erase("precision");
  if (!used.value("deterministic", false)) used.erase("deterministic");
  return used;
}

std::int64_t models(Options& options, const char* key, std::int64_t fallback) {
  const std::int64_t value = options.integer(key, fallback);
  if (value < 0) options.wrong(key, fmt::format("{} models cannot be made: give 0 or more", value));
  return value;
}

PoolSettings read_pool(Options options) {
  PoolSettings pool;
  pool.folder = options.text("folder", pool.folder.string());
  pool.original = models(options, "original", pool.original);
  pool.retrained = models(options, "retrained", pool.retrained);
  pool.shadow = models(options, "shadow", pool.shadow);
  pool.random = models(options, "random", pool.random);
  pool.partial = models(options, "partial", pool.partial);
  pool.partial_shares = options.numbers("partial_shares", pool.partial_shares);
  pool.partial_by = options.choice("partial_by", pool.partial_by, {"rows", "class", "subclass"});
  for (const double share : pool.partial_shares) {
    if (!(share > 0 && share < 100)) {
      options.wrong("partial_shares", fmt::format("{} is not a per cent between 0 and 100", share));
    }
  }
  pool.membership = models(options, "membership", pool.membership);
  pool.membership_pairs = options.boolean("membership_pairs", pool.membership_pairs);
  pool.verification = models(options, "verification", pool.verification);
  pool.verification_share = options.number("verification_share", pool.verification_share);
  if (!(pool.verification_share > 0 && pool.verification_share <= 1)) {
    options.wrong("verification_share", fmt::format("{} is not a share of the retain set: give one "
                                                    "above 0 and at most 1",
                                                    pool.verification_share));
  }
  pool.graded = models(options, "graded", pool.graded);
  if (pool.graded > pool.shadow) {
    options.wrong("graded", fmt::format("{} shadow models are to go on training, but shadow is {}: "
                                        "raise it",
                                        pool.graded, pool.shadow));
  }
  pool.shadow_pairs = options.boolean("shadow_pairs", pool.shadow_pairs);
  pool.calibration_shadow = options.boolean("calibration_shadow", pool.calibration_shadow);
  pool.calibration_semi_shadow =
      options.boolean("calibration_semi_shadow", pool.calibration_semi_shadow);
  options.finish();
  return pool;
}

struct Training {
  TrainSettings settings;
  Json used;
};

/// [train] with the keys of another section on top, but for those that are the section's own.
Training read_training(const Options& options, const Json& train,
                       std::initializer_list<std::string_view> own) {
  Json merged = train;
  for (const auto& [key, value] : options.all().items()) {
    if (std::find(own.begin(), own.end(), key) == own.end()) merged[key] = value;
  }
  Options training(merged, options.where());
  Training result;
  result.settings = read_train(training);
  result.used = shaping(training.used());
  return result;
}

/// A table of a section, or null.
Json inner_table(Options& options, const char* key) {
  if (!options.has(key)) return nullptr;
  const Json table = options.raw(key);
  if (!table.is_object())
    options.wrong(key, "it must be a table, for example { kind = \"noise\" }");
  return table;
}

ShadowSettings read_shadow(Options options, const Json& train, const Json& model) {
  ShadowSettings shadow;
  shadow.rows = models(options, "rows", 0);
  shadow.model = options.has("model") ? options.raw("model") : model;
  shadow.data = inner_table(options, "data");
  shadow.shift = inner_table(options, "shift");
  const Training training = read_training(options, train, {"rows", "model", "data", "shift"});
  shadow.train = training.settings;
  shadow.train_used = training.used;
  return shadow;
}

GradedSettings read_graded(Options options, const Json& train) {
  GradedSettings graded;
  graded.steps = options.integer("steps", graded.steps);
  if (graded.steps < 1) options.wrong("steps", "give at least one checkpoint");
  Json with = options.all();
  Json fractions = Json::array();
  for (std::int64_t step = 1; step < graded.steps; ++step) {
    fractions.push_back(static_cast<double>(step) / static_cast<double>(graded.steps));
  }
  if (with.contains("checkpoints")) {
    options.wrong("checkpoints", "graded models are kept at equal intervals: give steps instead");
  }
  with["checkpoints"] = fractions;
  // A stop on the way would leave the later checkpoints out.
  with["until_accuracy"] = 0;
  with["select"] = "last";
  with["log_forget_updates"] = false;
  const Training training = read_training(Options(with, options.where()), train, {"steps"});
  graded.train = training.settings;
  graded.train_used = training.used;
  return graded;
}

DynamicSettings read_dynamic(Options options, const Json& train) {
  DynamicSettings dynamic;
  dynamic.rows = options.integer("rows", 0);
  if (dynamic.rows < 0) options.wrong("rows", "it must not be negative");
  dynamic.data = inner_table(options, "data");
  dynamic.shift = inner_table(options, "shift");
  const Training training = read_training(options, train, {"rows", "data", "shift"});
  dynamic.train = training.settings;
  dynamic.train_used = training.used;
  return dynamic;
}

FeatureSettings read_features(const Recipe& recipe) {
  FeatureSettings features;
  features.wanted = recipe.table.contains("features");
  if (!features.wanted) return features;
  Options options = recipe.section("features");
  features.model = options.has("model") ? options.raw("model") : Json{{"name", "small_cnn"}};
  if (!features.model.is_object() || !features.model.contains("name")) {
    options.wrong("model", "it must be a table with a name, as [model] is");
  }
  // Nothing of [train]: that is how the generative models are trained.
  const Training training = read_training(options, Json::object(), {"model"});
  features.train = training.settings;
  features.train_used = training.used;
  return features;
}

}  // namespace

Options Recipe::section(const std::string& key) const {
  const auto found = table.find(key);
  return Options(found == table.end() ? Json::object() : *found,
                 fmt::format("{}: [{}]", path.string(), key));
}

Recipe read_recipe(const std::filesystem::path& path, const std::vector<std::string>& settings) {
  Json table = read_toml(path);
  for (const std::string& assignment : settings) set_option(table, assignment);
  return make_recipe(std::move(table), path);
}

Recipe make_recipe(Json table, const std::filesystem::path& path) {
  require(!table.is_object() || table.value("kind", Json()) != "language",
          "{}: is a recipe of language models, which vestige bench alone runs: use that",
          path.string());
  Recipe recipe;
  recipe.path = path;
  recipe.table = std::move(table);
  Options top(recipe.table, path.string());
  recipe.name = top.text("name", path.stem().string());
  // Folders are called by it.
  if (recipe.name.empty() || recipe.name.starts_with('.') ||
      recipe.name.find_first_of("/\\") != std::string::npos) {
    top.wrong("name",
              "it names folders: give a name without slashes that does not begin with a dot");
  }
  const std::int64_t seed = top.integer("seed", 0);
  if (seed < 0) top.wrong("seed", "it must not be negative");
  recipe.seed = static_cast<std::uint64_t>(seed);
  for (const char* known :
       {"notes",   "data",     "split",    "forget", "model",   "train",   "shadow", "graded",
        "dynamic", "canaries", "features", "pool",   "unlearn", "methods", "probes", "collect",
        "bench",   "variants", "audits",   "checks", "sizes",   "tune"}) {
    top.has(known);
  }
  top.finish();
  Options train = recipe.section("train");
  recipe.train = read_train(train);
  if (recipe.train.epochs == 0) {
    train.wrong("epochs",
                "0 trains nothing: give at least a part of one, 0.5 for example; "
                "untrained models are [pool] random");
  }
  recipe.train_used = shaping(train.used());
  recipe.model = recipe.section("model").all();
  if (!recipe.model.contains("name")) recipe.model["name"] = "small_cnn";
  recipe.pool = read_pool(recipe.section("pool"));
  recipe.shadow =
      read_shadow(recipe.section("shadow"), recipe.section("train").all(), recipe.model);
  recipe.graded = read_graded(recipe.section("graded"), recipe.section("train").all());
  recipe.dynamic = read_dynamic(recipe.section("dynamic"), recipe.section("train").all());
  Options canaries = recipe.section("canaries");
  recipe.canaries = data::read_canaries(canaries);
  if (recipe.canaries.rows > 0 && recipe.dynamic.rows > 0) {
    canaries.wrong("rows",
                   "a training set that grew ([dynamic]) takes no canaries: set one of the "
                   "two to 0");
  }
  recipe.features = read_features(recipe);
  return recipe;
}

}  // namespace vestige::train
