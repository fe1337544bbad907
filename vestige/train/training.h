// Training from scratch as pool jobs. No LibTorch in this header.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "vestige/pool/job.h"
#include "vestige/pool/store.h"
#include "vestige/train/lab.h"

namespace vestige::train {

/// One job per graph: single models, or groups of `copies` models with consecutive indices. Models
/// that begin with another's weights read them from `store` (default: the recipe's pool folder).
std::vector<pool::Job> training_jobs(std::shared_ptr<const Lab> lab,
                                     const std::vector<ModelPlan>& plans,
                                     std::shared_ptr<pool::Store> store = nullptr);

/// Sets LibTorch's thread count for this process and the quiet defaults; called before any work.
void prepare_engine(const std::string& device, std::int64_t threads);

/// "LibTorch 1.13.1, OpenBLAS" and the like, for facts and error reports.
std::string engine_name();

}  // namespace vestige::train
