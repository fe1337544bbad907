// The probes of language models: reading, listing, treating.
#include "vestige/language/probes.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/base/text.h"
#include "vestige/language/treatment.h"
#include "vestige/models/weights/treated_weights.h"
#include "vestige/train/batches/samples.h"

namespace vestige::language {
namespace {

/// A treatment with its options settled.
struct Prepared {
  std::function<Cost(Patient&, const std::function<void(std::int64_t)>& keep)> treat;
  std::vector<std::int64_t> stages{};  ///< steps at which models are kept; empty: at the end
  std::int64_t shown = 0;              ///< forget sequences that it trains on
  double sequences = 0;                ///< seen by steps
};

struct Probe {
  std::string id, summary;
  std::function<Prepared(Options&)> prepare;
};

/// Matrices alone: biases, norms and positions in one dimension stay.
std::vector<torch::Tensor> matrices_of(const Network& network) {
  std::vector<torch::Tensor> found;
  for (const auto& [name, weight] : network.weights()) {
    if (weight.dim() == 2) found.push_back(weight.detach());
  }
  return found;
}

Prepared prepare_finetune(Options& options) {
  StageSettings stage =
      read_stage(options, {.batch = 16, .rate = 5e-4, .warmup = 0, .weight_decay = 0});
  stage.steps = options.integer("steps", 30);
  if (stage.steps < 1) options.wrong("steps", "at least one step is needed");
  return {.treat =
              [stage](Patient& patient, const auto&) {
                return fit(patient.network, patient.retain, stage, patient.seed, "language/probe",
                           patient.watch);
              },
          .sequences = static_cast<double>(stage.steps * stage.batch)};
}

Prepared prepare_relearn(Options& options) {
  StageSettings stage =
      read_stage(options, {.batch = 8, .rate = 5e-4, .warmup = 0, .weight_decay = 0});
  const std::int64_t rows = options.integer("rows", 20);
  if (rows < 2) options.wrong("rows", "train on at least two forget sequences");
  const std::vector<std::int64_t> stages = options.integers("steps", {1, 2, 4, 8, 16, 32});
  if (stages.empty() || stages.front() < 1 || !std::is_sorted(stages.begin(), stages.end()) ||
      std::adjacent_find(stages.begin(), stages.end()) != stages.end()) {
    options.wrong("steps", "give whole numbers above 0 in ascending order, for example [1, 4, 16]");
  }
  stage.steps = stages.back();
  return {.treat =
              [stage, stages](Patient& patient, const auto& keep) {
                return fit(patient.network, patient.shown, stage, patient.seed, "language/probe",
                           patient.watch, [&](std::int64_t step) {
                             if (std::binary_search(stages.begin(), stages.end(), step)) keep(step);
                           });
              },
          .stages = stages,
          .shown = rows,
          .sequences = static_cast<double>(stage.steps * stage.batch)};
}

/// A treatment that takes no step.
Prepared at_once(const std::function<void(Patient&)>& change) {
  return {.treat = [change](Patient& patient, const auto&) {
    const torch::NoGradGuard no_gradient;
    const auto start = std::chrono::steady_clock::now();
    change(patient);
    return Cost{0, 0,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
  }};
}

Prepared prepare_rounding(std::int64_t bits) {
  return at_once([bits](Patient& patient) {
    for (const torch::Tensor& weight : matrices_of(patient.network)) {
      models::round_channels(weight, 1, bits);
    }
  });
}

Prepared prepare_prune(Options& options) {
  const double share = options.number("share", 0.3);
  if (!(share > 0 && share < 1)) options.wrong("share", "it must lie between 0 and 1");
  return at_once(
      [share](Patient& patient) { models::zero_smallest(matrices_of(patient.network), share); });
}

Prepared prepare_noise(Options& options) {
  const double scale = options.number("scale", 0.1);
  if (!(scale > 0)) options.wrong("scale", "it must be above 0");
  return at_once([scale](Patient& patient) {
    for (const auto& [name, weight] : patient.network.weights()) {
      if (weight.dim() != 2) continue;
      Stream stream(patient.seed, "probe/noise/" + name);
      torch::Tensor own = weight.detach();
      const torch::Tensor noise = train::normal_tensor(own.sizes(), stream, own.device());
      own.add_(noise * (scale * own.std().item<double>()));
    }
  });
}

const std::vector<Probe>& probe_table() {
  static const std::vector<Probe> all = {
      {"finetune", "a few steps on retained sequences, as any later training would take",
       prepare_finetune},
      {"relearn", "steps on a few forget sequences; the others are what is looked at",
       prepare_relearn},
      {"int8", "matrices quantised to 8 bits, one scale per row",
       [](Options&) { return prepare_rounding(8); }},
      {"int4", "matrices quantised to 4 bits, one scale per row",
       [](Options&) { return prepare_rounding(4); }},
      {"prune", "the smallest weights of all matrices set to 0", prepare_prune},
      {"noise", "normal noise on the matrices, in proportion to each one's spread", prepare_noise},
  };
  return all;
}

const Probe& find_probe(const std::string& name, const std::string& where) {
  std::vector<std::string> known;
  for (const Probe& probe : probe_table()) {
    if (probe.id == name) return probe;
    known.push_back(probe.id);
  }
  fail("{}: the recovery test '{}' is not known: did you mean '{}'? Known are {}", where, name,
       nearest(name, known), fmt::join(known, ", "));
}

ProbeSettings read_probe(const Json& entry, const std::string& where) {
  Json table = entry.is_string() ? Json{{"name", entry}} : entry;
  require(table.is_object() && table.contains("name") && table.at("name").is_string(),
          "{}: a recovery test is a name in quotes or a table with 'name'", where);
  ProbeSettings settings;
  settings.name = table.at("name").get<std::string>();
  const Probe& probe = find_probe(settings.name, where);
  settings.label = table.value("label", settings.name);
  // A point would be taken for a stage.
  require(!settings.label.empty() && settings.label.find_first_of("/.") == std::string::npos,
          "{}: the label '{}' must be a plain folder name without a point", where, settings.label);
  table.erase("name");
  table.erase("label");
  Options options(table, fmt::format("{}: {}", where, settings.name));
  const Prepared prepared = probe.prepare(options);
  options.finish();
  settings.options = options.used();
  settings.stages = prepared.stages;
  settings.shown = prepared.shown;
  settings.sequences = prepared.sequences;
  return settings;
}

}  // namespace

std::vector<ProbeSettings> read_probes(const Json& list, const std::string& where) {
  require(list.is_array(), "{}: write a list of names or [[probes]] tables", where);
  std::vector<ProbeSettings> all;
  for (const Json& entry : list) {
    ProbeSettings probe = read_probe(entry, where);
    for (const ProbeSettings& other : all) {
      require(other.label != probe.label, "{}: two recovery tests are called {}: give one a label",
              where, probe.label);
    }
    all.push_back(std::move(probe));
  }
  return all;
}

std::string stage_label(const ProbeSettings& probe, std::int64_t steps) {
  return steps == 0 ? probe.label : fmt::format("{}.{}", probe.label, steps);
}

std::string stage_file(std::int64_t steps) {
  return steps == 0 ? "model.safetensors" : fmt::format("steps-{}.safetensors", steps);
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

Cost treat(const ProbeSettings& probe, Patient& patient,
           const std::function<void(std::int64_t)>& keep) {
  Options options(probe.options, probe.label);
  return find_probe(probe.name, probe.label).prepare(options).treat(patient, keep);
}

}  // namespace vestige::language
