// Samples and networks on the device of a lab.
#include "vestige/train/workshop.h"

namespace vestige::train {

const Samples& Workshop::samples() {
  if (!samples_) samples_.emplace(lab_->data, device_named(lab_->device));
  return *samples_;
}

models::NetworkPointer Workshop::network(const Json& model, std::int64_t copies) {
  Options options(model, lab_->recipe.path.string() + ": [model]");
  models::NetworkPointer network =
      models::make(options, {lab_->data.shape, lab_->data.classes}, copies);
  network->to(device_named(lab_->device));
  return network;
}

}  // namespace vestige::train
