// How a model is trained: everything in a recipe's [train] table, with the papers' settings as
// presets. No LibTorch here, so that a recipe can be read and checked without it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vestige/base/options.h"

namespace vestige::train {

struct OptimizerSettings {
  std::string kind = "sgd";  ///< sgd or adam (PyTorch's update rules)
  double rate = 0.05;        ///< learning rate at its highest
  double momentum = 0.9;     ///< of sgd
  bool nesterov = false;     ///< of sgd
  double weight_decay = 0;   ///< added to the gradient, as PyTorch's SGD and Adam do
  double beta1 = 0.9;        ///< of adam
  double beta2 = 0.999;      ///< of adam
  double epsilon = 1e-8;     ///< of adam
};

struct ScheduleSettings {
  /// constant, cosine (to 0), multi_step, one_cycle (up for 30 %, then down, cosine), linear (to 0)
  std::string kind = "constant";
  double warmup_epochs = 0;        ///< linear from 0 before the schedule proper
  std::vector<double> milestones;  ///< epochs, of multi_step
  double gamma = 0.1;              ///< factor at each milestone
  double first_epoch = 0;          ///< what milestones call the first epoch: 0 or 1
};

/// Random changes of training images; all off by default, and off for unlearning and evaluation.
struct AugmentSettings {
  std::int64_t crop = 0;  ///< pixels of zero padding before a random crop of the old size
  bool flip = false;      ///< horizontally, half of the time
  double rotation = 0;    ///< degrees, uniform in +-
  double shear = 0;       ///< degrees, uniform in +-
  double scale_low = 1;   ///< uniform between the two
  double scale_high = 1;
  double jitter = 0;  ///< brightness, contrast, saturation: factors in 1 +- jitter

  bool any() const {
    return crop > 0 || flip || rotation > 0 || shear > 0 || scale_low != 1 || scale_high != 1 ||
           jitter > 0;
  }
};

struct TrainSettings {
  double epochs = 30;
  std::int64_t batch = 128;
  OptimizerSettings optimizer;
  ScheduleSettings schedule;
  AugmentSettings augment;
  std::string class_weights = "none";  ///< none, or reciprocal: 1 / rows of the class
  std::vector<double> checkpoints;     ///< fractions of the epochs at which weights are kept too
  bool fixed_batches = false;          ///< batch membership drawn once (SDE's toy experiment)
  double until_accuracy = 0;           ///< stop after the epoch that reaches it on its own rows
  std::string select = "last";         ///< last, or best_validation: the best epoch's weights
  bool log_forget_updates = false;     ///< keep the summed updates of batches with forget rows
  bool history = false;                ///< loss and accuracy after each epoch, in the model's facts
  double average_halflife = 0;   ///< rows; above 0: models have averaged weights (weight_average.h)
  double average_rampup = 0.05;  ///< its part of the rows seen so far is the longest half-life
  std::int64_t threads = 1;      ///< CPU threads per model; shapes its bytes
  /// float32, tf32 or bf16: of products and convolutions on CUDA; weights stay float32
  std::string precision = "float32";
  bool deterministic = false;  ///< on CUDA: the same bytes twice, at some cost of speed
  std::int64_t copies = 0;     ///< models per graph; 0: 1 on a CPU, many on CUDA if small
};

/// Reads the keys of an optimizer and a schedule from a flat table: optimizer, rate, momentum, ...
OptimizerSettings read_optimizer(Options& options, const OptimizerSettings& defaults = {});
ScheduleSettings read_schedule(Options& options, const ScheduleSettings& defaults = {});

/// Reads [train]: `preset` first, then whatever else is given. Calls finish().
TrainSettings read_train(Options& options);

/// Named settings of the papers with one line each, as TOML tables would give them.
struct Preset {
  std::string name;
  std::string summary;
  Json values;
};
const std::vector<Preset>& presets();

}  // namespace vestige::train
