// The one training loop: training from scratch and every unlearning method are phases of it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "vestige/models/network.h"
#include "vestige/pool/job.h"
#include "vestige/train/batches/augment.h"
#include "vestige/train/batches/samples.h"
#include "vestige/train/optimizer.h"
#include "vestige/train/schedule.h"

namespace vestige::train {

/// Where in a phase a step is.
struct Step {
  std::int64_t epoch = 0;  ///< from 0
  std::int64_t step = 0;   ///< in the whole phase, from 0
  std::int64_t steps_per_epoch = 0;
  std::int64_t total_steps = 0;
};

/// Logits [k, b, classes] of the batch and one loss per copy [k].
struct Losses {
  torch::Tensor each;
  torch::Tensor logits;  ///< may stay undefined; serves the accuracy that is shown
};
using Objective = std::function<Losses(models::Network&, const Batch&, const Step&)>;

/// What a stretch of training cost.
struct Cost {
  double seconds = 0;
  std::int64_t steps = 0;
  std::int64_t samples = 0;  ///< rows seen by optimisation steps of one copy

  Cost& operator+=(const Cost& other);
};

/// The loss of a copy became NaN or infinite: an InputError, so that this job ends and others go
/// on.
[[noreturn]] void diverged(std::int64_t step, double rate);

/// One stretch of training: rows, an objective, an optimiser, a schedule.
struct Phase {
  double epochs = 1;  ///< may be fractional: the last epoch is cut
  std::int64_t batch = 128;
  OptimizerSettings optimizer;
  ScheduleSettings schedule;
  AugmentSettings augment;
  bool fixed_batches = false;
  Objective objective;  ///< default: own_objective (denoising.h)
  /// The objective reads nothing but the batch and tensors that stay where they are, so that CUDA
  /// may record a step and replay it; so does the default of a classifier.
  bool recordable = false;
  std::vector<torch::Tensor> parameters;  ///< default: all of the network
  std::string purpose = "order";          ///< names the stream of the order
  bool evaluation_mode = false;           ///< batch norms keep their running statistics
  std::vector<double> rates;              ///< one highest rate per copy; default: the optimiser's
  double average_halflife = 0;            ///< rows; above 0: the phase ends with averaged weights
  double average_rampup = 0.05;           ///< weight_average.h
  std::function<void(const Step&)> before_epoch, after_backward, after_step;
  /// After each whole epoch, with the mean training accuracy of copy 0 in it; false ends the phase.
  std::function<bool(const Step&, double accuracy)> after_epoch;
};

/// Progress of the job that a phase belongs to.
struct Watch {
  std::function<void(const pool::Report&)> report;  ///< may be empty
  double images_before = 0;                         ///< of earlier phases
  double total_images = 0;
  /// After every whole epoch of any phase, to look at the network as it is then; may be empty.
  std::function<void(models::Network&)> after_epoch = {};
  double looking_seconds = 0;  ///< that after_epoch took so far; not part of Cost::seconds
  /// Changes each phase of an ordinary model before it runs; may be empty.
  std::function<void(models::Network&, Phase&)> change = {};
};

/// Runs `phase` on rows[c] for copy c in the order drawn from seeds[c]; all copies must have the
/// same number of rows. Throws InputError when a loss is not finite. With one copy and one thread
/// count the result is the same bytes on a CPU, always.
Cost run_phase(models::Network& network, const Samples& samples, const std::vector<Rows>& rows,
               const std::vector<std::uint64_t>& seeds, const Phase& phase, Watch& watch);

/// The same for an ordinary model.
Cost run_phase(models::Network& network, const Samples& samples, const Rows& rows,
               std::uint64_t seed, const Phase& phase, Watch& watch);

/// Mean cross-entropy per copy; `weights` (undefined, [classes] or [k, classes]) weighs classes as
/// PyTorch does: sum of w(y) loss / sum of w(y).
Objective cross_entropy(torch::Tensor weights = {});

}  // namespace vestige::train
