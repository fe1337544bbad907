// Representation misdirection (Li et al. 2024, WMDP): states of forget after one block are drawn to
// a random direction, those of retain stay: L = mean |h(forget) - c u|^2 + a mean |h(retain) -
// h_original(retain)|^2. u has entries uniform in [0, 1), scaled to length 1. Only the blocks up to
// that one move, at most three of them, as in the published program.
#include <algorithm>

#include "vestige/base/seed.h"
#include "vestige/language/methods/methods.h"

namespace vestige::language {
namespace {

torch::Tensor random_direction(std::int64_t width, std::uint64_t seed, torch::Device device) {
  Stream stream(seed, "language/rmu");
  torch::Tensor direction = torch::empty({width}, torch::kFloat32);
  for (std::int64_t i = 0; i < width; ++i) {
    direction.data_ptr<float>()[i] = static_cast<float>(stream.uniform());
  }
  return (direction / direction.norm()).to(device);
}

/// Mean over scored places and entries.
torch::Tensor mean_square(const torch::Tensor& difference, const Batch& batch) {
  return (difference.square().mean(-1) * batch.scored).sum() / batch.scored.sum();
}

}  // namespace

Method rmu() {
  return {"rmu", "draws the states of forget to a random direction",
          "Li et al. 2024, The WMDP Benchmark (RMU)", [](Options& options) -> Run {
            const StageSettings stage =
                read_steps(options, {.epochs = 5, .rate = 1e-3, .weight_decay = 0});
            const std::int64_t block = options.integer("block", 0);
            if (block < 0) options.wrong("block", "blocks count from 1; 0: the middle one");
            const double steering = options.number("steering", 20);
            const double alpha = options.number("alpha", 100);
            return [=](Problem& problem) {
              Network& network = problem.network;
              const std::int64_t at =
                  block > 0 ? std::min(block, network.blocks()) : (network.blocks() + 1) / 2;
              std::vector<std::string> moved;
              for (std::int64_t each = std::max<std::int64_t>(0, at - 3); each < at; ++each) {
                moved.push_back(Network::block_name(each));
              }
              const NetworkPointer original = copy_of(problem);
              torch::Tensor direction;
              return run_pairs(
                  problem, stage,
                  [&](const Batch& forget, const Batch& retain) {
                    const torch::Tensor now = network.states(forget.inputs, at);
                    if (!direction.defined()) {
                      direction =
                          steering * random_direction(now.size(-1), problem.seed, now.device());
                    }
                    torch::Tensor before;
                    {
                      const torch::NoGradGuard no_gradient;
                      before = original->states(retain.inputs, at);
                    }
                    const torch::Tensor kept = network.states(retain.inputs, at) - before;
                    return mean_square(now - direction, forget) + alpha * mean_square(kept, retain);
                  },
                  network.mask(moved));
            };
          }};
}

}  // namespace vestige::language
