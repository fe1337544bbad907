// The training log that amnesiac unlearning needs: the summed parameter updates of all steps whose
// batch held a forget row (Graves et al., "Amnesiac Machine Learning", AAAI 2021).
#pragma once

#include <string>
#include <vector>

#include "vestige/train/loop.h"

namespace vestige::train {

class UpdateLog {
 public:
  UpdateLog(models::Network& network, const Samples& samples, const Rows& forget);

  /// Hooks itself into a phase of a single copy; the phase must not outlive the log.
  void attach(Phase& phase);

  /// The sums as safetensors under the parameters' names.
  std::string bytes() const;

  std::int64_t steps() const { return steps_; }

 private:
  models::Network& network_;
  torch::Tensor is_forget_;  ///< bool [n]
  std::vector<torch::Tensor> before_, sums_;
  bool holds_ = false;
  std::int64_t steps_ = 0;
};

}  // namespace vestige::train
