// The original's own training on other rows.
#include "vestige/unlearn/parts/retraining.h"

#include "vestige/base/error.h"
#include "vestige/models/weights/checkpoint.h"
#include "vestige/train/from_scratch.h"

namespace vestige::unlearn {

train::Cost train_from_scratch(Problem& problem, const train::Rows& rows,
                               const std::function<void(train::Phase&)>& adjust) {
  models::Network& network = problem.network;
  const train::TrainSettings& settings = problem.training;
  const bool select = settings.select == "best_validation";
  require(
      !select || !problem.validation.empty(),
      "training that selects by validation needs validation examples: give [split] validation a "
      "number");
  models::initialise(network, 0, problem.seed);
  train::Phase phase = train::phase_of(settings, problem.samples, {rows});
  std::string best;
  double best_accuracy = 0;
  phase.after_epoch = [&](const train::Step&, double shown) {
    if (select) {
      const double accuracy = train::accuracy(network, problem.samples, problem.validation);
      network.train();
      if (best.empty() || accuracy > best_accuracy) {
        best_accuracy = accuracy;
        best = models::save(network, 0);
      }
    }
    // The running accuracy of the epoch lags behind, so the rows are looked at once it comes near.
    if (settings.until_accuracy > 0 && shown > settings.until_accuracy - 0.02) {
      const double accuracy = train::accuracy(network, problem.samples, rows);
      network.train();
      return accuracy < settings.until_accuracy;
    }
    return true;
  };
  if (adjust) adjust(phase);
  const train::Cost cost =
      train::run_phase(network, problem.samples, rows, problem.seed, phase, problem.watch);
  if (!best.empty()) models::load(network, 0, best, "the best epoch");
  return cost;
}

}  // namespace vestige::unlearn
