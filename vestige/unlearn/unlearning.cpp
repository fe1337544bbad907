// From a recipe's methods to pool jobs.
#include "vestige/unlearn/unlearning.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/base/sha256.h"
#include "vestige/models/kinds.h"
#include "vestige/models/weights/checkpoint.h"
#include "vestige/train/denoising.h"
#include "vestige/train/evaluate.h"
#include "vestige/train/training.h"
#include "vestige/train/workshop.h"
#include "vestige/unlearn/table.h"

namespace vestige::unlearn {
namespace {

/// Raised when a method gives other bytes for the same settings.
constexpr int kCodeVersion = 1;

using ReportFunction = std::function<void(const pool::Report&)>;

std::string hash_of(const std::vector<std::int64_t>& rows) {
  return sha256(std::as_bytes(std::span(rows)));
}

void check_needs(const train::Lab& lab, const MethodChoice& choice) {
  const Needs needs = find_method(choice.name).needs;
  const std::string where = lab.recipe.path.string();
  require(!needs.validation || !lab.split.part("validation").empty(),
          "{}: {} needs validation examples: give [split] validation a number", where, choice.name);
  require(!needs.class_forgetting || lab.split.options.at("forget").at("kind") == "class",
          "{}: {} forgets whole classes: use it with [forget] kind = \"class\"", where,
          choice.name);
  require(!needs.training_log || lab.recipe.train.log_forget_updates,
          "{}: {} needs a training log: set [train] log_forget_updates = true and train again",
          where, choice.name);
  const std::string model = lab.recipe.model.at("name").get<std::string>();
  require(!needs.convolutions || (model != "mlp" && model != "vit"),
          "{}: {} works on convolutions, which {} has not: choose another architecture", where,
          choice.name, model);
  const bool denoiser = models::is_denoiser(model);
  require(!needs.denoiser || denoiser,
          "{}: {} works on networks that take noise away (unet), and {} classifies: choose "
          "random_label for it, or [model] name = \"unet\"",
          where, choice.name, model);
  require(!denoiser || needs.denoiser || !needs.logits,
          "{}: {} works on classifiers, and {} takes noise away: choose retrain, partial_retrain, "
          "finetune, gradient_ascent, random_targets or identity for it",
          where, choice.name, model);
}

/// Mean seconds of the retrained models that are in the store; NaN if there are none.
double retraining_seconds(const pool::Store& store, const std::vector<std::string>& names) {
  double sum = 0;
  int count = 0;
  for (const std::string& name : names) {
    if (const auto entry = store.find(name)) {
      sum += entry->facts.at("seconds").get<double>();
      ++count;
    }
  }
  return count > 0 ? sum / count : std::nan("");
}

struct JobParts {
  std::shared_ptr<train::Workshop> workshop;
  std::shared_ptr<pool::Store> store;
  UnlearnSettings settings;
  UnlearnPlan plan;
  train::ModelPlan original;
  std::vector<std::string> retrained;
};

/// Role of the model that a plan starts from.
std::string origin_of(const std::string& purpose) {
  return purpose == "calibration_shadow" ? "calibration_original" : "original";
}

/// Who is forgotten, and what is kept. Shadow calibration forgets the calibration rows and keeps
/// all that the original was trained on.
struct Sides {
  const train::Rows& forget;
  const train::Rows& retain;
};
Sides sides_of(const train::Lab& lab, const std::string& purpose) {
  const bool usual = purpose.empty();
  return {lab.split.part(usual ? "forget" : "calibration"),
          lab.split.part(usual ? "retain" : "train")};
}

/// Accuracies after each epoch, seen through the loop's watch.
class History {
 public:
  History(train::Workshop& workshop, const models::Network& network, const Sides& sides)
      : workshop_(workshop), network_(network), sides_(sides) {}

  void attach(train::Watch& watch) {
    watch.after_epoch = [this](models::Network& network) {
      // Helpers that a method trains on the side are not its result.
      if (&network == &network_) look(network);
    };
  }

  void look(models::Network& network) {
    const auto add = [&](const char* part, const train::Rows& rows) {
      points_[part].push_back(json_number(train::accuracy(network, workshop_.samples(), rows)));
    };
    add("retain", sides_.retain);
    add("forget", sides_.forget);
    add("test", workshop_.lab().split.part("test"));
  }

  const Json& points() const { return points_; }

 private:
  train::Workshop& workshop_;
  const models::Network& network_;
  Sides sides_;
  Json points_ = Json::object();
};

/// Probabilities [rows, classes] on the CPU.
torch::Tensor answers_on(models::Network& network, train::Workshop& workshop,
                         const train::Rows& rows) {
  return torch::softmax(train::logits_of(network, workshop.samples(), rows)[0], -1).cpu();
}

pool::Product make(const JobParts& parts, const ReportFunction& report) {
  train::Workshop& workshop = *parts.workshop;
  const train::Lab& lab = workshop.lab();
  train::prepare_engine(lab.device, parts.original.train);
  const std::string original = parts.original.identity.name();
  models::NetworkPointer network = workshop.network(parts.original.model);
  models::load(*network, 0, parts.store->read(original, "model.safetensors"), original);

  const double retraining = retraining_seconds(*parts.store, parts.retrained);
  const auto start = std::chrono::steady_clock::now();
  train::Watch watch;
  const auto elapsed = [start, &watch] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() -
           watch.looking_seconds;
  };
  const Sides sides = sides_of(lab, parts.plan.purpose);
  History history(workshop, *network, sides);
  if (parts.settings.history) history.attach(watch);
  watch.report = [&](const pool::Report& state) {
    require(!parts.settings.enforce_cutoff || !(elapsed() > parts.settings.cutoff * retraining),
            "{} ran {:.1f} s, over {:g} of retraining's {:.1f} s: raise [unlearn] cutoff or set "
            "enforce_cutoff = false",
            parts.plan.identity.label, elapsed(), parts.settings.cutoff, retraining);
    if (report) report(state);
  };
  Problem problem{
      .network = *network,
      .samples = workshop.samples(),
      .retain = sides.retain,
      .forget = sides.forget,
      .validation = lab.split.part("validation"),
      .seed = parts.plan.identity.what.at("seed").get<std::uint64_t>(),
      .original_seed = parts.original.seed,
      .training = parts.original.train,
      .forget_options = lab.split.options.at("forget"),
      .make_network = [&] { return workshop.network(parts.original.model); },
      .original_file = [&](const std::string& file) { return parts.store->read(original, file); },
      .watch = watch,
      .model = parts.original.model};
  const bool classifier = models::as_denoiser(*network) == nullptr;
  const torch::Tensor before =
      classifier ? answers_on(*network, workshop, sides.forget) : torch::Tensor{};
  Options options(parts.plan.method.options, parts.plan.identity.label);
  Outcome outcome = find_method(parts.plan.method.name).prepare(options)(problem);
  const double seconds = outcome.seconds.value_or(elapsed());

  for (const torch::Tensor& parameter : network->parameters()) {
    require(torch::isfinite(parameter).all().item<bool>(),
            "{}: a weight is not finite after unlearning: use a smaller rate",
            parts.plan.identity.label);
  }
  pool::Product product;
  product.files["model.safetensors"] = models::save(*network, 0);
  const auto accuracy = [&](const train::Rows& rows) {
    return json_number(train::accuracy(*network, workshop.samples(), rows));
  };
  product.facts = {{"accuracy",
                    {{"train", accuracy(sides.retain)},
                     {"forget", accuracy(sides.forget)},
                     {"test", accuracy(lab.split.part("test"))}}},
                   {"seconds", seconds},
                   {"steps", outcome.cost.steps},
                   {"samples", outcome.cost.samples},
                   {"retraining_seconds", json_number(retraining)},
                   {"time_ratio", json_number(seconds / retraining)},
                   {"cutoff", parts.settings.cutoff},
                   {"method", outcome.facts},
                   {"engine", train::engine_name()}};
  // Mean total variation distance between the probabilities of forget rows before and after.
  if (classifier) {
    const torch::Tensor after = answers_on(*network, workshop, sides.forget);
    product.facts["moved"] = json_number(((after - before).abs().sum(1) / 2).mean().item<double>());
  }
  if (models::Denoiser* const denoiser = models::as_denoiser(*network)) {
    product.facts["loss"] = train::loss_facts(
        *denoiser, workshop.samples(),
        {{"train", sides.retain}, {"forget", sides.forget}, {"test", lab.split.part("test")}});
  }
  if (parts.settings.history) product.facts["history"] = history.points();
  return product;
}

}  // namespace

UnlearnSettings read_unlearn(const train::Recipe& recipe) {
  Options options = recipe.section("unlearn");
  UnlearnSettings settings;
  settings.seeds = options.integer("seeds", settings.seeds);
  if (settings.seeds < 1) options.wrong("seeds", "at least one run is needed");
  settings.cutoff = options.number("cutoff", settings.cutoff);
  settings.enforce_cutoff = options.boolean("enforce_cutoff", settings.enforce_cutoff);
  settings.history = options.boolean("history", settings.history);
  options.finish();
  return settings;
}

std::vector<MethodChoice> chosen_methods(const train::Recipe& recipe,
                                         const std::vector<std::string>& only) {
  const std::string where = recipe.path.string() + ": methods";
  const auto found = recipe.table.find("methods");
  const Json entries = found == recipe.table.end() ? Json::array() : *found;
  require(entries.is_array(), "{}: it must be a list of names or [[methods]] tables", where);
  std::vector<MethodChoice> all;
  for (const Json& entry : entries) {
    all.push_back(read_choice(entry, where));
    const auto same = std::count_if(all.begin(), all.end(), [&](const MethodChoice& choice) {
      return choice.label == all.back().label;
    });
    require(same == 1, "{}: two entries are called '{}': give each a label", where,
            all.back().label);
  }
  if (only.empty()) return all;
  std::vector<MethodChoice> result;
  for (const std::string& name : only) {
    const auto known = std::find_if(
        all.begin(), all.end(), [&](const MethodChoice& choice) { return choice.label == name; });
    result.push_back(known != all.end() ? *known : read_choice(Json(name), "--methods"));
  }
  return result;
}

namespace {

/// Whether a method can forget the calibration rows like the forget rows: what training logged is
/// of the forget rows, and a class is no random draw.
bool calibrates(const MethodChoice& choice) {
  const Needs needs = find_method(choice.name).needs;
  return !needs.training_log && !needs.class_forgetting;
}

/// Hashes that every run of a purpose has in its identity.
struct SideHashes {
  SideHashes(const train::Lab& lab, const std::string& purpose)
      : forget(hash_of(sides_of(lab, purpose).forget)),
        retain(hash_of(sides_of(lab, purpose).retain)),
        validation(hash_of(lab.split.part("validation"))) {}

  std::string forget, retain, validation;
};

UnlearnPlan make_plan(const train::Lab& lab, const UnlearnSettings& settings,
                      const MethodChoice& method, const Json& depends,
                      const train::ModelPlan& model, const std::string& model_name,
                      std::int64_t run, const std::string& purpose, const SideHashes& hashes) {
  UnlearnPlan plan;
  plan.method = method;
  plan.original = model.index;
  plan.run = run;
  plan.purpose = purpose;
  plan.name =
      settings.seeds == 1 ? fmt::format("{}", model.index) : fmt::format("{}.{}", model.index, run);
  plan.identity.label =
      fmt::format("{}/{}/{}", purpose.empty() ? "unlearned" : purpose, method.label, plan.name);
  plan.identity.what = {
      {"kind", "unlearned"},
      {"code", kCodeVersion},
      {"original", model_name},
      {"method", method.name},
      {"options", method.options},
      {"forget", hashes.forget},
      {"retain", hashes.retain},
      {"validation", hashes.validation},
      {"seed", train::model_seed(lab.recipe.seed, fmt::format("unlearn/{}", model.index), run)},
      {"device", lab.device},
      {"threads", model.train.threads},
      {"dataset", lab.data.name},
      {"architecture", model.model.at("name")},
      {"model", model.identity.what.at("model")}};
  if (!depends.empty()) plan.identity.what["depends"] = depends;
  if (model.train.precision != "float32") plan.identity.what["precision"] = model.train.precision;
  if (model.train.deterministic) plan.identity.what["deterministic"] = true;
  // Looking does not change a model, but one without history must not be taken for one with it.
  if (settings.history) plan.identity.what["history"] = true;
  return plan;
}

}  // namespace

std::vector<UnlearnPlan> plan_unlearning(const train::Lab& lab,
                                         const std::vector<train::ModelPlan>& models,
                                         const std::vector<MethodChoice>& methods) {
  const UnlearnSettings settings = read_unlearn(lab.recipe);
  const train::PoolSettings& pool = lab.recipe.pool;
  std::vector<std::string> purposes = {""};
  if (pool.calibration_shadow) purposes.emplace_back("calibration_shadow");
  if (pool.calibration_semi_shadow) purposes.emplace_back("calibration_semi_shadow");
  require(purposes.size() == 1 || !lab.split.part("calibration").empty(),
          "{}: shadow calibration needs calibration examples: give [split] calibration a number",
          lab.recipe.path.string());
  // Once, and not for each of a hundred thousand runs.
  std::vector<SideHashes> hashes;
  std::vector<std::string> names(models.size());
  if (!methods.empty()) {
    for (const std::string& purpose : purposes) hashes.emplace_back(lab, purpose);
    std::transform(models.begin(), models.end(), names.begin(),
                   [](const train::ModelPlan& model) { return model.identity.name(); });
  }
  std::vector<UnlearnPlan> plans;
  for (const MethodChoice& method : methods) {
    check_needs(lab, method);
    const Method found = find_method(method.name);
    const Json depends = found.depends ? found.depends(method.options) : Json::object();
    for (std::size_t place = 0; place < purposes.size(); ++place) {
      const std::string& purpose = purposes[place];
      if (!purpose.empty() && !calibrates(method)) continue;
      const std::string origin = origin_of(purpose);
      for (std::size_t index = 0; index < models.size(); ++index) {
        const train::ModelPlan& model = models[index];
        if (model.role != origin) continue;
        for (std::int64_t run = 0; run < settings.seeds; ++run) {
          plans.push_back(make_plan(lab, settings, method, depends, model, names[index], run,
                                    purpose, hashes[place]));
        }
      }
    }
  }
  return plans;
}

std::vector<pool::Job> unlearning_jobs(std::shared_ptr<const train::Lab> lab,
                                       const std::vector<train::ModelPlan>& models,
                                       const std::vector<UnlearnPlan>& plans,
                                       std::shared_ptr<pool::Store> store) {
  auto workshop = std::make_shared<train::Workshop>(lab);
  const UnlearnSettings settings = read_unlearn(lab->recipe);
  std::vector<std::string> retrained;
  for (const train::ModelPlan& model : models) {
    if (model.role == "retrained") retrained.push_back(model.identity.name());
  }
  require(!settings.enforce_cutoff || !retrained.empty(),
          "{}: the cut-off compares with retraining: give [pool] retrained at least 1",
          lab->recipe.path.string());
  std::vector<pool::Job> jobs;
  for (const UnlearnPlan& plan : plans) {
    const auto original = std::find_if(models.begin(), models.end(), [&](const auto& model) {
      return model.role == origin_of(plan.purpose) && model.index == plan.original;
    });
    pool::Job job;
    job.models = {plan.identity};
    job.images = static_cast<double>(original->rows.size());
    job.needs = {original->identity.name()};
    if (!retrained.empty()) job.needs.push_back(retrained.front());
    const JobParts parts{workshop, store, settings, plan, *original, retrained};
    job.make = [parts](const ReportFunction& report) {
      return std::vector<pool::Product>{make(parts, report)};
    };
    jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace vestige::unlearn
