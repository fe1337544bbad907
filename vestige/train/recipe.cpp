// Reading recipes.
#include "vestige/train/recipe.h"

#include "vestige/base/error.h"

namespace vestige::train {
namespace {

/// What shapes a model's bytes: the preset's name does not, its values do; threads and copies are
/// named apart, as they are in force.
Json shaping(Json used) {
  for (const char* key : {"preset", "copies", "threads"}) used.erase(key);
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
  for (const double share : pool.partial_shares) {
    if (!(share > 0 && share < 100)) {
      options.wrong("partial_shares", fmt::format("{} is not a per cent between 0 and 100", share));
    }
  }
  pool.membership = models(options, "membership", pool.membership);
  options.finish();
  return pool;
}

/// [shadow] = its own `rows` and `model`, then [train] with [shadow]'s other keys on top.
ShadowSettings read_shadow(Options options, const Json& train, const Json& model) {
  ShadowSettings shadow;
  shadow.rows = models(options, "rows", 0);
  shadow.model = options.has("model") ? options.raw("model") : model;
  Json merged = train;
  for (const auto& [key, value] : options.all().items()) {
    if (key != "rows" && key != "model") merged[key] = value;
  }
  Options training(merged, options.where());
  shadow.train = read_train(training);
  shadow.train_used = shaping(training.used());
  return shadow;
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
  Recipe recipe;
  recipe.path = path;
  recipe.table = std::move(table);
  Options top(recipe.table, path.string());
  recipe.name = top.text("name", path.stem().string());
  const std::int64_t seed = top.integer("seed", 0);
  if (seed < 0) top.wrong("seed", "it must not be negative");
  recipe.seed = static_cast<std::uint64_t>(seed);
  for (const char* known :
       {"notes", "data", "split", "forget", "model", "train", "shadow", "pool", "unlearn",
        "methods", "collect", "bench", "arms", "audits", "checks", "sizes", "tune"}) {
    top.has(known);
  }
  top.finish();
  Options train = recipe.section("train");
  recipe.train = read_train(train);
  recipe.train_used = shaping(train.used());
  recipe.model = recipe.section("model").all();
  if (!recipe.model.contains("name")) recipe.model["name"] = "small_cnn";
  recipe.pool = read_pool(recipe.section("pool"));
  recipe.shadow =
      read_shadow(recipe.section("shadow"), recipe.section("train").all(), recipe.model);
  return recipe;
}

}  // namespace vestige::train
