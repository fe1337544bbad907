// What jobs share inside a process: the samples on the device, made when the first job needs them,
// and networks built for a lab's data.
#pragma once

#include <memory>

#include "vestige/models/network.h"
#include "vestige/train/batches/samples.h"
#include "vestige/train/lab.h"

namespace vestige::train {

class Workshop {
 public:
  explicit Workshop(std::shared_ptr<const Lab> lab) : lab_(std::move(lab)) {}

  const Lab& lab() const { return *lab_; }
  const Samples& samples();
  /// A network of `copies` copies on the lab's device, with its weights not yet set.
  models::NetworkPointer network(const Json& model, std::int64_t copies = 1);

 private:
  std::shared_ptr<const Lab> lab_;
  std::shared_ptr<const Samples> samples_;  ///< shared by workshops on the same data and device
};

}  // namespace vestige::train
