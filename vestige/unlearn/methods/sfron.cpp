// SFR-on (Huang et al. 2024), with the order of steps of its published code.
#include "vestige/unlearn/methods/sfron.h"

#include <cmath>
#include <memory>
#include <numbers>

#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/gradients.h"
#include "vestige/unlearn/parts/limits.h"

namespace vestige::unlearn {
namespace {

struct SfronSettings {
  train::Phase phase;             ///< epochs are those over retain
  std::int64_t forget_every = 5;  ///< steps on retain after each step on forget
  double forget_weight = 25;      ///< of the ascent at the start; falls to 0 as a cosine
  double max_norm = 7;            ///< the ascent gradient is cut to this length
  double lambda = 0.5;            ///< exponent of the adaptive coefficients
  double threshold = 1;           ///< of the mask
};

/// What the objective and the hook after it share.
struct State {
  train::Cycle retain, forget;
  std::vector<torch::Tensor> mask;
  bool forgetting = false;
  std::int64_t samples = 0;
};

/// Cuts the gradients of all parameters together to length `longest`, as PyTorch does.
void clip(const std::vector<torch::Tensor>& parameters, double longest) {
  double sum = 0;
  for (const torch::Tensor& parameter : parameters) {
    if (!parameter.grad().defined()) continue;
    sum += parameter.grad().to(torch::kFloat64).square().sum().item<double>();
  }
  const double factor = longest / (std::sqrt(sum) + 1e-6);
  if (factor >= 1) return;
  for (const torch::Tensor& parameter : parameters) {
    if (parameter.grad().defined()) parameter.grad().mul_(factor);
  }
}

train::Objective objective(const SfronSettings& settings, const std::shared_ptr<State>& state) {
  return [settings, state](models::Network& network, const train::Batch&, const train::Step& step) {
    state->forgetting = step.step % (settings.forget_every + 1) == 0;
    const train::Batch batch = state->forgetting ? state->forget.next() : state->retain.next();
    state->samples += batch.labels.size(1);
    const torch::Tensor logits = network.forward(batch.inputs);
    if (!state->forgetting) {
      return train::Losses{row_losses(logits, batch.labels).mean(1), {}};
    }
    const double weight = settings.forget_weight *
                          (1 + std::cos(std::numbers::pi * static_cast<double>(step.step) /
                                        static_cast<double>(step.total_steps))) /
                          2;
    const torch::Tensor loss = sfron_adaptive_loss(logits[0], batch.labels[0], settings.lambda);
    return train::Losses{(-weight * loss).unsqueeze(0), {}};
  };
}

Outcome run_sfron(Problem& problem, const SfronSettings& settings) {
  const train::Samples& samples = problem.samples;
  const std::int64_t batch = settings.phase.batch;
  const Gradients of_forget =
      mean_squared_gradient(problem.network, samples, problem.forget, batch, problem.seed);
  const Gradients of_retain =
      mean_squared_gradient(problem.network, samples, problem.retain, batch, problem.seed);
  auto state = std::make_shared<State>(
      State{train::Cycle(samples, problem.retain, batch, problem.seed, "sfron/retain"),
            train::Cycle(samples, problem.forget, batch, problem.seed, "sfron/forget"),
            {}});
  std::int64_t masked_in = 0;
  for (std::size_t index = 0; index < of_forget.values.size(); ++index) {
    state->mask.push_back(
        sfron_mask(of_forget.values[index], of_retain.values[index], settings.threshold));
    masked_in += state->mask.back().sum().item<std::int64_t>();
  }

  // Both kinds of step share the optimiser and so its momentum, as in the published code; the loop
  // counts steps of either kind, so it is given more epochs than there are over retain.
  train::Phase phase = settings.phase;
  const double stretch = 1 + 1 / static_cast<double>(settings.forget_every);
  phase.epochs *= stretch;
  phase.schedule.warmup_epochs *= stretch;
  for (double& milestone : phase.schedule.milestones) milestone *= stretch;
  phase.objective = objective(settings, state);
  const std::vector<torch::Tensor> parameters = problem.network.parameters();
  phase.after_backward = [state, parameters, longest = settings.max_norm](const train::Step&) {
    if (!state->forgetting) return;
    const torch::NoGradGuard no_gradient;
    for (std::size_t index = 0; index < parameters.size(); ++index) {
      if (parameters[index].grad().defined()) parameters[index].grad().mul_(state->mask[index]);
    }
    clip(parameters, longest);
  };
  Outcome outcome{
      run_phase(problem.network, samples, problem.retain, problem.seed, phase, problem.watch)};
  outcome.cost.samples = state->samples + of_forget.samples + of_retain.samples;
  outcome.facts["weights_to_forget_with"] = masked_in;
  return outcome;
}

}  // namespace

torch::Tensor sfron_mask(const torch::Tensor& fisher_forget, const torch::Tensor& fisher_retain,
                         double threshold) {
  return (fisher_forget + 1e-15) / (fisher_retain + 1e-15) >= threshold;
}

torch::Tensor sfron_adaptive_loss(const torch::Tensor& logits, const torch::Tensor& labels,
                                  double lambda, double epsilon) {
  const torch::Tensor losses = row_losses(logits, labels);
  const torch::Tensor weights = 1 / (losses.detach().pow(lambda) + epsilon);
  return (weights / weights.sum() * losses * losses.size(0)).mean();
}

Method sfron() {
  const auto preset = [](double epochs, double rate) -> Json {
    return {{"epochs", epochs}, {"rate", rate}, {"batch", 64}, {"weight_decay", 0}};
  };
  return {.id = "sfron",
          .summary = "masked adaptive ascent on forget every few steps of training on retain",
          .source = "Huang et al. 2024 (SFR-on); conformal, appendix B",
          .needs = {},
          .presets = {{"conformal", preset(10, 0.1)}, {"conformal_vit", preset(5, 0.001)}},
          .prepare = [](Options& options) -> Run {
            SfronSettings settings;
            settings.phase =
                read_phase(options, {.epochs = 10, .rate = 0.01, .schedule = "cosine"});
            settings.forget_every = integer_from(options, "forget_every", 5, 1);
            settings.forget_weight = number_from(options, "forget_weight", 25, 0);
            settings.max_norm = number_from(options, "max_norm", 7, 0);
            settings.lambda = number_from(options, "lambda", 0.5, 0);
            settings.threshold = number_from(options, "threshold", 1, 0);
            return [settings](Problem& problem) { return run_sfron(problem, settings); };
          }};
}

}  // namespace vestige::unlearn
