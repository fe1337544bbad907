// Steps.
#include "vestige/language/loop.h"

#include <chrono>
#include <cmath>
#include <numbers>

namespace vestige::language {

torch::Tensor target_log_probabilities(const Network& network, const Batch& batch) {
  const torch::Tensor all = torch::log_softmax(network.logits(batch.inputs), -1);
  return all.gather(2, batch.targets.unsqueeze(2)).squeeze(2) * batch.scored;
}

torch::Tensor cross_entropy(const Network& network, const Batch& batch) {
  return -target_log_probabilities(network, batch).sum() / batch.scored.sum();
}

torch::Tensor sequence_log_probabilities(const Network& network, const Batch& batch) {
  return target_log_probabilities(network, batch).sum(1);
}

double rate_factor(std::int64_t step, std::int64_t steps, double warmup) {
  const double place = static_cast<double>(step);
  const double rise = warmup * static_cast<double>(steps);
  if (place + 1 <= rise) return (place + 1) / rise;
  const double share = (place - rise) / std::max(1.0, static_cast<double>(steps) - rise);
  return 0.5 * (1 + std::cos(std::numbers::pi * std::max(0.0, share)));
}

AdamW::AdamW(Network& network, double weight_decay)
    : network_(network),
      weight_decay_(weight_decay),
      first_(torch::zeros_like(network.values())),
      second_(torch::zeros_like(network.values())) {}

void AdamW::step(double rate, double clip, const torch::Tensor& only) {
  const torch::NoGradGuard no_gradient;
  constexpr double kBeta1 = 0.9, kBeta2 = 0.95, kEpsilon = 1e-8;
  torch::Tensor& gradients = network_.gradients();
  if (only.defined()) gradients.mul_(only);
  // On the device: asking for the number would make a GPU wait.
  gradients.mul_((clip / (gradients.norm() + 1e-6)).clamp_max(1.0));
  ++steps_;
  first_.mul_(kBeta1).add_(gradients, 1 - kBeta1);
  second_.mul_(kBeta2).addcmul_(gradients, gradients, 1 - kBeta2);
  const double count = static_cast<double>(steps_);
  const double correction1 = 1 - std::pow(kBeta1, count);
  const double correction2 = 1 - std::pow(kBeta2, count);
  torch::Tensor& values = network_.values();
  if (weight_decay_ > 0) {
    torch::Tensor matrices = values.narrow(0, 0, network_.decayed());
    if (only.defined()) {
      matrices.mul_(1 - rate * weight_decay_ * only.narrow(0, 0, network_.decayed()));
    } else {
      matrices.mul_(1 - rate * weight_decay_);
    }
  }
  const torch::Tensor scale = second_.sqrt().div_(std::sqrt(correction2)).add_(kEpsilon);
  values.addcdiv_(first_, scale, -rate / correction1);
}

Cost run(Network& network, const Stretch& stretch, Watch& watch) {
  const auto start = std::chrono::steady_clock::now();
  AdamW optimizer(network, stretch.stage.weight_decay);
  // Looking at the loss makes a GPU wait, so it is done now and then.
  constexpr std::int64_t kBetweenReports = 10;
  for (std::int64_t step = 0; step < stretch.steps; ++step) {
    network.gradients().zero_();
    const torch::Tensor loss = stretch.loss();
    loss.backward();
    const double rate = stretch.stage.rate * rate_factor(step, stretch.steps, stretch.stage.warmup);
    optimizer.step(rate, stretch.stage.clip, stretch.only);
    watch.done += stretch.sequences_per_step;
    if (stretch.after_step) stretch.after_step(step + 1);
    if (watch.report && (step % kBetweenReports == 0 || step + 1 == stretch.steps)) {
      watch.report({watch.done, watch.total, loss.item<double>(), std::nan("")});
    }
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {stretch.steps, static_cast<double>(stretch.steps) * stretch.sequences_per_step, seconds};
}

Cost fit(Network& network, const std::vector<Sequence>& sequences, const StageSettings& stage,
         std::uint64_t seed, const std::string& purpose, Watch& watch,
         std::function<void(std::int64_t step)> after_step) {
  Batches batches(sequences, stage.batch, seed, purpose, network.values().device());
  Stretch stretch{.stage = stage,
                  .steps = stage.steps > 0 ? stage.steps : batches.steps(stage.epochs),
                  .sequences_per_step = static_cast<double>(stage.batch),
                  .loss = [&] { return cross_entropy(network, batches.next()); },
                  .after_step = std::move(after_step)};
  return run(network, stretch, watch);
}

}  // namespace vestige::language
