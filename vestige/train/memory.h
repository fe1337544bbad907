// Several models in one graph on a device whose memory does not hold them all. No LibTorch.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <vector>

#include "vestige/pool/job.h"

namespace vestige::train {

/// Whether an exception says that memory was short: std::bad_alloc, or LibTorch's words for it.
bool lacks_memory(const std::exception& error);

/// The products of models first ... first + count - 1, trained in one graph.
using MakeGroup = std::function<std::vector<pool::Product>(std::size_t first, std::size_t count)>;

/// All products of `count` models, in one graph if memory suffices, else in graphs of half as many,
/// a quarter, ...; the last exception if not even one model fits. Companions shape a model by
/// rounding only; where it had fewer than its name says, facts has their number ("graph"), and one
/// line on stderr says how many fit. It begins with graphs of `largest` models where that is not 0.
std::vector<pool::Product> make_within_memory(std::size_t count, const MakeGroup& make,
                                              std::size_t largest = 0);

}  // namespace vestige::train
