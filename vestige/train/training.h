// Training from scratch as pool jobs. No LibTorch in this header.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "vestige/pool/job.h"
#include "vestige/pool/store.h"
#include "vestige/train/engine.h"
#include "vestige/train/lab.h"

namespace vestige::train {

/// One job per graph: single models, or groups of `copies` models with consecutive indices. Models
/// that begin with another's weights read them from `store` (default: the recipe's pool folder).
std::vector<pool::Job> training_jobs(std::shared_ptr<const Lab> lab,
                                     const std::vector<ModelPlan>& plans,
                                     std::shared_ptr<pool::Store> store = nullptr);

}  // namespace vestige::train
