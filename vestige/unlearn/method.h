// What an unlearning method is: options in, a function that changes a model in place out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "vestige/base/options.h"
#include "vestige/models/network.h"
#include "vestige/train/evaluate.h"
#include "vestige/train/loop.h"
#include "vestige/train/settings.h"

namespace vestige::unlearn {

/// Everything a method may look at. `network` holds the original's weights and, at the end, the
/// unlearned ones; it is a single copy.
struct Problem {
  models::Network& network;
  const train::Samples& samples;
  train::Rows retain, forget, validation;  ///< validation may be empty unless Needs asks for it
  std::uint64_t seed = 0;                  ///< of this run of the method
  std::uint64_t original_seed = 0;         ///< that the original was initialised with
  const train::TrainSettings& training;    ///< how the original was trained
  Json forget_options;                     ///< [forget] of the split: kind, classes, ...
  /// Another network of the same architecture on the same device, its weights not set.
  std::function<models::NetworkPointer()> make_network;
  /// A file that the original's training kept ("forget_updates.safetensors"); InputError if none.
  std::function<std::string(const std::string& file)> original_file;
  train::Watch& watch;
  Json model = Json::object();  ///< [model] of the recipe: name, width, ...
};

/// What it cost, and whatever else the method wants to record.
struct Outcome {
  train::Cost cost;
  Json facts = Json::object();
  std::optional<double> seconds = {};  ///< where the method knows better than the clock around it
};

using Run = std::function<Outcome(Problem&)>;

/// What must be there before a method starts; missing things are said before any work.
struct Needs {
  bool validation = false;        ///< rows in the validation part
  bool class_forgetting = false;  ///< [forget] kind = class
  bool training_log = false;      ///< [train] log_forget_updates = true
  bool convolutions = false;      ///< an architecture with convolutions
  bool logits = true;             ///< a classifier; false: works on denoisers too
  bool denoiser = false;          ///< a network that takes noise away; then no logits
};

/// Named option values of a paper.
struct MethodPreset {
  std::string name;
  Json values;
};

struct Method {
  std::string id;
  std::string summary;  ///< one line
  std::string source;   ///< paper
  Needs needs;
  std::vector<MethodPreset> presets;
  /// Reads (and so checks) every option and returns the run. Called with an empty table it gives
  /// the defaults in options.used(), which `vestige methods` lists.
  std::function<Run(Options&)> prepare;
  /// What its models depend on besides options (hashes of files), given all options in force. It
  /// becomes part of their identity. Empty: nothing.
  std::function<Json(const Json& options)> depends = {};
};

/// Copies the weights and buffers of `from` (one copy) into a new network: a frozen teacher.
models::NetworkPointer copy_of(const Problem& problem, const models::Network& from);

/// A network of the same architecture with freshly drawn weights.
models::NetworkPointer fresh_network(const Problem& problem, std::uint64_t seed);

/// Rows 0..n of `rows` at random without replacement, ascending.
train::Rows subset(const train::Rows& rows, double fraction, std::uint64_t seed,
                   std::string_view purpose);

/// A phase with the optimiser and schedule read from flat options (epochs, batch, optimizer, rate,
/// momentum, weight_decay, schedule, ...) with the given defaults.
struct PhaseDefaults {
  double epochs = 1;
  std::int64_t batch = 128;
  double rate = 0.001;
  double momentum = 0.9;
  double weight_decay = 5e-4;
  std::string optimizer = "sgd";
  std::string schedule = "constant";
};
train::Phase read_phase(Options& options, const PhaseDefaults& defaults);

}  // namespace vestige::unlearn
