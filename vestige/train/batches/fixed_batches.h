// Who shares a batch with whom where batch membership is drawn once (SDE, A.4).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace vestige::train {

/// Row -> number of its batch, as `fixed_batches` of a training from scratch draws them from the
/// model's seed. The rows of the last batch, which may be smaller, count too.
std::map<std::int64_t, std::int64_t> fixed_batch_of(const std::vector<std::int64_t>& rows,
                                                    std::uint64_t seed, std::int64_t batch);

}  // namespace vestige::train
