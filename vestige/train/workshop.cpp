// Samples and networks on the device of a lab.
#include "vestige/train/workshop.h"

#include <map>
#include <mutex>
#include <utility>

#include "vestige/train/engine.h"

namespace vestige::train {
namespace {

std::shared_ptr<const Samples> shared_samples(const Lab& lab) {
  static std::mutex mutex;
  static std::map<std::pair<const data::Dataset*, std::string>, std::weak_ptr<const Samples>> made;
  const std::scoped_lock lock(mutex);
  std::weak_ptr<const Samples>& place = made[{lab.dataset.get(), lab.device}];
  std::shared_ptr<const Samples> samples = place.lock();
  if (!samples) {
    samples = std::make_shared<Samples>(lab.data, device_named(lab.device));
    place = samples;
  }
  return samples;
}

/// Measured: grouped convolutions of several copies lose a tenth by it (bench/train).
bool gains_by_channels_last(std::int64_t copies) {
  return copies == 1 && engine_precision() != "float32";
}

}  // namespace

const Samples& Workshop::samples() {
  if (!samples_) samples_ = shared_samples(*lab_);
  return *samples_;
}

models::NetworkPointer Workshop::network(const Json& model, std::int64_t copies) {
  Options options(model, lab_->recipe.path.string() + ": [model]");
  models::NetworkPointer network =
      models::make(options, {lab_->data.shape, lab_->data.classes}, copies);
  network->to(device_named(lab_->device));
  if (lab_->device == "cuda" && gains_by_channels_last(copies)) {
    models::keep_channels_last(*network);
  }
  return network;
}

}  // namespace vestige::train
