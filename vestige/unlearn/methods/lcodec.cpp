// Mehta et al. 2022 ("Deep unlearning via randomized conditionally independent Hessians").
#include "vestige/unlearn/methods/lcodec.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"
#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/codec.h"
#include "vestige/unlearn/parts/gradients.h"
#include "vestige/unlearn/parts/limits.h"
#include "vestige/unlearn/parts/neurons.h"

namespace vestige::unlearn {
namespace {

struct LcodecSettings {
  std::int64_t batch = 128;          ///< forget rows scrubbed together
  std::int64_t perturbations = 200;  ///< noisy looks at them: rows of the coefficient's sample
  double perturbation = 0.1;         ///< deviation of the noise on the normalised inputs
  std::int64_t neurons = 32;         ///< chosen at most, per batch
  std::int64_t hessian_rows = 1024;  ///< of retain, for products with the curvature
  std::int64_t newton_steps = 20;    ///< conjugate-gradient steps at most
  double damping = 0.01;             ///< added to the Hessian's diagonal
  double scale = 1;                  ///< of the Newton step
};

double dot(const WeightBlock& left, const WeightBlock& right) {
  double sum = 0;
  for (std::size_t index = 0; index < left.size(); ++index) {
    sum +=
        (left[index].to(torch::kFloat64) * right[index].to(torch::kFloat64)).sum().item<double>();
  }
  return sum;
}

void add(WeightBlock& to, const WeightBlock& what, double factor) {
  for (std::size_t index = 0; index < to.size(); ++index) to[index].add_(what[index], factor);
}

/// Weights and biases of all neurons in one list, and which layer each belongs to.
struct Slots {
  std::vector<NeuronLayer> layers;
  std::vector<torch::Tensor> parameters;
  std::vector<std::size_t> layer_of;

  explicit Slots(const models::Network& network) : layers(neuron_layers(network)) {
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      parameters.push_back(layers[layer].weight);
      layer_of.push_back(layer);
      if (!layers[layer].bias.defined()) continue;
      parameters.push_back(layers[layer].bias);
      layer_of.push_back(layer);
    }
  }
};

/// What a set of chosen neurons means for each slot: 1 at weights of chosen ones.
struct Choice {
  std::vector<torch::Tensor> parameters;  ///< only of layers with a chosen neuron
  WeightBlock mask;
  std::int64_t neurons = 0;
};

/// Loss and each neuron's share of it to first order, sum of weight * gradient over the neuron, in
/// noisy looks at the batch.
Choice choose(Problem& problem, const Slots& slots, const train::Batch& batch,
              const LcodecSettings& settings, std::uint64_t round) {
  std::size_t neurons = 0;
  for (const NeuronLayer& layer : slots.layers) {
    neurons += static_cast<std::size_t>(layer.neurons());
  }
  std::vector<double> losses;
  Columns shares(neurons);
  for (std::int64_t look = 0; look < settings.perturbations; ++look) {
    check_interrupt();
    Stream stream(problem.seed, fmt::format("lcodec/{}", round), static_cast<std::uint64_t>(look));
    const torch::Tensor noise =
        train::normal_tensor(batch.inputs.sizes(), stream, batch.inputs.device());
    const torch::Tensor loss =
        row_losses(problem.network.forward(batch.inputs + settings.perturbation * noise),
                   batch.labels)
            .mean();
    const auto gradients = torch::autograd::grad({loss}, slots.parameters);
    std::vector<torch::Tensor> parts;
    for (std::size_t slot = 0; slot < slots.parameters.size(); ++slot) {
      const torch::Tensor part = (slots.parameters[slot].detach() * gradients[slot])
                                     .reshape({slots.parameters[slot].size(1), -1})
                                     .sum(1);
      const bool same_layer = slot > 0 && slots.layer_of[slot] == slots.layer_of[slot - 1];
      if (same_layer) {
        parts.back() = parts.back() + part;
      } else {
        parts.push_back(part);
      }
    }
    const torch::Tensor all = torch::cat(parts).to(torch::kFloat64).cpu();
    losses.push_back(loss.item<double>());
    for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
      shares[neuron].push_back(all.data_ptr<double>()[neuron]);
    }
  }
  const std::vector<FociChoice> chosen =
      foci(losses, shares, static_cast<std::size_t>(settings.neurons), problem.seed);

  torch::Tensor flags = torch::zeros({static_cast<std::int64_t>(neurons)});
  for (const FociChoice& item : chosen) flags[static_cast<std::int64_t>(item.column)] = 1;
  flags = flags.to(batch.inputs.device());
  Choice choice;
  choice.neurons = static_cast<std::int64_t>(chosen.size());
  std::vector<torch::Tensor> by_layer;
  std::int64_t first = 0;
  for (const NeuronLayer& layer : slots.layers) {
    by_layer.push_back(flags.narrow(0, first, layer.neurons()));
    first += layer.neurons();
  }
  for (std::size_t slot = 0; slot < slots.parameters.size(); ++slot) {
    const torch::Tensor& on = by_layer[slots.layer_of[slot]];
    if (!on.any().item<bool>()) continue;
    choice.parameters.push_back(slots.parameters[slot]);
    choice.mask.push_back(per_neuron(on, slots.parameters[slot]));
  }
  return choice;
}

WeightBlock masked(const std::vector<torch::Tensor>& gradients, const WeightBlock& mask) {
  WeightBlock result;
  for (std::size_t index = 0; index < mask.size(); ++index) {
    result.push_back(gradients[index].detach() * mask[index]);
  }
  return result;
}

/// (H + damping) v in the chosen block, H the Gauss-Newton matrix of the mean loss on `rows`: J^T
/// (diag(p) - p p^T) J with J the derivative of the logits. It is the Hessian without the curvature
/// of the logits, which fades where rows are fitted, and never negative.
WeightBlock curvature_product(Problem& problem, const Choice& choice, const train::Rows& rows,
                              double damping, const WeightBlock& vector) {
  constexpr std::size_t kBatch = 256;
  WeightBlock result;
  for (const torch::Tensor& part : vector) result.push_back(part * damping);
  for (std::size_t first = 0; first < rows.size(); first += kBatch) {
    check_interrupt();
    const std::size_t size = std::min(kBatch, rows.size() - first);
    const train::Batch batch = problem.samples.batch(std::span(rows).subspan(first, size));
    const torch::Tensor logits = problem.network.forward(batch.inputs);
    // J v is the derivative of (J^T u) . v with respect to u.
    const torch::Tensor u = torch::zeros_like(logits).set_requires_grad(true);
    const auto back = torch::autograd::grad({logits}, choice.parameters, {u}, true, true);
    torch::Tensor along = torch::zeros({}, logits.options());
    for (std::size_t index = 0; index < vector.size(); ++index) {
      along = along + (back[index] * vector[index]).sum();
    }
    const torch::Tensor jv = torch::autograd::grad({along}, {u}, {}, true)[0];
    const torch::Tensor p = torch::softmax(logits.detach(), -1);
    const torch::Tensor weighed =
        (p * jv - p * (p * jv).sum(-1, true)) / static_cast<double>(rows.size());
    add(result, masked(torch::autograd::grad({logits}, choice.parameters, {weighed}), choice.mask),
        1);
  }
  return result;
}

Outcome run_lcodec(Problem& problem, const LcodecSettings& settings) {
  const auto start = std::chrono::steady_clock::now();
  problem.network.eval();
  const Slots slots(problem.network);
  const double share = std::min(
      1.0, static_cast<double>(settings.hessian_rows) / static_cast<double>(problem.retain.size()));
  const train::Rows rows = subset(problem.retain, share, problem.seed, "lcodec/hessian");
  Outcome outcome;
  train::Cycle forget(problem.samples, problem.forget, settings.batch, problem.seed,
                      "lcodec/forget");
  std::int64_t chosen = 0;
  for (std::int64_t round = 0; round < forget.steps_per_round(); ++round) {
    const train::Batch batch = forget.next();
    const std::int64_t size = batch.labels.size(1);
    const Choice choice =
        choose(problem, slots, batch, settings, static_cast<std::uint64_t>(round));
    outcome.cost.samples += settings.perturbations * size;
    chosen += choice.neurons;
    if (choice.neurons == 0) continue;
    const torch::Tensor loss =
        row_losses(problem.network.forward(batch.inputs), batch.labels).mean();
    const WeightBlock right = masked(torch::autograd::grad({loss}, choice.parameters), choice.mask);
    const WeightBlock step = conjugate_gradients(
        [&](const WeightBlock& vector) {
          outcome.cost.samples += static_cast<std::int64_t>(rows.size());
          return curvature_product(problem, choice, rows, settings.damping, vector);
        },
        right, settings.newton_steps);
    const torch::NoGradGuard no_gradient;
    WeightBlock parameters = choice.parameters;
    add(parameters, step,
        settings.scale * static_cast<double>(size) / static_cast<double>(problem.retain.size()));
    outcome.cost.samples += size;
    outcome.cost.steps += 1;
  }
  outcome.facts["chosen_neurons"] = chosen;
  outcome.cost.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

}  // namespace

WeightBlock conjugate_gradients(const std::function<WeightBlock(const WeightBlock&)>& product,
                                const WeightBlock& right, std::int64_t steps, double tolerance) {
  WeightBlock solution, residual, direction;
  for (const torch::Tensor& part : right) {
    solution.push_back(torch::zeros_like(part));
    residual.push_back(part.clone());
    direction.push_back(part.clone());
  }
  double length = dot(residual, residual);
  const double enough = tolerance * tolerance * length;
  for (std::int64_t step = 0; step < steps && length > enough; ++step) {
    const WeightBlock moved = product(direction);
    const double curvature = dot(direction, moved);
    if (!(curvature > 0)) break;
    add(solution, direction, length / curvature);
    add(residual, moved, -length / curvature);
    const double next = dot(residual, residual);
    for (std::size_t index = 0; index < direction.size(); ++index) {
      direction[index] = residual[index] + direction[index] * (next / length);
    }
    length = next;
  }
  return solution;
}

Method lcodec() {
  return {.id = "lcodec",
          .summary = "Newton step on the neurons that forget's loss depends on",
          .source = "Mehta et al. 2022 (L-CODEC); IAM, C.4",
          .needs = {},
          .presets = {},
          .prepare = [](Options& options) -> Run {
            LcodecSettings settings;
            settings.batch = integer_from(options, "batch", settings.batch, 1);
            settings.perturbations =
                integer_from(options, "perturbations", settings.perturbations, 2);
            settings.perturbation = number_from(options, "perturbation", settings.perturbation, 0);
            settings.neurons = integer_from(options, "neurons", settings.neurons, 1);
            settings.hessian_rows = integer_from(options, "hessian_rows", settings.hessian_rows, 1);
            settings.newton_steps = integer_from(options, "newton_steps", settings.newton_steps, 1);
            settings.damping = number_from(options, "damping", settings.damping, 1e-12);
            settings.scale = number_from(options, "scale", settings.scale, 0);
            return [settings](Problem& problem) { return run_lcodec(problem, settings); };
          }};
}

}  // namespace vestige::unlearn
