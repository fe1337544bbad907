// Ascent on the original itself, or by gradients recorded while an untrained network learns.
#include "vestige/train/denoising.h"
#include "vestige/train/schedule.h"
#include "vestige/unlearn/methods/methods.h"

namespace vestige::unlearn {
namespace {

Outcome ascend(Problem& problem, train::Phase phase) {
  phase.objective = [inner = train::own_objective(problem.network, {problem.seed}, phase.purpose)](
                        models::Network& network, const train::Batch& batch,
                        const train::Step& step) {
    train::Losses losses = inner(network, batch, step);
    losses.each = -losses.each;
    return losses;
  };
  return {train::run_phase(problem.network, problem.samples, problem.forget, problem.seed, phase,
                           problem.watch)};
}

/// IAM: an untrained network learns the forget rows, and each rate * gradient of it is added to
/// the original's weights.
Outcome add_recorded(Problem& problem, train::Phase phase) {
  const models::NetworkPointer pupil = fresh_network(problem, problem.seed);
  const std::vector<torch::Tensor> sources = pupil->parameters();
  std::vector<torch::Tensor> targets = problem.network.parameters();
  phase.after_backward = [&](const train::Step& step) {
    const torch::NoGradGuard no_gradient;
    const double epoch = static_cast<double>(step.step) / static_cast<double>(step.steps_per_epoch);
    const double rate =
        phase.optimizer.rate * train::rate_factor(phase.schedule, epoch, phase.epochs);
    for (std::size_t index = 0; index < sources.size(); ++index) {
      if (sources[index].grad().defined()) targets[index].add_(sources[index].grad(), rate);
    }
  };
  return {train::run_phase(*pupil, problem.samples, problem.forget, problem.seed, phase,
                           problem.watch)};
}

}  // namespace

Method gradient_ascent() {
  const auto conformal = [](double rate) -> Json {
    return {
        {"epochs", 1}, {"rate", rate}, {"batch", 64}, {"weight_decay", 0}, {"schedule", "cosine"}};
  };
  return {.id = "gradient_ascent",
          .summary = "maximise the loss of the forget examples",
          .source = "conformal, App. B; IAM, C.4",
          .needs = {.logits = false},
          .presets = {{"conformal", conformal(0.1)},
                      {"conformal_vit", conformal(0.001)},
                      {"iam",
                       {{"form", "recorded"},
                        {"epochs", 5},
                        {"rate", 0.01},
                        {"momentum", 0.9},
                        {"weight_decay", 5e-4},
                        {"schedule", "cosine"}}}},
          .prepare = [](Options& options) -> Run {
            const std::string form = options.choice("form", "ascent", {"ascent", "recorded"});
            const train::Phase phase = read_phase(options, {.epochs = 1, .rate = 1e-4});
            return [form, phase](Problem& problem) {
              return form == "ascent" ? ascend(problem, phase) : add_recorded(problem, phase);
            };
          }};
}

}  // namespace vestige::unlearn
