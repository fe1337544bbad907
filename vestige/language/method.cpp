// What methods share.
#include "vestige/language/method.h"

namespace vestige::language {

StageSettings read_steps(Options& options, const StageSettings& defaults) {
  StageSettings stage = defaults;
  stage.epochs = options.number("epochs", stage.epochs);
  if (!(stage.epochs > 0)) options.wrong("epochs", "it must be above 0");
  return read_stage(options, stage);
}

bool read_forget_only(Options& options) {
  return options.choice("rows", "all", {"all", "forget"}) == "forget";
}

NetworkPointer copy_of(const Problem& problem) {
  NetworkPointer copy = problem.make_network();
  copy->copy_from(problem.network);
  return copy;
}

Cost run_pairs(Problem& problem, const StageSettings& stage, const PairLoss& loss,
               const torch::Tensor& only) {
  const torch::Device device = problem.network.values().device();
  Batches forget(problem.forget, stage.batch, problem.seed, "language/unlearn/forget", device);
  Batches retain(problem.retain, stage.batch, problem.seed, "language/unlearn/retain", device);
  Stretch stretch{.stage = stage,
                  .steps = forget.steps(stage.epochs),
                  .sequences_per_step = 2 * static_cast<double>(stage.batch),
                  .only = only,
                  .loss = [&] {
                    const Batch forgotten = forget.next();
                    return loss(forgotten, retain.next());
                  }};
  problem.watch.total = static_cast<double>(stretch.steps) * stretch.sequences_per_step;
  return run(problem.network, stretch, problem.watch);
}

}  // namespace vestige::language
