// Seif (competition, A.4).
#include "vestige/unlearn/methods/competition/seif.h"

#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/layers_of.h"
#include "vestige/unlearn/parts/limits.h"

namespace vestige::unlearn {
namespace {

constexpr double kWeight = 1.0;
constexpr double kOtherWeight = 0.05;

struct SeifSettings {
  double noise = 0;
  double last_noise = 0;
  double weight = 0;
  double other_weight = 0;
  bool all_layers = true;
  train::Phase phase;
};

SeifSettings read_seif(Options& options) {
  SeifSettings settings;
  settings.noise = read_not_negative(options, "noise", 0.6);
  settings.last_noise = read_not_negative(options, "last_noise", 0.005);
  settings.weight = read_not_negative(options, "majority_weight", kWeight);
  settings.other_weight = read_not_negative(options, "other_weight", kOtherWeight);
  settings.all_layers = options.choice("layers", "all", {"all", "first"}) == "all";
  settings.phase =
      read_phase(options, {.epochs = 4, .batch = 64, .rate = 0.0007, .schedule = "cosine"});
  return settings;
}

std::vector<torch::Tensor> noised(const models::Network& network, bool all_layers) {
  std::vector<torch::Tensor> weights;
  for (const WeightLayer& layer : convolutions(network)) {
    weights.push_back(layer.weight);
    if (!all_layers) break;
  }
  return weights;
}

/// Its own objective, or another repair's at the same mean rate (competition, A.10).
Outcome run_seif(Problem& problem, const SeifSettings& settings, const MakeRepair& other) {
  const double own_factor =
      mean_weight(problem.samples, problem.retain, settings.weight, settings.other_weight);
  Repair repair{majority_cross_entropy(majority_class(problem.samples, problem.retain),
                                       settings.weight, settings.other_weight),
                own_factor};
  if (other) repair = other(problem);
  const std::vector<torch::Tensor> weights = noised(problem.network, settings.all_layers);
  Stream first(problem.seed, "seif/noise", 0), last(problem.seed, "seif/noise", 1);
  add_noise(weights, settings.noise, first);

  train::Phase phase = settings.phase;
  phase.purpose = "seif/repair";
  phase.objective = repair.objective;
  phase.optimizer.rate *= own_factor / repair.mean_rate_factor;
  phase.before_epoch = [&](const train::Step& step) {
    const bool last_epoch = step.step + step.steps_per_epoch >= step.total_steps;
    if (last_epoch && step.epoch > 0) add_noise(weights, settings.last_noise, last);
  };
  Outcome outcome;
  outcome.cost = run_phase(problem.network, problem.samples, problem.retain, problem.seed, phase,
                           problem.watch);
  outcome.facts = {{"mean_weight", own_factor}, {"repair_rate", phase.optimizer.rate}};
  return outcome;
}

}  // namespace

std::int64_t majority_class(const train::Samples& samples, const train::Rows& rows) {
  const torch::Tensor counts = samples.class_counts(rows).cpu();
  const float* values = counts.data_ptr<float>();
  std::int64_t best = 0;
  for (std::int64_t label = 1; label < counts.numel(); ++label) {
    if (values[label] > values[best]) best = label;
  }
  return best;
}

train::Objective majority_cross_entropy(std::int64_t majority, double weight, double other_weight) {
  return [=](models::Network& network, const train::Batch& batch, const train::Step&) {
    const torch::Tensor logits = network.forward(batch.inputs);
    const torch::Tensor each =
        -torch::log_softmax(logits, -1).gather(-1, batch.labels.unsqueeze(-1)).squeeze(-1);
    const torch::Tensor weights =
        batch.labels.eq(majority).to(each.scalar_type()) * (weight - other_weight) + other_weight;
    return train::Losses{(weights * each).mean(1), logits};
  };
}

double mean_weight(const train::Samples& samples, const train::Rows& rows, double weight,
                   double other_weight) {
  const double share = samples.class_counts(rows)[majority_class(samples, rows)].item<double>() /
                       static_cast<double>(rows.size());
  return share * weight + (1 - share) * other_weight;
}

Repair seif_repair(Problem& problem) {
  return {majority_cross_entropy(majority_class(problem.samples, problem.retain), kWeight,
                                 kOtherWeight),
          mean_weight(problem.samples, problem.retain, kWeight, kOtherWeight)};
}

Run prepare_seif(Options& options, const MakeRepair& repair) {
  const SeifSettings settings = read_seif(options);
  return [settings, repair](Problem& problem) { return run_seif(problem, settings, repair); };
}

Method seif() {
  return {
      .id = "seif",
      .summary = "noise on the convolutions, then cross-entropy weighted for the majority class",
      .source = "competition, A.4 and A.7.2",
      .needs = {.convolutions = true},
      .presets = {{"casia_surf", {{"noise", 0.6}, {"rate", 0.0007}, {"epochs", 4}}},
                  // Plain cross-entropy there: the weights were made for CASIA-SURF's classes.
                  {"femnist",
                   {{"noise", 0.6}, {"rate", 0.001}, {"epochs", 5}, {"other_weight", 1}}}},
      .prepare = [](Options& options) { return prepare_seif(options, {}); }};
}

}  // namespace vestige::unlearn
