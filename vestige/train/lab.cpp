// From a recipe to the list of its models.
#include "vestige/train/lab.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/base/sha256.h"

namespace vestige::train {
namespace {

/// Raised when training gives other bytes for the same settings, so that old models are not taken
/// for new ones.
constexpr int kCodeVersion = 1;

std::string hash_of(const std::vector<std::int64_t>& rows) {
  return sha256(std::as_bytes(std::span(rows)));
}

std::vector<std::int64_t> difference(const std::vector<std::int64_t>& all,
                                     const std::vector<std::int64_t>& without) {
  std::vector<std::int64_t> result;
  std::set_difference(all.begin(), all.end(), without.begin(), without.end(),
                      std::back_inserter(result));
  return result;
}

std::vector<std::int64_t> drawn(const std::vector<std::int64_t>& rows, std::size_t count,
                                Stream stream) {
  std::vector<std::int64_t> result;
  for (const std::size_t index : stream.sample(rows.size(), count)) result.push_back(rows[index]);
  return result;
}

/// Models per graph if the recipe leaves it open: on CUDA a small network leaves the device idle.
std::int64_t automatic_copies(const Lab& lab, const Json& model) {
  const std::string name = model.at("name").get<std::string>();
  const bool small = (name == "mlp" || name == "small_cnn") && lab.data.row_size() <= 3 * 32 * 32;
  return lab.device == "cuda" && small ? 64 : 1;
}

class Planner {
 public:
  explicit Planner(const Lab& lab) : lab_(lab) {}

  std::vector<ModelPlan> plans;

  void add(const std::string& role, std::int64_t count,
           const std::function<std::vector<std::int64_t>(std::int64_t)>& rows,
           const TrainSettings& train, const Json& train_used, const Json& model) {
    std::int64_t copies = train.copies > 0 ? train.copies : automatic_copies(lab_, model);
    // A stopping rule depends on the model, so that such models do not share a graph.
    if (train.until_accuracy > 0 || train.select != "last" || train.log_forget_updates) copies = 1;
    for (std::int64_t index = 0; index < count; ++index) {
      ModelPlan plan;
      plan.role = role;
      plan.index = index;
      plan.seed = model_seed(lab_.recipe.seed, role, index);
      plan.rows = rows(index);
      plan.train = train;
      plan.model = model;
      const std::int64_t first = index / copies * copies;
      plan.copies = std::min(copies, count - first);
      plan.identity.label = fmt::format("{}/{}", role, index);
      plan.identity.what = {{"kind", "trained"},
                            {"code", kCodeVersion},
                            {"dataset", lab_.data.name},
                            {"data", lab_.data.sha256},
                            {"rows", hash_of(plan.rows)},
                            {"row_count", plan.rows.size()},
                            {"architecture", model.at("name")},
                            {"model", model},
                            {"train", train_used},
                            {"role", role},
                            {"seed", plan.seed},
                            {"device", lab_.device},
                            {"threads", lab_.device == "cpu" ? train.threads : 0},
                            {"copies", plan.copies},
                            {"place", plan.copies > 1 ? index - first : 0}};
      if (train.log_forget_updates) {
        plan.identity.what["forget"] = hash_of(lab_.split.part("forget"));
      }
      if (train.select == "best_validation") {
        plan.identity.what["validation"] = hash_of(lab_.split.part("validation"));
      }
      plans.push_back(std::move(plan));
    }
  }

 private:
  const Lab& lab_;
};

void add_shadows(const Lab& lab, Planner& planner) {
  const Recipe& recipe = lab.recipe;
  if (recipe.pool.shadow == 0) return;
  const auto& population = lab.split.part("shadow");
  require(!population.empty(),
          "{}: shadow models need rows of their own: give [split] shadow a number of rows",
          recipe.path.string());
  std::size_t count = static_cast<std::size_t>(recipe.shadow.rows);
  if (count == 0) count = std::min(population.size(), lab.split.part("train").size());
  require(count <= population.size(),
          "{}: [shadow] rows is {} but the split's shadow part has {} rows: raise [split] shadow",
          recipe.path.string(), count, population.size());
  const auto rows = [&](std::int64_t index) {
    return drawn(population, count,
                 Stream(recipe.seed, "shadow rows", static_cast<std::uint64_t>(index)));
  };
  planner.add("shadow", recipe.pool.shadow, rows, recipe.shadow.train, recipe.shadow.train_used,
              recipe.shadow.model);
}

/// The set that [data] names: the arms of an experiment share one copy of it.
std::shared_ptr<const data::Dataset> shared_data(const Recipe& recipe) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const data::Dataset>> loaded;
  Options options = recipe.section("data");
  if (!options.has("name")) options = Options(Json{{"name", "fashion_mnist"}}, options.where());
  const std::scoped_lock lock(mutex);
  std::weak_ptr<const data::Dataset>& place = loaded[options.all().dump()];
  std::shared_ptr<const data::Dataset> dataset = place.lock();
  if (!dataset) {
    dataset = std::make_shared<data::Dataset>(data::load(options));
    place = dataset;
  }
  return dataset;
}

}  // namespace

std::shared_ptr<const Lab> open_lab(Recipe recipe, std::string device) {
  auto lab = std::make_shared<Lab>(shared_data(recipe));
  Json sizes = recipe.section("split").all();
  if (!sizes.contains("seed")) sizes["seed"] = recipe.seed;
  Options split(sizes, recipe.section("split").where());
  Options forget = recipe.section("forget");
  lab->split = data::make_split(lab->data, split, forget);
  // Parts that the recipe does not ask for are there, without rows.
  for (const char* name :
       {"train", "forget", "retain", "validation", "test", "calibration", "shadow"}) {
    lab->split.parts.try_emplace(name);
  }
  lab->recipe = std::move(recipe);
  lab->device = std::move(device);
  return lab;
}

std::uint64_t model_seed(std::uint64_t seed, const std::string& role, std::int64_t index) {
  // 53 bits, so that the number survives every JSON reader.
  return Stream(seed, "model/" + role, static_cast<std::uint64_t>(index))() >> 11U;
}

std::vector<ModelPlan> plan(const Lab& lab) {
  const Recipe& recipe = lab.recipe;
  const auto& train = lab.split.part("train");
  const auto& forget = lab.split.part("forget");
  const auto& retain = lab.split.part("retain");
  Planner planner(lab);
  const auto add = [&](const std::string& role, std::int64_t count, const auto& rows) {
    planner.add(role, count, rows, recipe.train, recipe.train_used, recipe.model);
  };
  add("original", recipe.pool.original, [&](std::int64_t) { return train; });
  add("retrained", recipe.pool.retrained, [&](std::int64_t) { return retain; });
  for (const double share : recipe.pool.partial_shares) {
    add(fmt::format("partial/{:g}", share), recipe.pool.partial, [&](std::int64_t index) {
      const auto count =
          static_cast<std::size_t>(std::llround(share / 100 * static_cast<double>(forget.size())));
      return difference(
          train, drawn(forget, count,
                       Stream(recipe.seed, "partial rows", static_cast<std::uint64_t>(index))));
    });
  }
  add_shadows(lab, planner);
  add("membership", recipe.pool.membership, [&](std::int64_t index) {
    return drawn(train, train.size() / 2,
                 Stream(recipe.seed, "membership rows", static_cast<std::uint64_t>(index)));
  });
  TrainSettings untrained = recipe.train;
  untrained.epochs = 0;
  Json untrained_used = recipe.train_used;
  untrained_used["epochs"] = 0;
  planner.add(
      "random", recipe.pool.random, [&](std::int64_t) { return train; }, untrained, untrained_used,
      recipe.model);
  return std::move(planner.plans);
}

}  // namespace vestige::train
