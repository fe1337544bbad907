// Ma et al. 2022 ("Learn to forget: machine unlearning via neuron masking"), with one learned
// number per neuron in place of the generator network.
#include "vestige/unlearn/methods/forsaken.h"

#include <memory>

#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/gradients.h"
#include "vestige/unlearn/parts/limits.h"
#include "vestige/unlearn/parts/neurons.h"

namespace vestige::unlearn {
namespace {

/// The mask gradients: layer l stands at original * (1 - mask_l), with one number per neuron.
struct Masks {
  std::vector<NeuronLayer> layers;
  std::vector<torch::Tensor> weights, biases;  ///< the original's
  std::vector<torch::Tensor> masks;            ///< [1, neurons] each, 0 at the start

  explicit Masks(models::Network& network) : layers(neuron_layers(network)) {
    for (const NeuronLayer& layer : layers) {
      weights.push_back(layer.weight.detach().clone());
      biases.push_back(layer.bias.defined() ? layer.bias.detach().clone() : torch::Tensor());
      masks.push_back(torch::zeros({1, layer.neurons()}, weights.back().options()));
      masks.back().set_requires_grad(true);
    }
  }

  /// dL/dmask = -sum over the neuron of original * dL/dweight; the network's gradients go away.
  void take_gradients(models::Network& network) {
    for (std::size_t index = 0; index < layers.size(); ++index) {
      if (!layers[index].weight.grad().defined()) continue;
      torch::Tensor gradient = -(weights[index] * layers[index].weight.grad()).flatten(2).sum(2);
      if (biases[index].defined()) gradient -= biases[index] * layers[index].bias.grad();
      masks[index].mutable_grad() = gradient;
    }
    for (torch::Tensor parameter : network.parameters()) parameter.mutable_grad().reset();
  }

  /// Pulls masks towards 0 by `by` (the L1 penalty's proximal step, so that most stay exactly 0)
  /// and sets the weights.
  void apply(double by) {
    const torch::NoGradGuard no_gradient;
    for (std::size_t index = 0; index < layers.size(); ++index) {
      torch::Tensor& mask = masks[index];
      mask.copy_(mask.sign() * (mask.abs() - by).clamp_min(0));
      layers[index].weight.copy_(weights[index] * (1 - per_neuron(mask[0], weights[index])));
      if (biases[index].defined()) layers[index].bias.copy_(biases[index] * (1 - mask));
    }
  }

  std::int64_t masked() const {
    std::int64_t count = 0;
    for (const torch::Tensor& mask : masks) count += mask.ne(0).sum().item<std::int64_t>();
    return count;
  }
};

struct ForsakenSettings {
  train::Phase phase;
  double penalty = 0.01;  ///< of the masks' L1 norm, times the loss on retain
  double stop = 0.01;     ///< divergence at which forget counts as unseen
};

Outcome run_forsaken(Problem& problem, const ForsakenSettings& settings) {
  const train::Samples& samples = problem.samples;
  const torch::Tensor unseen_labels =
      samples.labels().index_select(0, samples.index(problem.validation));
  const torch::Tensor targets = class_posteriors(
      torch::softmax(train::logits_of(problem.network, samples, problem.validation)[0], -1),
      unseen_labels);
  auto masks = std::make_shared<Masks>(problem.network);
  auto retain = std::make_shared<train::Cycle>(samples, problem.retain, settings.phase.batch,
                                               problem.seed, "forsaken/retain");
  auto divergence = std::make_shared<double>(0);

  train::Phase phase = settings.phase;
  phase.parameters = masks->masks;
  phase.evaluation_mode = true;
  double omega = 0;
  phase.objective = [=, &omega](models::Network& network, const train::Batch& batch,
                                const train::Step&) {
    const torch::Tensor logits = network.forward(batch.inputs);
    const torch::Tensor loss = unseen_divergence(logits[0], batch.labels[0], targets);
    {
      const torch::NoGradGuard no_gradient;
      const train::Batch kept = retain->next();
      omega = row_losses(network.forward(kept.inputs), kept.labels).mean().item<double>();
    }
    return train::Losses{loss.unsqueeze(0), logits};
  };
  phase.after_backward = [=, &problem](const train::Step&) {
    masks->take_gradients(problem.network);
  };
  phase.after_step = [=, &omega](const train::Step&) {
    masks->apply(settings.phase.optimizer.rate * settings.penalty * omega);
  };
  phase.after_epoch = [=, &problem](const train::Step&, double) {
    const torch::Tensor labels = samples.labels().index_select(0, samples.index(problem.forget));
    *divergence = unseen_divergence(train::logits_of(problem.network, samples, problem.forget)[0],
                                    labels, targets)
                      .item<double>();
    return *divergence > settings.stop;
  };
  Outcome outcome{
      run_phase(problem.network, samples, problem.forget, problem.seed, phase, problem.watch)};
  outcome.facts["masked_neurons"] = masks->masked();
  outcome.facts["divergence"] = *divergence;
  return outcome;
}

}  // namespace

torch::Tensor class_posteriors(const torch::Tensor& probabilities, const torch::Tensor& labels) {
  const torch::Tensor sums =
      torch::zeros({probabilities.size(1), probabilities.size(1)}, probabilities.options())
          .index_add(0, labels, probabilities);
  const torch::Tensor counts =
      torch::bincount(labels, {}, probabilities.size(1)).to(probabilities.dtype()).unsqueeze(1);
  return torch::where(counts > 0, sums / counts.clamp_min(1), probabilities.mean(0, true));
}

torch::Tensor unseen_divergence(const torch::Tensor& logits, const torch::Tensor& labels,
                                const torch::Tensor& targets) {
  const torch::Tensor target = targets.index_select(0, labels);
  const torch::Tensor terms =
      target * (target.clamp_min(1e-12).log() - torch::log_softmax(logits, -1));
  return terms.sum(1).mean();
}

Method forsaken() {
  return {.id = "forsaken",
          .summary = "masks neurons by learned amounts until forget looks unseen",
          .source = "Ma et al. 2022 (Learn to forget); IAM, C.4",
          .needs = {.validation = true},
          .presets = {},
          .prepare = [](Options& options) -> Run {
            ForsakenSettings settings;
            settings.phase = read_phase(
                options, {.epochs = 100, .rate = 0.0001, .weight_decay = 0, .optimizer = "adam"});
            settings.penalty = number_from(options, "penalty", settings.penalty, 0);
            settings.stop = number_from(options, "stop", settings.stop, 0);
            return [settings](Problem& problem) { return run_forsaken(problem, settings); };
          }};
}

}  // namespace vestige::unlearn
