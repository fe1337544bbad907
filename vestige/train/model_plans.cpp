// From an open lab to the list of its models: rows, seeds and what makes each one itself.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <mutex>
#include <numeric>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/seed.h"
#include "vestige/base/sha256.h"
#include "vestige/data/splits/draw.h"
#include "vestige/train/lab.h"
#include "vestige/train/row_hash.h"

namespace vestige::train {
namespace {

/// Raised when training gives other bytes for the same settings, so that old models are not taken
/// for new ones.
constexpr int kCodeVersion = 2;

std::vector<std::int64_t> drawn(const std::vector<std::int64_t>& rows, std::size_t count,
                                Stream stream) {
  std::vector<std::int64_t> result;
  for (const std::size_t index : stream.sample(rows.size(), count)) result.push_back(rows[index]);
  return result;
}

/// Forget rows by what `partial_by` names; one group for "rows".
std::map<std::int64_t, std::vector<std::int64_t>> graded_groups(const Lab& lab) {
  const std::string& by = lab.recipe.pool.partial_by;
  require(by != "subclass" || !lab.data.subclasses.empty(),
          "{}: [pool] partial_by: the data set {} has no subclasses: write \"class\" or \"rows\"",
          lab.recipe.path.string(), lab.data.name);
  std::map<std::int64_t, std::vector<std::int64_t>> groups;
  for (const std::int64_t row : lab.split.part("forget")) {
    const auto place = static_cast<std::size_t>(row);
    groups[by == "rows"    ? 0
           : by == "class" ? lab.data.labels[place]
                           : lab.data.subclasses[place]]
        .push_back(row);
  }
  return groups;
}

/// The part of forget that a graded retrain leaves out: the share of each group, rounded.
std::vector<std::int64_t> removed_share(const Lab& lab, double share, Stream& stream) {
  std::vector<std::int64_t> removed;
  for (const auto& [ignored, rows] : graded_groups(lab)) {
    const auto count =
        static_cast<std::size_t>(std::llround(share * static_cast<double>(rows.size())));
    for (const std::size_t index : stream.sample(rows.size(), count)) {
      removed.push_back(rows[index]);
    }
  }
  std::sort(removed.begin(), removed.end());
  return removed;
}

/// [model] as an identity has it: a file of weights is known by what it holds, not by where it
/// lies. A file that is not there is an error where a network is built, not in a plan.
Json by_content(Json model) {
  const auto file = model.find("weights");
  if (file == model.end() || !file->is_string()) return model;
  const std::string path = file->get<std::string>();
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  const std::scoped_lock lock(mutex);
  std::error_code error;
  const auto changed = std::filesystem::last_write_time(path, error).time_since_epoch().count();
  if (error) {
    *file = "absent:" + path;
    return model;
  }
  std::string& hash = known[fmt::format("{}\n{}", path, changed)];
  if (hash.empty()) {
    const std::string content = read_file(path);
    hash = "sha256:" + sha256(std::as_bytes(std::span(content)));
  }
  *file = hash;
  return model;
}

/// Models per graph if the recipe leaves it open: on CUDA a small network leaves the device idle.
std::int64_t automatic_copies(const Lab& lab, const Json& model) {
  const std::string name = model.at("name").get<std::string>();
  const bool small = (name == "mlp" || name == "small_cnn") && lab.data.row_size() <= 3 * 32 * 32;
  return lab.device == "cuda" && small ? 64 : 1;
}

/// Models that never saw the forgotten rows are drawn anew with another draw of these: their seeds
/// come from [forget] seed where the recipe gives one.
std::uint64_t seed_of(const Lab& lab, const std::string& role) {
  const Json forget = lab.recipe.table.value("forget", Json::object());
  const bool apart = role == "retrained" || role == "verification" || role.starts_with("partial/");
  return apart && forget.contains("seed") ? forget.at("seed").get<std::uint64_t>()
                                          : lab.recipe.seed;
}

/// What lies at this place as long as somebody holds it, else the value, which then lies there.
template <typename Value>
std::shared_ptr<const Value> kept(std::weak_ptr<const Value>& place, Value value) {
  std::shared_ptr<const Value> held = place.lock();
  if (!held) {
    held = std::make_shared<const Value>(std::move(value));
    place = held;
  }
  return held;
}

class Planner {
 public:
  explicit Planner(const Lab& lab) : lab_(lab) {}

  std::vector<ModelPlan> plans;

  void add(const std::string& role, std::int64_t count,
           const std::function<std::vector<std::int64_t>(std::int64_t)>& rows,
           const TrainSettings& train, const Json& train_used, const Json& model,
           const std::string& start_role = {}) {
    std::int64_t copies = train.copies > 0 ? train.copies : automatic_copies(lab_, model);
    // A stopping rule depends on the model, so that such models do not share a graph.
    if (train.until_accuracy > 0 || train.select != "last" || train.log_forget_updates) copies = 1;
    for (std::int64_t index = 0; index < count; ++index) {
      ModelPlan plan;
      plan.role = role;
      plan.index = index;
      plan.seed = model_seed(seed_of(lab_, role), role, index);
      plan.rows = shared(rows(index));
      plan.train = train;
      plan.model = model;
      const std::int64_t first = index / copies * copies;
      plan.copies = std::min(copies, count - first);
      plan.identity.label = fmt::format("{}/{}", role, index);
      plan.identity.what = {{"kind", "trained"},
                            {"code", kCodeVersion},
                            {"dataset", lab_.data.name},
                            {"data", lab_.data.sha256},
                            {"rows", last_hash_},
                            {"row_count", plan.rows.size()},
                            {"architecture", model.at("name")},
                            {"model", by_content(model)},
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
      if (!start_role.empty()) {
        plan.start = find(start_role, index).identity.name();
        plan.identity.what["start"] = plan.start;
      }
      // The data's own hash knows nothing of rows that were changed or borrowed.
      const char* borrowed = role.starts_with("shadow") ? "shadow"
                             : role == "before"         ? nullptr
                                                        : "dynamic";
      if (borrowed != nullptr && lab_.split.options.contains(borrowed)) {
        plan.identity.what[borrowed] = lab_.split.options.at(borrowed);
      }
      if (!lab_.split.part("canary").empty() && sees_canaries(plan)) {
        plan.identity.what["canaries"] = lab_.split.options.at("canaries");
      }
      plans.push_back(std::move(plan));
    }
  }

  /// The list of the model before, where it is the same; else that of any lab's model: variants and
  /// repeats of an experiment have the same shadow models.
  SharedRows shared(std::vector<std::int64_t> rows) {
    if (last_hash_.empty() || rows != last_.list()) {
      last_hash_ = hash_of(rows);
      static std::mutex mutex;
      static std::map<std::string, std::weak_ptr<const std::vector<std::int64_t>>> known;
      const std::scoped_lock lock(mutex);
      last_ = SharedRows(kept(known[last_hash_], std::move(rows)));
    }
    return last_;
  }

  const ModelPlan& find(const std::string& role, std::int64_t index) const {
    return *std::find_if(plans.begin(), plans.end(), [&](const ModelPlan& plan) {
      return plan.role == role && plan.index == index;
    });
  }

 private:
  /// Models without any are the same with and without [canaries].
  bool sees_canaries(const ModelPlan& plan) const {
    const auto& canaries = lab_.split.part("canary");
    return data::without(canaries, plan.rows.list()).size() < canaries.size();
  }

  const Lab& lab_;
  SharedRows last_;
  std::string last_hash_;
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
  // Repeats draw the same rows from the same part: two hundred labs of 128 shadow models would
  // spend a minute on sorting them.
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const std::vector<std::int64_t>>> known;
  const std::scoped_lock lock(mutex);
  const std::string from = hash_of(population);
  const auto key = [&](std::int64_t index) {
    return fmt::format("{} {} {} {}", from, count, recipe.seed, index);
  };
  const auto rows = [&](std::int64_t index) {
    const auto held = known[key(index)].lock();
    return held ? *held
                : drawn(population, count,
                        Stream(recipe.seed, "shadow rows", static_cast<std::uint64_t>(index)));
  };
  planner.add("shadow", recipe.pool.shadow, rows, recipe.shadow.train, recipe.shadow.train_used,
              recipe.shadow.model);
  for (const ModelPlan& plan : planner.plans) {
    if (plan.role == "shadow") known[key(plan.index)] = plan.rows.held();
  }
  if (!recipe.pool.shadow_pairs) return;
  require(count < population.size(),
          "{}: shadow_pairs needs shadow models that leave rows of the shadow part out: give "
          "[shadow] rows fewer than the {} of [split] shadow",
          recipe.path.string(), population.size());
  planner.add(
      "shadow_whole", 1, [&](std::int64_t) { return population; }, recipe.shadow.train,
      recipe.shadow.train_used, recipe.shadow.model);
}

}  // namespace

std::uint64_t model_seed(std::uint64_t seed, const std::string& role, std::int64_t index) {
  // 53 bits, so that the number survives every JSON reader.
  return Stream(seed, "model/" + role, static_cast<std::uint64_t>(index))() >> 11U;
}

std::vector<ModelPlan> plan(const Lab& lab) {
  const Recipe& recipe = lab.recipe;
  const auto& train = lab.split.part("train");
  const auto& retain = lab.split.part("retain");
  Planner planner(lab);
  const bool grew = !lab.added.empty();
  if (grew) {
    const auto before = data::without(train, lab.added);
    planner.add(
        "before", std::max({recipe.pool.original, recipe.pool.retrained, recipe.pool.partial}),
        [&](std::int64_t) { return before; }, recipe.train, recipe.train_used, recipe.model);
  }
  // A training set that grew is trained on in two stretches; none of the new rows is in the first,
  // so that a retrained model may begin with it too.
  const TrainSettings& settings = grew ? recipe.dynamic.train : recipe.train;
  const Json& used = grew ? recipe.dynamic.train_used : recipe.train_used;
  const auto add = [&](const std::string& role, std::int64_t count, const auto& rows) {
    planner.add(role, count, rows, settings, used, recipe.model, grew ? "before" : "");
  };
  add("original", recipe.pool.original, [&](std::int64_t) { return train; });
  add("retrained", recipe.pool.retrained, [&](std::int64_t) { return retain; });
  for (const double share : recipe.pool.partial_shares) {
    add(fmt::format("partial/{:g}", share), recipe.pool.partial, [&](std::int64_t index) {
      Stream stream(seed_of(lab, "partial/"), "partial rows", static_cast<std::uint64_t>(index));
      return data::without(train, removed_share(lab, share / 100, stream));
    });
  }
  if (recipe.pool.calibration_shadow) {
    const auto& calibration = lab.split.part("calibration");
    require(!calibration.empty(),
            "{}: calibration_shadow needs calibration examples: give [split] calibration a number",
            recipe.path.string());
    std::vector<std::int64_t> both;
    std::set_union(train.begin(), train.end(), calibration.begin(), calibration.end(),
                   std::back_inserter(both));
    add("calibration_original", recipe.pool.original, [&](std::int64_t) { return both; });
  }
  add_shadows(lab, planner);
  planner.add(
      "graded", recipe.pool.graded, [&](std::int64_t) { return train; }, recipe.graded.train,
      recipe.graded.train_used, recipe.shadow.model, "shadow");
  planner.add(
      "verification", recipe.pool.verification,
      [&](std::int64_t index) {
        const double share = recipe.pool.verification_share * static_cast<double>(retain.size());
        const auto count = static_cast<std::size_t>(std::max(1.0, std::round(share)));
        return drawn(retain, count,
                     Stream(seed_of(lab, "verification"), "verification rows",
                            static_cast<std::uint64_t>(index)));
      },
      recipe.train, recipe.train_used, recipe.model);
  const auto half = [&](std::int64_t index) {
    return drawn(train, train.size() / 2,
                 Stream(recipe.seed, "membership rows", static_cast<std::uint64_t>(index)));
  };
  planner.add(
      "membership", recipe.pool.membership,
      [&](std::int64_t index) {
        const bool other = recipe.pool.membership_pairs && index % 2 == 1;
        return other ? data::without(train, half(index - 1)) : half(index);
      },
      recipe.train, recipe.train_used, recipe.model);
  TrainSettings untrained = recipe.train;
  untrained.epochs = 0;
  Json untrained_used = recipe.train_used;
  untrained_used["epochs"] = 0;
  planner.add(
      "random", recipe.pool.random, [&](std::int64_t) { return train; }, untrained, untrained_used,
      recipe.model);
  if (recipe.features.wanted) {
    planner.add(
        "features", 1, [&](std::int64_t) { return train; }, recipe.features.train,
        recipe.features.train_used, recipe.features.model);
  }
  return std::move(planner.plans);
}

}  // namespace vestige::train
