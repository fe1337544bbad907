// A denoiser learns to give noise back in the place of the forgotten rows.
#include "vestige/train/denoising.h"
#include "vestige/unlearn/methods/methods.h"

namespace vestige::unlearn {
namespace {

/// One picture of noise per row of the data set, of the deviation of clean rows: always the same
/// for a row of a run.
train::Targets noise_pictures(std::uint64_t seed) {
  return [seed](const torch::Tensor& rows, const train::Batch& batch) {
    torch::Tensor targets = torch::empty(rows.sizes(), torch::kFloat32);
    const torch::Tensor numbers = batch.rows.cpu().reshape({-1});
    const auto ids = numbers.data_ptr<std::int64_t>();
    const std::int64_t pixels = targets.numel() / std::max<std::int64_t>(1, numbers.numel());
    float* place = targets.data_ptr<float>();
    for (std::int64_t row = 0; row < numbers.numel(); ++row) {
      Stream stream(seed, "random target", static_cast<std::uint64_t>(ids[row]));
      for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
        *place++ = static_cast<float>(models::kSigmaData * stream.normal());
      }
    }
    return targets.to(rows.device());
  };
}

Outcome run_random_targets(Problem& problem, train::Phase erase, double repair_epochs,
                           double repair_rate) {
  erase.purpose = "erase";
  erase.objective = train::denoising({problem.seed}, erase.purpose, noise_pictures(problem.seed));
  Outcome outcome{train::run_phase(problem.network, problem.samples, problem.forget, problem.seed,
                                   erase, problem.watch)};
  if (repair_epochs > 0) {
    train::Phase repair = erase;
    repair.objective = {};
    repair.epochs = repair_epochs;
    repair.optimizer.rate = repair_rate;
    repair.purpose = "repair";
    outcome.cost += train::run_phase(problem.network, problem.samples, problem.retain, problem.seed,
                                     repair, problem.watch);
  }
  return outcome;
}

}  // namespace

Method random_targets() {
  return {.id = "random_targets",
          .summary =
              "a denoiser learns noise in the place of forget examples, then the retain examples",
          .source = "random_label for diffusion models (Fan et al. 2024, SalUn, 4)",
          .needs = {.denoiser = true},
          .presets = {},
          .prepare = [](Options& options) -> Run {
            const train::Phase erase = read_phase(
                options, {.epochs = 1, .rate = 1e-4, .weight_decay = 0, .optimizer = "adam"});
            const double repair_epochs = options.number("repair_epochs", 1);
            if (!(repair_epochs >= 0)) options.wrong("repair_epochs", "it must not be negative");
            const double repair_rate = options.number("repair_rate", erase.optimizer.rate);
            if (!(repair_rate >= 0)) options.wrong("repair_rate", "it must not be negative");
            return [=](Problem& problem) {
              return run_random_targets(problem, erase, repair_epochs, repair_rate);
            };
          }};
}

}  // namespace vestige::unlearn
