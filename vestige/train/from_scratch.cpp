// Settings to a phase.
#include "vestige/train/from_scratch.h"

namespace vestige::train {

Phase phase_of(const TrainSettings& settings, const Samples& samples,
               const std::vector<Rows>& rows) {
  Phase phase;
  phase.epochs = settings.epochs;
  phase.batch = settings.batch;
  phase.optimizer = settings.optimizer;
  phase.schedule = settings.schedule;
  phase.augment = settings.augment;
  phase.fixed_batches = settings.fixed_batches;
  phase.average_halflife = settings.average_halflife;
  phase.average_rampup = settings.average_rampup;
  if (settings.class_weights == "reciprocal") {
    std::vector<torch::Tensor> weights;
    for (const Rows& each : rows) {
      weights.push_back(samples.class_counts(each).clamp_min(1).reciprocal());
    }
    phase.objective = cross_entropy(torch::stack(weights));
    phase.recordable = true;
  }
  return phase;
}

}  // namespace vestige::train
