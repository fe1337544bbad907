// Alternating signSGD unlearning and projected gradient steps on the selection.
#include "vestige/train/hardest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/progress.h"
#include "vestige/models/weights/checkpoint.h"
#include "vestige/train/evaluate.h"
#include "vestige/train/loop.h"
#include "vestige/train/training.h"
#include "vestige/train/workshop.h"

namespace vestige::train {
namespace {

/// Cross-entropy of each row, in the order of `rows`.
std::vector<double> losses_of(models::Network& network, const Samples& samples, const Rows& rows) {
  const torch::Tensor labels = samples.labels().index_select(0, samples.index(rows));
  const torch::Tensor each = -torch::log_softmax(logits_of(network, samples, rows)[0], -1)
                                  .gather(1, labels.unsqueeze(1))
                                  .squeeze(1)
                                  .to(torch::kFloat64)
                                  .cpu();
  return {each.data_ptr<double>(), each.data_ptr<double>() + each.numel()};
}

/// Mean over the batch of (1 - w - forget_weight * w) * loss: descent on what stays, ascent on what
/// goes. The gradient's sign is the step.
Phase lower_level(const torch::Tensor& weights, const HardestSettings& settings,
                  models::Network& network) {
  Phase phase;
  phase.epochs = settings.lower_epochs;
  phase.batch = settings.batch;
  phase.optimizer.rate = settings.lower_rate;
  phase.optimizer.momentum = 0;
  phase.objective = [weights, factor = 1 + settings.forget_weight](
                        models::Network& model, const Batch& batch, const Step&) {
    const torch::Tensor logits = model.forward(batch.inputs);
    const torch::Tensor each =
        -torch::log_softmax(logits, -1).gather(-1, batch.labels.unsqueeze(-1)).squeeze(-1);
    const torch::Tensor weight = weights.index_select(0, batch.rows.reshape({-1})).view_as(each);
    return Losses{((1 - factor * weight) * each).mean(1), logits};
  };
  phase.after_backward = [&network](const Step&) {
    for (const torch::Tensor& parameter : network.parameters()) {
      if (parameter.grad().defined()) parameter.grad().sign_();
    }
  };
  return phase;
}

}  // namespace

HardestSettings read_hardest(Options& options) {
  HardestSettings settings;
  settings.rounds = options.integer("rounds", settings.rounds);
  settings.rate = options.number("rate", settings.rate);
  settings.gamma = options.number("gamma", settings.gamma);
  settings.lower_epochs = options.number("lower_epochs", settings.lower_epochs);
  settings.lower_rate = options.number("lower_rate", settings.lower_rate);
  settings.forget_weight = options.number("forget_weight", settings.forget_weight);
  settings.batch = options.integer("batch", settings.batch);
  if (settings.rounds < 1) options.wrong("rounds", "at least one is needed");
  if (settings.batch < 1) options.wrong("batch", "it must be at least 1");
  options.finish();
  return settings;
}

std::vector<double> project_to_budget(std::vector<double> values, double total) {
  const auto sum_at = [&](double shift) {
    double sum = 0;
    for (const double value : values) sum += std::clamp(value - shift, 0.0, 1.0);
    return sum;
  };
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  double low = *least - 1, high = *most;  // the sum is n at low and 0 at high
  for (int step = 0; step < 100; ++step) {
    const double middle = 0.5 * (low + high);
    (sum_at(middle) > total ? low : high) = middle;
  }
  for (double& value : values) value = std::clamp(value - high, 0.0, 1.0);
  return values;
}

HardestRows find_hardest(std::shared_ptr<const Lab> lab, const Json& model,
                         const std::string& checkpoint, const HardestSettings& settings,
                         std::uint64_t seed) {
  prepare_engine(lab->device, lab->recipe.train);
  Workshop workshop(lab);
  const Samples& samples = workshop.samples();
  const Rows& trained = lab->split.part("train");
  const Rows& rows = lab->added.empty() ? trained : lab->added;
  const auto total = static_cast<double>(settings.count);
  require(settings.count > 0 && settings.count < static_cast<std::int64_t>(rows.size()),
          "{} of the {} rows that may be forgotten cannot be searched: give a number between 1 and "
          "{}",
          settings.count, rows.size(), rows.size() - 1);
  const models::NetworkPointer network = workshop.network(model);
  HardestRows result;
  result.weights.assign(rows.size(), total / static_cast<double>(rows.size()));
  Progress progress(lab->context.progress(), "searching the hardest rows",
                    static_cast<std::uint64_t>(settings.rounds));
  for (std::int64_t round = 0; round < settings.rounds; ++round) {
    check_interrupt();
    models::load(*network, 0, checkpoint, "the original");
    torch::Tensor weights = torch::zeros({samples.labels().size(0)});
    for (std::size_t index = 0; index < rows.size(); ++index) {
      weights[rows[index]] = result.weights[index];
    }
    Watch watch;
    Phase phase = lower_level(weights.to(samples.device()), settings, *network);
    // The order of the batches goes by this name; another would find other rows.
    phase.purpose = fmt::format("worst case/{}", round);
    run_phase(*network, samples, trained, seed, phase, watch);
    const std::vector<double> losses = losses_of(*network, samples, rows);
    const double scale = std::max(1e-12, std::accumulate(losses.begin(), losses.end(), 0.0) /
                                             static_cast<double>(losses.size()));
    std::vector<double> moved = result.weights;
    for (std::size_t index = 0; index < moved.size(); ++index) {
      moved[index] -=
          settings.rate * (losses[index] / scale + 2 * settings.gamma * result.weights[index]);
    }
    result.weights = project_to_budget(std::move(moved), total);
    progress.add();
  }
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // The largest weights; equal ones by the lower row number.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return result.weights[left] > result.weights[right];
  });
  for (std::size_t index = 0; index < static_cast<std::size_t>(settings.count); ++index) {
    result.rows.push_back(rows[order[index]]);
  }
  std::sort(result.rows.begin(), result.rows.end());
  return result;
}

}  // namespace vestige::train
