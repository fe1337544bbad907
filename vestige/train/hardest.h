// The forget set that is hardest to forget: the bilevel search of Fan et al., "Challenging Forgets:
// Unveiling the Worst-Case Forget Sets in Machine Unlearning" (ECCV 2024). No LibTorch here.
//
// Upper level: weights w in [0, 1]^n with sum m over the training rows that make the unlearned
// model remember the chosen rows best, min_w sum_i w_i loss_i(theta_u(w)) + gamma |w|^2. Lower
// level: theta_u(w) unlearns by signSGD from the original, whose step has no derivative with
// respect to w, so that the gradient of the upper level is loss_i(theta_u) + 2 gamma w_i. The
// weights are projected back after each round; in the end the m largest are the forget set.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vestige/base/options.h"
#include "vestige/train/lab.h"

namespace vestige::train {

struct HardestSettings {
  std::int64_t count = 0;    ///< rows to find
  std::int64_t rounds = 20;  ///< upper-level steps
  double rate = 0.1;         ///< of the upper level, on losses scaled to a mean of 1
  double gamma = 1e-4;       ///< pull towards equal weights
  double lower_epochs = 1;   ///< of signSGD per round
  double lower_rate = 1e-4;  ///< size of every sign step
  double forget_weight = 1;  ///< of ascent on w_i beside descent on 1 - w_i
  std::int64_t batch = 128;
};

HardestSettings read_hardest(Options& options);

struct HardestRows {
  std::vector<std::int64_t> rows;  ///< ascending
  std::vector<double> weights;     ///< final weights of all rows that may be chosen, in their order
};

/// Searches from the original whose checkpoint is `model` (bytes of model.safetensors): among all
/// training rows or, where the training set grew ([dynamic]), among those that came later, because
/// only they can be forgotten.
HardestRows find_hardest(std::shared_ptr<const Lab> lab, const Json& model,
                         const std::string& checkpoint, const HardestSettings& settings,
                         std::uint64_t seed);

/// The point of {w in [0, 1]^n, sum w = total} nearest to `values`: bisection on the shift.
std::vector<double> project_to_budget(std::vector<double> values, double total);

}  // namespace vestige::train
