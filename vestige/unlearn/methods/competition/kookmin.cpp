// Kookmin (competition, A.4).
#include "vestige/unlearn/methods/competition/kookmin.h"

#include <algorithm>

#include "vestige/base/interrupt.h"
#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/divergences.h"
#include "vestige/unlearn/parts/layers_of.h"
#include "vestige/unlearn/parts/limits.h"

namespace vestige::unlearn {
namespace {

struct KookminSettings {
  double share = 0;
  double alpha = 0;
  double kept_scale = 0;
  bool by_layer = true;
  train::Phase phase;
};

KookminSettings read_kookmin(Options& options) {
  KookminSettings settings;
  settings.share = read_share(options, "share", 0.3);
  settings.alpha = read_share(options, "alpha", 0.5);
  settings.kept_scale = read_not_negative(options, "kept_scale", 0.1);
  settings.by_layer = options.choice("ranking", "layer", {"layer", "network"}) == "layer";
  settings.phase = read_phase(options, {.epochs = 5, .batch = 64, .rate = 0.001});
  return settings;
}

/// Adds factor / rows * gradient of the summed cross-entropy to the parameters' gradients.
void accumulate(Problem& problem, const train::Rows& rows, double factor, std::int64_t batch) {
  const auto count = static_cast<std::int64_t>(rows.size());
  for (std::int64_t start = 0; start < count; start += batch) {
    check_interrupt();
    const std::int64_t size = std::min(batch, count - start);
    const train::Batch part = problem.samples.batch(
        std::span(rows).subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(size)));
    const torch::Tensor logits = problem.network.forward(part.inputs);
    const torch::Tensor loss = mean_cross_entropy(torch::log_softmax(logits, -1), part.labels);
    (loss.sum() * (factor * static_cast<double>(size) / static_cast<double>(count))).backward();
  }
}

Outcome run_kookmin(Problem& problem, const KookminSettings& settings, const Repair& repair) {
  const std::vector<WeightLayer> layers = convolutions(problem.network);
  const train::Rows retain = subset(problem.retain,
                                    std::min(1.0, static_cast<double>(problem.forget.size()) /
                                                      static_cast<double>(problem.retain.size())),
                                    problem.seed, "kookmin/retain");
  std::vector<torch::Tensor> sizes =
      neggrad_gradients(problem, retain, settings.alpha, settings.phase.batch);
  for (torch::Tensor& size : sizes) size.abs_();
  std::vector<torch::Tensor> chosen, scales;
  if (settings.by_layer) {
    for (const torch::Tensor& size : sizes) chosen.push_back(lowest(size, settings.share));
  } else {
    chosen = lowest_of_all(sizes, settings.share);
  }
  reinitialise(problem, layers, chosen, seed_for(problem, "kookmin/fresh"));
  std::int64_t count = 0;
  for (const torch::Tensor& mask : chosen) {
    count += mask.sum().item<std::int64_t>();
    scales.push_back(mask.to(torch::kFloat32) * (1 - settings.kept_scale) + settings.kept_scale);
  }

  train::Phase phase = settings.phase;
  phase.purpose = "kookmin/repair";
  phase.objective = repair.objective;
  phase.optimizer.rate /= repair.mean_rate_factor;
  phase.after_backward = [&layers, &scales](const train::Step&) {
    for (std::size_t place = 0; place < layers.size(); ++place) {
      if (layers[place].weight.grad().defined()) layers[place].weight.grad().mul_(scales[place]);
    }
  };
  Outcome outcome;
  outcome.cost = run_phase(problem.network, problem.samples, problem.retain, problem.seed, phase,
                           problem.watch);
  outcome.cost.samples += static_cast<std::int64_t>(retain.size() + problem.forget.size());
  outcome.facts = {{"reinitialised", count}, {"repair_rate", phase.optimizer.rate}};
  return outcome;
}

}  // namespace

std::vector<torch::Tensor> neggrad_gradients(Problem& problem, const train::Rows& retain,
                                             double alpha, std::int64_t batch) {
  models::Network& network = problem.network;
  network.eval();
  network.zero_grad();
  accumulate(problem, retain, alpha, batch);
  accumulate(problem, problem.forget, alpha - 1, batch);
  std::vector<torch::Tensor> gradients;
  for (const WeightLayer& layer : convolutions(network)) {
    gradients.push_back(layer.weight.grad().detach().clone());
  }
  network.zero_grad();
  return gradients;
}

Run prepare_kookmin(Options& options, const MakeRepair& repair) {
  const KookminSettings settings = read_kookmin(options);
  return [settings, repair](Problem& problem) {
    return run_kookmin(problem, settings, repair ? repair(problem) : plain_repair(problem));
  };
}

Method kookmin() {
  return {.id = "kookmin",
          .summary = "re-initialise convolution weights with small NegGrad+ gradients, then repair",
          .source = "competition, A.4 and A.7.2",
          .needs = {.convolutions = true},
          .presets = {{"casia_surf",
                       {{"share", 0.3},
                        {"rate", 0.001},
                        {"epochs", 5},
                        {"schedule", "linear"},
                        {"warmup_epochs", 2.5}}},
                      {"femnist", {{"share", 0.3}, {"rate", 0.0005}, {"epochs", 5}}}},
          .prepare = [](Options& options) { return prepare_kookmin(options, {}); }};
}

}  // namespace vestige::unlearn
