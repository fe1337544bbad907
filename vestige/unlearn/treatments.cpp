// The probes.
#include "vestige/unlearn/treatments.h"

#include <algorithm>

#include "vestige/base/error.h"
#include "vestige/models/weights/treated_weights.h"
#include "vestige/train/batches/samples.h"
#include "vestige/train/optimizer.h"

namespace vestige::unlearn {
namespace {

/// Matrices and kernels [1, out, ...]; biases and norms have no second dimension of their own.
std::vector<std::pair<std::string, torch::Tensor>> weights_of(models::Network& network) {
  std::vector<std::pair<std::string, torch::Tensor>> found;
  for (const auto& named : network.named_parameters()) {
    if (named.value().dim() >= 3) found.emplace_back(named.key(), named.value());
  }
  return found;
}

/// The learning options of a probe; how many steps it takes is set later.
train::Phase read_steps(Options& options, double rate, std::int64_t batch) {
  train::Phase phase;
  phase.batch = options.integer("batch", batch);
  if (phase.batch < 2) options.wrong("batch", "it must be at least 2");
  train::OptimizerSettings defaults;
  defaults.kind = "sgd";
  defaults.rate = rate;
  defaults.momentum = 0.9;
  defaults.weight_decay = 0;
  phase.optimizer = train::read_optimizer(options, defaults);
  phase.purpose = "probe";
  return phase;
}

/// `steps` steps of a phase; the last round is cut.
void take_steps(Patient& patient, const train::Rows& rows, train::Phase phase, std::int64_t steps) {
  const auto count = static_cast<std::int64_t>(rows.size());
  const std::int64_t per_epoch = std::max<std::int64_t>(1, (count + phase.batch - 2) / phase.batch);
  phase.epochs = static_cast<double>(steps) / static_cast<double>(per_epoch);
  train::run_phase(patient.network, patient.samples, rows, patient.seed, phase, patient.watch);
}

PreparedProbe prepare_finetune(Options& options) {
  const train::Phase phase = read_steps(options, 0.02, 64);
  const std::int64_t steps = options.integer("steps", 50);
  if (steps < 1) options.wrong("steps", "at least one step is needed");
  return {.treat = [phase, steps](
                       Patient& patient,
                       const KeepStage&) { take_steps(patient, patient.retain, phase, steps); },
          .stages = {},
          .images = static_cast<double>(steps * phase.batch)};
}

PreparedProbe prepare_relearn(Options& options) {
  train::Phase phase = read_steps(options, 0.01, 32);
  // Running statistics of a few rows would be another treatment.
  phase.evaluation_mode = true;
  const std::int64_t rows = options.integer("rows", 50);
  if (rows < 2) options.wrong("rows", "train on at least two forget examples");
  std::vector<std::int64_t> stages = options.integers("steps", {1, 2, 4, 8, 16, 32});
  if (stages.empty() || stages.front() < 1 || !std::is_sorted(stages.begin(), stages.end()) ||
      std::adjacent_find(stages.begin(), stages.end()) != stages.end()) {
    options.wrong("steps", "give whole numbers above 0 in ascending order, for example [1, 4, 16]");
  }
  return {.treat =
              [phase, stages](Patient& patient, const KeepStage& keep) {
                train::Phase watched = phase;
                watched.after_step = [&](const train::Step& step) {
                  if (std::binary_search(stages.begin(), stages.end(), step.step + 1)) {
                    keep(step.step + 1);
                  }
                };
                take_steps(patient, patient.shown, watched, stages.back());
              },
          .stages = stages,
          .shown = rows,
          .images = static_cast<double>(stages.back() * phase.batch)};
}

PreparedProbe prepare_rounding(std::int64_t bits) {
  return {
      .treat = [bits](Patient& patient, const KeepStage&) { round_weights(patient.network, bits); },
      .stages = {}};
}

PreparedProbe prepare_prune(Options& options) {
  const double share = options.number("share", 0.5);
  if (!(share > 0 && share < 1)) options.wrong("share", "it must lie between 0 and 1");
  return {.treat = [share](Patient& patient,
                           const KeepStage&) { prune_weights(patient.network, share); },
          .stages = {}};
}

PreparedProbe prepare_noise(Options& options) {
  const double scale = options.number("scale", 0.1);
  if (!(scale > 0)) options.wrong("scale", "it must be above 0");
  return {
      .treat = [scale](Patient& patient,
                       const KeepStage&) { shake_weights(patient.network, scale, patient.seed); },
      .stages = {}};
}

}  // namespace

void round_weights(models::Network& network, std::int64_t bits) {
  for (const auto& [name, weight] : weights_of(network)) models::round_channels(weight, 2, bits);
}

void prune_weights(models::Network& network, double share) {
  std::vector<torch::Tensor> weights;
  for (const auto& [name, weight] : weights_of(network)) weights.push_back(weight);
  models::zero_smallest(weights, share);
}

void shake_weights(models::Network& network, double scale, std::uint64_t seed) {
  const torch::NoGradGuard no_gradient;
  for (const auto& [name, weight] : weights_of(network)) {
    Stream stream(seed, "probe/noise/" + name);
    const torch::Tensor noise = train::normal_tensor(weight.sizes(), stream, weight.device());
    weight.add_(noise * (scale * weight.std().item<double>()));
  }
}

const std::vector<Probe>& probe_table() {
  static const std::vector<Probe> kTable = {
      {"finetune", "a few steps on the retain examples, as any later training would take",
       "docs/lab/probes.md", prepare_finetune},
      {"relearn", "steps on a few forget examples; the others are measured",
       "Chundawat et al. 2023 (anamnesis index); Hu et al. 2024 (arXiv 2406.13356)",
       prepare_relearn},
      {"int8", "weights quantised to 8 bits, one scale per output channel",
       "Zhang et al. 2024 (arXiv 2410.16454)", [](Options&) { return prepare_rounding(8); }},
      {"int4", "weights quantised to 4 bits, one scale per output channel",
       "Zhang et al. 2024 (arXiv 2410.16454)", [](Options&) { return prepare_rounding(4); }},
      {"prune", "the smallest weights of the whole network set to 0", "Han et al. 2015",
       prepare_prune},
      {"noise", "normal noise on the weights, in proportion to each tensor's spread",
       "docs/lab/probes.md", prepare_noise},
  };
  return kTable;
}

}  // namespace vestige::unlearn
