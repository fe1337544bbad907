// Probes of training and methods.
#include "vestige/experiment/estimates/timing.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/progress.h"
#include "vestige/models/heun.h"
#include "vestige/models/kinds.h"
#include "vestige/train/training.h"

namespace vestige::experiment {
namespace {

/// Rows of the largest probe of a method or of training.
constexpr std::size_t kProbeRows = 1024;
/// Rows of the larger run in which a method's images are counted, and where it refuses so few.
constexpr std::size_t kCountRows = 128;
constexpr std::size_t kCountMore = 512;
/// Rows of each part in the largest probe of collecting, and models in it.
constexpr std::int64_t kCollectRows = 200;
constexpr std::int64_t kCollectModels = 8;
/// Samples of a denoiser in the larger of two trials.
constexpr std::int64_t kFewSamples = 8;
/// A run this long says enough: what starting costs is small beside it, and a larger one would
/// make the plan of a large network take an hour.
constexpr double kEnoughSeconds = 1;
/// Heun's steps have two each, the last one.
constexpr double kPassesOfASample = 2 * models::HeunSettings{}.steps - 1;
/// Test and validation rows of a probe, each: a look at more of them takes longer than the probe.
constexpr std::size_t kLookedAt = 4;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Rate line_through(double rows1, double seconds1, double rows2, double seconds2) {
  // Noise may turn the line: then everything counts as proportional.
  const double slope = (seconds2 - seconds1) / (rows2 - rows1);
  const double fixed = seconds1 - slope * rows1;
  if (slope <= 0 || fixed < 0) return {0, seconds2 / rows2};
  return {fixed, slope};
}

void make_quietly(const pool::Job& job) {
  job.make([](const pool::Report&) {});
}

/// The lab with few of the rows that are only looked at: after every training and every run of a
/// method the accuracy on all test rows is noted, which takes longer than the probe itself.
std::shared_ptr<train::Lab> with_few_to_look_at(const train::Lab& lab) {
  auto small = std::make_shared<train::Lab>(lab.dataset);
  small->recipe = lab.recipe;
  small->device = lab.device;
  small->split = lab.split;
  small->added = lab.added;
  for (const char* name : {"test", "validation"}) {
    auto& part = small->split.parts[name];
    part.resize(std::min(part.size(), kLookedAt));
  }
  return small;
}

/// The lab with a share of its training rows, forgotten ones in proportion.
std::shared_ptr<const train::Lab> smaller(const train::Lab& lab, std::size_t rows) {
  const std::shared_ptr<train::Lab> small = with_few_to_look_at(lab);
  // Methods begin with originals alone.
  small->recipe.pool.shadow = small->recipe.pool.graded = small->recipe.pool.membership = 0;
  small->added.clear();
  const double share = std::min(
      1.0, static_cast<double>(rows) / static_cast<double>(lab.split.part("train").size()));
  const auto cut = [&](const char* name) {
    auto& part = small->split.parts[name];
    const auto kept = static_cast<std::size_t>(share * static_cast<double>(part.size()));
    part.resize(std::min(part.size(), std::max<std::size_t>(kept, 8)));
  };
  cut("retain");
  cut("forget");
  auto& train = small->split.parts["train"];
  train = small->split.part("retain");
  train.insert(train.end(), small->split.part("forget").begin(), small->split.part("forget").end());
  std::sort(train.begin(), train.end());
  return small;
}

/// A pool that is gone afterwards.
struct TemporaryStore {
  TemporaryStore()
      : folder(std::filesystem::temp_directory_path() /
               fmt::format("vestige-probe-{}", ::getpid())),
        store(std::make_shared<pool::Store>(folder)) {}
  ~TemporaryStore() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  TemporaryStore(const TemporaryStore&) = delete;
  TemporaryStore& operator=(const TemporaryStore&) = delete;

  std::filesystem::path folder;
  std::shared_ptr<pool::Store> store;
};

/// A model of this kind after one epoch: what its weights are does not matter to a probe.
pool::Product hasty(const std::shared_ptr<const train::Lab>& lab, train::ModelPlan model) {
  model.train.epochs = 1;
  model.train.checkpoints.clear();
  model.copies = 1;
  return train::training_jobs(lab, {model}).front().make([](const pool::Report&) {}).front();
}

/// What one run of a method on a lab comes to, and the seconds it takes.
std::pair<pool::Product, double> run_method(const std::shared_ptr<const train::Lab>& lab,
                                            const unlearn::UnlearnPlan& method) {
  TemporaryStore temporary;
  std::vector<train::ModelPlan> models = train::plan(*lab);
  std::erase_if(models, [&](const train::ModelPlan& model) {
    return model.role != "original" || model.index != method.original;
  });
  require(!models.empty(), "{}: unlearning needs an original: give [pool] original 1 or more",
          lab->recipe.path.string());
  temporary.store->put(models.front().identity, hasty(lab, models.front()));
  unlearn::UnlearnPlan plan = method;
  plan.identity.what["original"] = models.front().identity.name();
  const auto jobs = unlearn::unlearning_jobs(lab, models, {plan}, temporary.store);
  pool::Product product;
  const double seconds =
      seconds_of([&] { product = jobs.front().make([](const pool::Report&) {}).front(); });
  return {std::move(product), seconds};
}

/// Seconds of one run of a method on so many rows.
double method_seconds(const Variant& variant, const unlearn::UnlearnPlan& method,
                      std::size_t rows) {
  return run_method(smaller(*variant.lab, rows), method).second;
}

bool is_denoiser(const train::Lab& lab) {
  return models::is_denoiser(lab.recipe.model.at("name").get<std::string>());
}

/// A small network of the recipe's kind: how many images a method looks at does not depend on it.
Json small_model(const train::Lab& lab) {
  Json model = lab.recipe.model;
  if (is_denoiser(lab)) {
    model.update({{"width", 8},
                  {"multipliers", {1}},
                  {"depth", 1},
                  {"attention", Json::array()},
                  {"resize", 8}});
    return model;
  }
  if (lab.data.shape.size() != 3) return {{"name", "mlp"}, {"widths", {8}}};
  return {{"name", "small_cnn"}, {"width", 2}};
}

/// Images that one run of a method on so many rows trains on.
double method_images(const Variant& variant, const unlearn::UnlearnPlan& method, std::size_t rows) {
  const auto lab = std::make_shared<train::Lab>(*smaller(*variant.lab, rows));
  lab->device = "cpu";
  lab->recipe.model = small_model(*lab);
  lab->recipe.train.precision = "float32";
  const std::filesystem::path folder = lab->recipe.pool.folder;
  lab->recipe.pool = {.folder = folder};
  unlearn::UnlearnPlan plan = method;
  plan.original = 0;
  return run_method(lab, plan).first.facts.at("samples").get<double>();
}

}  // namespace

double unseen_rows(const Variant& variant) {
  const std::size_t rows = variant.lab->split.part("test").size();
  return static_cast<double>(rows - std::min(rows, kLookedAt));
}

Rate probe_training(const Variant& variant, const train::ModelPlan& model, std::size_t workers) {
  const auto copies = static_cast<std::size_t>(model.copies);
  const std::shared_ptr<const train::Lab> lab = with_few_to_look_at(*variant.lab);
  const auto timed = [&](std::size_t rows, int epochs) {
    train::ModelPlan quick = model;
    const std::vector<std::int64_t>& all = quick.rows.list();
    quick.rows = train::SharedRows(
        {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), rows))});
    quick.train.epochs = epochs;
    quick.train.until_accuracy = 0;
    quick.start.clear();
    const std::vector<train::ModelPlan> group(copies, quick);
    const auto one = [&] {
      const auto jobs = train::training_jobs(lab, group);
      return seconds_of([&] { make_quietly(jobs.front()); }) / static_cast<double>(copies);
    };
    std::vector<std::future<double>> beside;
    for (std::size_t worker = 1; worker < workers; ++worker) {
      beside.push_back(std::async(std::launch::async, one));
    }
    double sum = one();
    for (std::future<double>& other : beside) sum += other.get();
    return sum / static_cast<double>(beside.size() + 1);
  };
  // Images of training; a look at the few test rows counts as kLook of one each.
  const auto looked = kLook * static_cast<double>(lab->split.part("test").size());
  const auto used = [&](std::size_t rows, int epochs) {
    return epochs * static_cast<double>(std::min(model.rows.size(), rows)) + looked;
  };
  // The first run pays for the engine's start and counts only if it is long: of a large network two
  // images say enough.
  std::size_t rows = 2;
  const double first = timed(rows, 1);
  if (first >= kEnoughSeconds) return {0, first / used(rows, 1)};
  double before = 0;
  double last = timed(rows *= 4, 2);
  while (last < kEnoughSeconds && rows < kProbeRows) {
    before = last;
    last = timed(rows *= 4, 2);
  }
  if (before == 0 || used(rows, 2) <= used(rows / 4, 2)) return {0, last / used(rows, 2)};
  return line_through(used(rows / 4, 2), before, used(rows, 2), last);
}

Rate probe_method(const Variant& variant, const unlearn::UnlearnPlan& method) {
  const std::size_t most = std::min(variant.lab->split.part("train").size(), kProbeRows);
  std::size_t rows = std::max<std::size_t>(most / 64, 1);
  double last = 0;
  // Some methods refuse so few rows.
  for (bool done = false; !done;) {
    try {
      last = method_seconds(variant, method, rows);
      done = true;
    } catch (const InputError&) {
      if (rows == most) throw;
      rows = most;
    }
  }
  // Two runs at least: a method's own steps may not depend on how many rows there are.
  while (rows < most) {
    const std::size_t fewer = rows;
    const double before = last;
    rows = std::min(most, rows * (last < kEnoughSeconds ? 4 : 2));
    last = method_seconds(variant, method, rows);
    if (last >= kEnoughSeconds || rows == most) {
      return line_through(static_cast<double>(fewer), before, static_cast<double>(rows), last);
    }
  }
  return {0, last / static_cast<double>(rows)};
}

Rate count_images(const Variant& variant, const unlearn::UnlearnPlan& method) {
  const std::size_t all = variant.lab->split.part("train").size();
  const auto counted = [&](std::size_t most) {
    const std::size_t rows = std::min(all, most);
    const double few = method_images(variant, method, rows / 4);
    const double many = method_images(variant, method, rows);
    return line_through(static_cast<double>(rows / 4), few, static_cast<double>(rows), many);
  };
  try {
    return counted(kCountRows);
  } catch (const InputError&) {
    return counted(kCountMore);
  }
}

double collected_rows(const Variant& variant, std::int64_t most) {
  double rows = 0;
  for (const auto& [name, part] : variant.lab->split.parts) {
    if (name == "train" || name == "shadow") continue;
    const std::size_t limit = most > 0 ? static_cast<std::size_t>(most) : part.size();
    rows += static_cast<double>(std::min(part.size(), limit));
  }
  return rows;
}

Rate looking_rate(const Variant& variant, double pass) {
  if (!is_denoiser(*variant.lab)) return {0, pass};
  const auto per_row = static_cast<double>(variant.collect.noise_draws) +
                       static_cast<double>(variant.collect.taps.size());
  return {pass * kPassesOfASample * static_cast<double>(variant.collect.samples), pass * per_row};
}

namespace {

/// The same lab without progress.
std::shared_ptr<const train::Lab> quiet(const train::Lab& lab) {
  auto copy = std::make_shared<train::Lab>(lab);
  copy->context = lab.context.quiet();
  return copy;
}

/// Collects from models that were hardly trained.
class CollectingTrials {
 public:
  explicit CollectingTrials(const Variant& variant) : variant_(variant) {
    const train::ModelPlan& kind = variant.models.front();
    const auto lab = smaller(*variant.lab, kProbeRows / 16);
    train::ModelPlan quick = kind;
    quick.rows = train::SharedRows(lab->split.part("train"));
    quick.start.clear();
    product_ = hasty(lab, quick);
    for (std::int64_t index = 0; index < kCollectModels; ++index) {
      train::ModelPlan model = kind;
      model.role = "original";
      model.index = index;
      model.identity.what["probe"] = index;
      models_.push_back(std::move(model));
    }
  }

  /// Seconds for each of `count` models, of so many rows of each part and so many samples.
  double seconds(std::int64_t rows, std::int64_t count, std::int64_t samples = 0) {
    collect::CollectSettings settings = variant_.collect;
    settings.out = temporary_.folder / "evidence";
    settings.rows = rows;
    settings.checkpoints = false;
    settings.pictures = false;
    settings.samples = samples;
    const std::vector<train::ModelPlan> some(models_.begin(), models_.begin() + count);
    for (const train::ModelPlan& model : some) {
      if (!temporary_.store->has(model.identity.name())) {
        temporary_.store->put(model.identity, product_);
      }
    }
    const double seconds = seconds_of(
        [&] { (void)collect::collect(lab_, some, {}, *temporary_.store, settings, true); });
    return seconds / static_cast<double>(count);
  }

 private:
  const Variant& variant_;
  std::shared_ptr<const train::Lab> lab_ = quiet(*variant_.lab);
  pool::Product product_;
  TemporaryStore temporary_;
  std::vector<train::ModelPlan> models_;
};

/// Rows alone.
Rate probe_rows(const Variant& variant, CollectingTrials& trials) {
  const std::int64_t most =
      variant.collect.rows > 0 ? std::min(variant.collect.rows, kCollectRows) : kCollectRows;
  const std::int64_t least = std::max<std::int64_t>(most / 8, 1);
  const double first = trials.seconds(least, 1);
  if (first >= kEnoughSeconds) return {0, first / collected_rows(variant, least)};
  const double few = collected_rows(variant, std::max<std::int64_t>(most / 4, 1));
  const double many = collected_rows(variant, most);
  const double small = trials.seconds(std::max<std::int64_t>(most / 4, 1), kCollectModels);
  if (small * static_cast<double>(kCollectModels) >= kEnoughSeconds) return {0, small / few};
  const double large = trials.seconds(most, kCollectModels);
  if (many <= few) return {0, large / many};
  return line_through(few, small, many, large);
}

/// Seconds of all samples of one model, on the line through one and a few: pictures are made
/// together, and of one alone most of the time goes into calling the network.
double probe_samples(const Variant& variant, CollectingTrials& trials) {
  const std::int64_t all = variant.collect.samples;
  if (all == 0 || !is_denoiser(*variant.lab)) return 0;
  const double without = trials.seconds(1, kCollectModels);
  const auto taken = [&](std::int64_t samples) {
    return std::max(0.0, trials.seconds(1, kCollectModels, samples) - without);
  };
  const double one = taken(1);
  if (all == 1) return one;
  const std::int64_t few = std::min(all, kFewSamples);
  return line_through(1, one, static_cast<double>(few), taken(few))
      .seconds(static_cast<double>(all));
}

}  // namespace

Rate probe_collecting(const Variant& variant) {
  if (variant.models.empty()) return {};
  CollectingTrials trials(variant);
  Rate rate = probe_rows(variant, trials);
  rate.fixed += probe_samples(variant, trials);
  return rate;
}

}  // namespace vestige::experiment
