// The training loop.
#include "vestige/train/loop.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"
#include "vestige/models/denoiser.h"
#include "vestige/train/denoising.h"
#include "vestige/train/engine.h"
#include "vestige/train/step_recorder.h"
#include "vestige/train/weight_average.h"

namespace vestige::train {
namespace {

/// Loss and accuracy of the steps since the last reading, kept on the device: reading them at
/// every step would make a GPU wait.
class Meter {
 public:
  explicit Meter(torch::Device device)
      : sums_(torch::zeros({3}, torch::TensorOptions().dtype(torch::kFloat64).device(device))) {}

  /// Part of a step that may be recorded, so that the steps are counted apart.
  void add(const Losses& losses, const Batch& batch) {
    const torch::NoGradGuard no_gradient;
    sums_[0] += losses.each.detach().mean();
    if (losses.logits.defined()) {
      sums_[1] += losses.logits.detach()[0].argmax(-1).eq(batch.labels[0]).sum();
      sums_[2] += batch.labels.size(1);
    }
  }
  void count() { ++steps_; }

  struct Reading {
    double loss = 0, accuracy = 0;
  };
  Reading read() const {
    const torch::Tensor sums = sums_.cpu();
    const double* values = sums.data_ptr<double>();
    return {values[0] / static_cast<double>(std::max<std::int64_t>(steps_, 1)),
            values[2] > 0 ? values[1] / values[2] : std::nan("")};
  }
  void reset() {
    sums_.zero_();
    steps_ = 0;
  }

 private:
  torch::Tensor sums_;
  std::int64_t steps_ = 0;
};

/// Where a recorded step finds its rows [k, b] and, if they are augmented, its inputs.
struct Fixed {
  torch::Tensor rows;
  torch::Tensor inputs;
};

/// Row order of all copies for one epoch: [k, n] on the device.
torch::Tensor epoch_order(const Samples& samples, const std::vector<Rows>& rows,
                          const std::vector<std::uint64_t>& seeds, const Phase& phase,
                          std::int64_t epoch) {
  std::vector<torch::Tensor> orders;
  for (std::size_t copy = 0; copy < rows.size(); ++copy) {
    Rows order = shuffled(rows[copy], seeds[copy], phase.purpose,
                          phase.fixed_batches ? 0 : static_cast<std::uint64_t>(epoch));
    if (phase.fixed_batches) {
      // The same batches in another order; the last, smaller one stays last.
      const auto size = static_cast<std::size_t>(phase.batch);
      std::vector<std::size_t> batches(order.size() / size);
      std::iota(batches.begin(), batches.end(), std::size_t{0});
      Stream stream(seeds[copy], phase.purpose + "/batches", static_cast<std::uint64_t>(epoch));
      stream.shuffle(std::span(batches));
      Rows arranged;
      for (const std::size_t batch : batches) {
        const auto first = order.begin() + static_cast<std::ptrdiff_t>(batch * size);
        arranged.insert(arranged.end(), first, first + static_cast<std::ptrdiff_t>(size));
      }
      arranged.insert(arranged.end(),
                      order.begin() + static_cast<std::ptrdiff_t>(batches.size() * size),
                      order.end());
      order = std::move(arranged);
    }
    orders.push_back(samples.index(order));
  }
  return torch::stack(orders);
}

/// The rates of all steps of an epoch: one for all copies, or one per copy.
std::vector<std::vector<double>> epoch_rates(const Phase& phase, const Step& step) {
  const bool apart = std::adjacent_find(phase.rates.begin(), phase.rates.end(),
                                        std::not_equal_to<>()) != phase.rates.end();
  std::vector<double> highest = phase.rates;
  if (highest.empty()) highest = {phase.optimizer.rate};
  if (!apart) highest.resize(1);
  std::vector<std::vector<double>> rates;
  for (std::int64_t within = 0; within < step.steps_per_epoch; ++within) {
    const double factor =
        rate_factor(phase.schedule,
                    static_cast<double>(step.epoch * step.steps_per_epoch + within) /
                        static_cast<double>(step.steps_per_epoch),
                    phase.epochs);
    rates.push_back(highest);
    for (double& rate : rates.back()) rate *= factor;
  }
  return rates;
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  seconds += other.seconds;
  steps += other.steps;
  samples += other.samples;
  return *this;
}

void diverged(std::int64_t step, double rate) {
  fail("the loss is not finite after step {} at rate {:g}: use a smaller rate", step, rate);
}

Objective cross_entropy(torch::Tensor weights) {
  return [weights](models::Network& network, const Batch& batch, const Step&) {
    const torch::Tensor logits = network.forward(batch.inputs);
    const torch::Tensor each =
        -torch::log_softmax(logits, -1).gather(-1, batch.labels.unsqueeze(-1)).squeeze(-1);
    if (!weights.defined()) return Losses{each.mean(1), logits};
    const torch::Tensor by_class =
        weights.dim() == 1 ? weights.unsqueeze(0).expand({batch.labels.size(0), -1}) : weights;
    const torch::Tensor weight = by_class.gather(1, batch.labels);
    return Losses{(weight * each).sum(1) / weight.sum(1), logits};
  };
}

Cost run_phase(models::Network& network, const Samples& samples, const std::vector<Rows>& rows,
               const std::vector<std::uint64_t>& seeds, const Phase& phase, Watch& watch) {
  const auto start = std::chrono::steady_clock::now();
  const auto copies = static_cast<std::size_t>(network.copies());
  require(rows.size() == copies && seeds.size() == copies,
          "{} copies need as many row lists and seeds: got {} and {}", copies, rows.size(),
          seeds.size());
  const auto count = static_cast<std::int64_t>(rows[0].size());
  for (const Rows& each : rows) {
    require(static_cast<std::int64_t>(each.size()) == count,
            "models in one graph must have the same number of rows: got {} and {}", count,
            each.size());
  }
  require(count > 0, "there are no rows to train on: check the split");

  Step step;
  // A last batch of one row has no variance for a batch norm, so it is left out.
  step.steps_per_epoch = std::max<std::int64_t>(1, (count + phase.batch - 2) / phase.batch);
  step.total_steps =
      std::llround(std::ceil(phase.epochs * static_cast<double>(step.steps_per_epoch) - 1e-9));
  const bool on_cuda = samples.device().is_cuda();
  std::optional<NoiseAhead> noise;
  if (models::Denoiser* denoiser = models::as_denoiser(network);
      denoiser != nullptr && on_cuda && !phase.objective) {
    noise.emplace(*denoiser, seeds, phase.purpose, samples.device());
  }
  const Objective objective = phase.objective ? phase.objective
                              : noise         ? noise->objective()
                                              : own_objective(network, seeds, phase.purpose);
  Optimizer optimizer(phase.parameters.empty() ? network.parameters() : phase.parameters,
                      phase.optimizer);
  const StepScope scope(samples.device());
  const bool recordable = phase.objective ? phase.recordable : true;
  StepRecorder recorder(on_cuda && recordable && !phase.after_backward);
  std::map<std::int64_t, Fixed> fixed_of_size;  // by rows per batch
  std::optional<WeightAverage> average;
  if (phase.average_halflife > 0) {
    average.emplace(network, phase.average_halflife, phase.average_rampup);
  }
  Meter meter(samples.device());
  Cost cost;
  network.train(!phase.evaluation_mode);
  bool go_on = true;
  double looking = 0;  // of watch.after_epoch, which is not part of the work
  auto shown = start;
  torch::Tensor order;
  while (go_on && step.step < step.total_steps) {
    const std::int64_t within = step.step % step.steps_per_epoch;
    step.epoch = step.step / step.steps_per_epoch;
    if (within == 0) {
      if (phase.before_epoch) phase.before_epoch(step);
      order = epoch_order(samples, rows, seeds, phase, step.epoch);
      meter.reset();
      if (on_cuda) optimizer.plan(epoch_rates(phase, step));
    }
    const auto size_of = [&](std::int64_t place) {
      return std::min(phase.batch, count - place % step.steps_per_epoch * phase.batch);
    };
    const std::int64_t size = size_of(step.step);
    const torch::Tensor rows_now = order.narrow(1, within * phase.batch, size);
    if (on_cuda) {
      // Everything that changes from step to step is copied to where a recorded step reads it.
      Fixed& fixed = fixed_of_size[size];
      if (!fixed.rows.defined()) fixed.rows = torch::empty_like(rows_now);
      fixed.rows.copy_(rows_now);
      if (phase.augment.any()) {
        Batch batch = samples.batch(fixed.rows);
        augment(batch, phase.augment, seeds, static_cast<std::uint64_t>(step.step));
        if (!fixed.inputs.defined()) fixed.inputs = torch::empty_like(batch.inputs);
        fixed.inputs.copy_(batch.inputs);
      }
      if (noise) {
        const bool last = step.step + 1 == step.total_steps;
        noise->put(step.step, size, last ? 0 : size_of(step.step + 1));
      }
      optimizer.next();
      try_algorithms(size == phase.batch);
      recorder.run(size, [&] {
        Batch batch = samples.batch(fixed.rows);
        if (fixed.inputs.defined()) batch.inputs = fixed.inputs;
        optimizer.zero_grad();
        const Losses losses = objective(network, batch, step);
        losses.each.sum().backward();
        if (phase.after_backward) phase.after_backward(step);
        optimizer.planned_step();
        meter.add(losses, batch);
      });
    } else {
      Batch batch = samples.batch(rows_now);
      if (phase.augment.any())
        augment(batch, phase.augment, seeds, static_cast<std::uint64_t>(step.step));
      optimizer.zero_grad();
      const Losses losses = objective(network, batch, step);
      losses.each.sum().backward();
      if (phase.after_backward) phase.after_backward(step);
      const double factor = rate_factor(
          phase.schedule,
          static_cast<double>(step.step) / static_cast<double>(step.steps_per_epoch), phase.epochs);
      if (phase.rates.empty()) {
        optimizer.step(phase.optimizer.rate * factor);
      } else {
        std::vector<double> rates = phase.rates;
        for (double& rate : rates) rate *= factor;
        optimizer.step(rates);
      }
      meter.add(losses, batch);
    }
    meter.count();
    if (average) average->update(size);
    if (phase.after_step) phase.after_step(step);
    ++step.step;
    ++cost.steps;
    cost.samples += size;

    const bool epoch_ends = step.step % step.steps_per_epoch == 0;
    const auto now = std::chrono::steady_clock::now();
    if (epoch_ends || step.step == step.total_steps ||
        now - shown > std::chrono::milliseconds(500)) {
      shown = now;
      check_interrupt();
      const Meter::Reading reading = meter.read();
      if (!std::isfinite(reading.loss)) diverged(step.step, phase.optimizer.rate);
      if (watch.report) {
        watch.report(
            {watch.images_before + static_cast<double>(cost.samples) * static_cast<double>(copies),
             watch.total_images, reading.loss, reading.accuracy});
      }
      if (epoch_ends && phase.after_epoch) go_on = phase.after_epoch(step, reading.accuracy);
      if (epoch_ends && watch.after_epoch) {
        const auto began = std::chrono::steady_clock::now();
        watch.after_epoch(network);
        network.train(!phase.evaluation_mode);
        const double took =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        looking += took;
        watch.looking_seconds += took;
      }
    }
  }
  if (on_cuda) try_algorithms(true);
  if (average) average->apply();
  watch.images_before += static_cast<double>(cost.samples) * static_cast<double>(copies);
  cost.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() - looking;
  return cost;
}

Cost run_phase(models::Network& network, const Samples& samples, const Rows& rows,
               std::uint64_t seed, const Phase& phase, Watch& watch) {
  const std::vector<Rows> each{rows};
  const std::vector<std::uint64_t> seeds{seed};
  if (!watch.change) return run_phase(network, samples, each, seeds, phase, watch);
  Phase changed = phase;
  watch.change(network, changed);
  return run_phase(network, samples, each, seeds, changed, watch);
}

}  // namespace vestige::train
