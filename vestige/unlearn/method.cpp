// Small things that most methods need.
#include "vestige/unlearn/method.h"

#include <cmath>

#include "vestige/models/clone.h"

namespace vestige::unlearn {

models::NetworkPointer copy_of(const Problem& problem, const models::Network& from) {
  models::NetworkPointer network = problem.make_network();
  models::copy_weights(from, 0, *network, 0);
  network->eval();
  return network;
}

models::NetworkPointer fresh_network(const Problem& problem, std::uint64_t seed) {
  models::NetworkPointer network = problem.make_network();
  models::initialise(*network, 0, seed);
  return network;
}

train::Rows subset(const train::Rows& rows, double fraction, std::uint64_t seed,
                   std::string_view purpose) {
  Stream stream(seed, purpose);
  const auto count =
      static_cast<std::size_t>(std::llround(fraction * static_cast<double>(rows.size())));
  train::Rows result;
  for (const std::size_t index : stream.sample(rows.size(), count)) result.push_back(rows[index]);
  return result;
}

train::Phase read_phase(Options& options, const PhaseDefaults& defaults) {
  train::Phase phase;
  phase.epochs = options.number("epochs", defaults.epochs);
  if (!(phase.epochs >= 0)) options.wrong("epochs", "it must not be negative");
  phase.batch = options.integer("batch", defaults.batch);
  if (phase.batch < 1) options.wrong("batch", "it must be at least 1");
  train::OptimizerSettings optimizer;
  optimizer.kind = defaults.optimizer;
  optimizer.rate = defaults.rate;
  optimizer.momentum = defaults.momentum;
  optimizer.weight_decay = defaults.weight_decay;
  phase.optimizer = train::read_optimizer(options, optimizer);
  train::ScheduleSettings schedule;
  schedule.kind = defaults.schedule;
  phase.schedule = train::read_schedule(options, schedule);
  return phase;
}

}  // namespace vestige::unlearn
