// From a recipe's probes to pool jobs.
#include "vestige/unlearn/probing.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/base/text.h"
#include "vestige/models/weights/checkpoint.h"
#include "vestige/train/evaluate.h"
#include "vestige/train/training.h"
#include "vestige/train/workshop.h"
#include "vestige/unlearn/treatments.h"

namespace vestige::unlearn {
namespace {

/// Raised when a probe gives other bytes for the same settings.
constexpr int kProbeCodeVersion = 1;

const Probe& find_probe(const std::string& name) {
  std::vector<std::string> known;
  for (const Probe& probe : probe_table()) {
    if (probe.id == name) return probe;
    known.push_back(probe.id);
  }
  fail("the recovery test '{}' is not known: did you mean '{}'? Known are {}", name,
       nearest(name, known), fmt::join(known, ", "));
}

ProbeChoice read_probe(const Json& entry, const std::string& where) {
  Json table = entry.is_string() ? Json{{"name", entry}} : entry;
  require(table.is_object() && table.contains("name") && table.at("name").is_string(),
          "{}: a recovery test is a name in quotes or a table with 'name'", where);
  ProbeChoice choice;
  choice.name = table.at("name").get<std::string>();
  const Probe& probe = find_probe(choice.name);
  choice.label = choice.name;
  if (table.contains("label")) {
    require(table.at("label").is_string(), "{}: label must be text in quotes", where);
    choice.label = table.at("label").get<std::string>();
  }
  // A point would be taken for a stage.
  require(!choice.label.empty() && choice.label.find_first_of("/.") == std::string::npos,
          "{}: the label '{}' must be a plain folder name without a point", where, choice.label);
  table.erase("name");
  table.erase("label");
  Options options(table, fmt::format("{}: {}", where, choice.name));
  const PreparedProbe prepared = probe.prepare(options);
  options.finish();
  choice.options = options.used();
  choice.stages = prepared.stages;
  choice.shown = prepared.shown;
  choice.images = prepared.images;
  return choice;
}

/// The same rows for all models: ascending.
std::vector<std::int64_t> shown_rows(const train::Lab& lab, const ProbeChoice& probe) {
  const train::Rows& forget = lab.split.part("forget");
  require(probe.shown + 2 <= static_cast<std::int64_t>(forget.size()),
          "{}: recovery test {} trains on {} of {} forget examples: leave at least two to measure",
          lab.recipe.path.string(), probe.label, probe.shown, forget.size());
  std::vector<std::int64_t> rows;
  Stream stream(lab.recipe.seed, "probe/shown");
  for (const std::size_t place :
       stream.sample(forget.size(), static_cast<std::size_t>(probe.shown))) {
    rows.push_back(forget[place]);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

struct ProbeParts {
  std::shared_ptr<train::Workshop> workshop;
  std::shared_ptr<pool::Store> store;
  ProbePlan plan;
};

pool::Product apply_probe(const ProbeParts& parts,
                          const std::function<void(const pool::Report&)>& report) {
  train::Workshop& workshop = *parts.workshop;
  const train::Lab& lab = workshop.lab();
  const ProbePlan& plan = parts.plan;
  train::prepare_engine(lab.device, lab.recipe.train.threads);
  models::NetworkPointer network = workshop.network(plan.model);
  models::load(*network, 0, parts.store->read(plan.before, "model.safetensors"), plan.before);
  const auto start = std::chrono::steady_clock::now();
  pool::Product product;
  train::Watch watch{.report = report, .total_images = plan.probe.images};
  Patient patient{.network = *network,
                  .samples = workshop.samples(),
                  .retain = lab.split.part("retain"),
                  .shown = plan.shown,
                  .seed = plan.identity.what.at("seed").get<std::uint64_t>(),
                  .watch = watch};
  Options options(plan.probe.options, plan.identity.label);
  find_probe(plan.probe.name).prepare(options).treat(patient, [&](std::int64_t steps) {
    product.files[stage_file(steps)] = models::save(*network, 0);
  });
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const torch::Tensor& parameter : network->parameters()) {
    require(torch::isfinite(parameter).all().item<bool>(),
            "{}: a weight is not finite after the recovery test: use a smaller rate",
            plan.identity.label);
  }
  // The end of a probe with stages is its last stage.
  if (plan.probe.stages.empty()) product.files[stage_file(0)] = models::save(*network, 0);
  const auto accuracy = [&](const train::Rows& rows) {
    return json_number(train::accuracy(*network, workshop.samples(), rows));
  };
  // Retain rows are many and say little here: looking at them would cost more than most probes.
  product.facts = {{"accuracy",
                    {{"forget", accuracy(lab.split.part("forget"))},
                     {"test", accuracy(lab.split.part("test"))}}},
                   {"seconds", seconds},
                   {"engine", train::engine_name()}};
  return product;
}

}  // namespace

std::string stage_file(std::int64_t steps) {
  return steps == 0 ? "model.safetensors" : fmt::format("steps-{}.safetensors", steps);
}

std::string stage_label(const ProbeChoice& probe, std::int64_t steps) {
  return steps == 0 ? probe.label : fmt::format("{}.{}", probe.label, steps);
}

std::vector<ProbeChoice> chosen_probes(const train::Recipe& recipe,
                                       const std::vector<std::string>& only) {
  const std::string where = recipe.path.string() + ": probes";
  const Json entries = recipe.table.value("probes", Json::array());
  require(entries.is_array(), "{}: it must be a list of names or [[probes]] tables", where);
  std::vector<ProbeChoice> all;
  for (const Json& entry : entries) {
    all.push_back(read_probe(entry, where));
    const auto same = std::count_if(all.begin(), all.end(), [&](const ProbeChoice& choice) {
      return choice.label == all.back().label;
    });
    require(same == 1, "{}: two entries are called '{}': give each a label", where,
            all.back().label);
  }
  if (only.empty()) return all;
  std::vector<ProbeChoice> result;
  for (const std::string& name : only) {
    const auto known = std::find_if(
        all.begin(), all.end(), [&](const ProbeChoice& choice) { return choice.label == name; });
    result.push_back(known != all.end() ? *known : read_probe(Json(name), "--recovery-tests"));
  }
  return result;
}

std::vector<ProbePlan> plan_probes(const train::Lab& lab,
                                   const std::vector<train::ModelPlan>& models,
                                   const std::vector<UnlearnPlan>& unlearned,
                                   const std::vector<ProbeChoice>& probes) {
  std::vector<ProbePlan> plans;
  for (const ProbeChoice& probe : probes) {
    const std::vector<std::int64_t> shown =
        probe.shown > 0 ? shown_rows(lab, probe) : std::vector<std::int64_t>();
    const auto add = [&](const std::string& id, const pool::Identity& before, const Json& model,
                         std::int64_t index) {
      ProbePlan plan{.probe = probe,
                     .id = id,
                     .before = before.name(),
                     .model = model,
                     .index = index,
                     .shown = shown,
                     .identity = {}};
      plan.identity.label = fmt::format("probed/{}/{}", probe.label, id);
      plan.identity.what = {{"kind", "probed"},
                            {"code", kProbeCodeVersion},
                            {"before", plan.before},
                            {"method", probe.name},
                            {"options", probe.options},
                            {"shown", shown},
                            {"seed", train::model_seed(lab.recipe.seed, "probe", index)},
                            {"device", lab.device},
                            {"threads", lab.recipe.train.threads},
                            {"dataset", lab.data.name},
                            {"architecture", model.at("name")},
                            {"model", before.what.at("model")}};
      if (!probe.stages.empty()) plan.identity.what["stages"] = probe.stages;
      // Which rows are kept is known from the model itself, but the treatment may train on them.
      if (probe.images > 0 && probe.shown == 0) {
        plan.identity.what["retain"] = lab.split.sha256;
      }
      plans.push_back(std::move(plan));
    };
    for (const train::ModelPlan& model : models) {
      if (model.role != "original" && model.role != "retrained") continue;
      add(model.identity.label, model.identity, model.model, model.index);
    }
    for (const UnlearnPlan& plan : unlearned) {
      if (!plan.purpose.empty()) continue;
      add(fmt::format("unlearned/{}/{}", plan.method.label, plan.name), plan.identity,
          plan.identity.what.at("model"), plan.original);
    }
  }
  return plans;
}

std::vector<pool::Job> probing_jobs(std::shared_ptr<const train::Lab> lab,
                                    const std::vector<ProbePlan>& plans,
                                    std::shared_ptr<pool::Store> store) {
  auto workshop = std::make_shared<train::Workshop>(std::move(lab));
  std::vector<pool::Job> jobs;
  for (const ProbePlan& plan : plans) {
    pool::Job job;
    job.models = {plan.identity};
    job.images = plan.probe.images;
    job.needs = {plan.before};
    job.make = [parts = ProbeParts{workshop, store, plan}](const auto& report) {
      return std::vector<pool::Product>{apply_probe(parts, report)};
    };
    jobs.push_back(std::move(job));
  }
  return jobs;
}

std::string probes_text() {
  std::string text;
  for (const Probe& probe : probe_table()) {
    Options options(Json::object(), probe.id);
    (void)probe.prepare(options);
    text += fmt::format("  {:<10} {}\n", probe.id, probe.summary);
    std::vector<std::string> defaults;
    for (const auto& [key, value] : options.used().items()) {
      defaults.push_back(fmt::format("{} = {}", key, value.dump()));
    }
    if (!defaults.empty()) text += fmt::format("  {:<10}   {}\n", "", fmt::join(defaults, ", "));
  }
  return text;
}

}  // namespace vestige::unlearn
