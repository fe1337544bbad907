// The one training loop of the language lab: AdamW along a warm-up and a cosine.
#pragma once

#include <functional>

#include "vestige/language/network.h"
#include "vestige/language/recipe.h"
#include "vestige/language/sequences.h"
#include "vestige/pool/job.h"

namespace vestige::language {

/// Log-probabilities [batch, tokens] of the targets, 0 where they are not scored.
torch::Tensor target_log_probabilities(const Network& network, const Batch& batch);
/// Mean negative log-likelihood of the scored tokens.
torch::Tensor cross_entropy(const Network& network, const Batch& batch);
/// Sum of log-probabilities of each sequence, [batch].
torch::Tensor sequence_log_probabilities(const Network& network, const Batch& batch);

/// Factor on the highest rate before step `step` of `steps`: up in a line, then half a cosine.
double rate_factor(std::int64_t step, std::int64_t steps, double warmup);

/// The update of Loshchilov and Hutter (2019), torch.optim.AdamW's rule; betas 0.9 and 0.95 and
/// epsilon 1e-8 are usual for language models. Matrices alone decay.
class AdamW {
 public:
  AdamW(Network& network, double weight_decay);
  /// One step with the gradients at hand, first shortened to `clip` if they are longer; `only`
  /// (1 or 0 for every weight) holds the others still.
  void step(double rate, double clip, const torch::Tensor& only = {});

 private:
  Network& network_;
  double weight_decay_;
  torch::Tensor first_, second_;
  std::int64_t steps_ = 0;
};

/// Reports how far a job is; throws Interrupted after Ctrl-C.
struct Watch {
  std::function<void(const pool::Report&)> report;
  double done = 0, total = 0;  ///< sequences
};

struct Cost {
  std::int64_t steps = 0;
  double sequences = 0, seconds = 0;
};

/// A stretch of training: `loss` is asked for before each step.
struct Stretch {
  StageSettings stage;
  std::int64_t steps = 0;
  double sequences_per_step = 0;
  torch::Tensor only{};  ///< weights that move; undefined: all
  std::function<torch::Tensor()> loss;
  std::function<void(std::int64_t step)> after_step{};  ///< steps count from 1 here
};
Cost run(Network& network, const Stretch& stretch, Watch& watch);

/// Ordinary training on sequences, for stage.steps steps, or stage.epochs epochs.
Cost fit(Network& network, const std::vector<Sequence>& sequences, const StageSettings& stage,
         std::uint64_t seed, const std::string& purpose, Watch& watch,
         std::function<void(std::int64_t step)> after_step = {});

}  // namespace vestige::language
