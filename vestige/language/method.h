// What an unlearning method for language models is: options in, a function that changes a network
// in place out; or a text that is put before every sequence and leaves the weights alone.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vestige/language/loop.h"

namespace vestige::language {

/// Everything a method may look at. `network` holds the original's weights and, at the end, the
/// unlearned ones.
struct Problem {
  Network& network;
  const std::vector<Sequence>& forget;
  const std::vector<Sequence>& retain;
  const StageSettings& finetune;  ///< how the original was fine-tuned
  std::uint64_t seed = 0;         ///< of this run
  /// Another network of the same architecture on the same device, its weights not set.
  std::function<NetworkPointer()> make_network;
  std::function<std::string()> pretrained;  ///< weights that the original began with, as bytes
  Watch& watch;
};

using Run = std::function<Cost(Problem&)>;

/// What stands before a sequence and is not scored.
struct Prefix {
  std::function<std::string(const Passage& passage, std::size_t row)> text;
  bool forget_only = false;  ///< or before every sequence, since a guard cannot know which is which
};

/// `rows`: "all" or "forget".
bool read_forget_only(Options& options);

struct Method {
  std::string id;
  std::string summary;  ///< one line
  std::string source;   ///< paper
  /// Reads, and so checks, every option and returns the run; empty where `prefix` is set.
  std::function<Run(Options&)> prepare{};
  /// Reads what stands before a sequence; the model is the original itself.
  std::function<Prefix(Options&)> prefix{};
};

/// epochs (over forget), batch, rate, warmup, weight_decay, clip with these defaults.
StageSettings read_steps(Options& options, const StageSettings& defaults);

/// A network with the same weights, for comparison.
NetworkPointer copy_of(const Problem& problem);

/// Steps over batches of forget, each with a batch of retain of the same size.
using PairLoss = std::function<torch::Tensor(const Batch& forget, const Batch& retain)>;
Cost run_pairs(Problem& problem, const StageSettings& stage, const PairLoss& loss,
               const torch::Tensor& only = {});

}  // namespace vestige::language
