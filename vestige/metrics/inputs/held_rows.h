// Whether rows that a family must hold as a whole fit the memory of the context.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>

#include "vestige/base/context.h"
#include "vestige/evidence/evidence.h"
#include "vestige/metrics/result.h"

namespace vestige::metrics {

/// Bytes of rows as doubles.
std::size_t held_bytes(std::size_t rows, std::size_t columns);

/// How many rows of so many columns fit.
std::size_t rows_within_memory(const Context& context, std::size_t columns);

/// Empty if so many rows of an array of one model fit the memory, else why not and what to do.
/// `array`: "outputs", "saliency", "activations/LAYER".
Reason beyond_memory(const Context& context, std::string_view array, std::size_t rows,
                     std::size_t columns);

/// The same of the model with the most rows in these splits together; a split that is named twice
/// counts twice.
Reason outputs_beyond_memory(const Context& context, const evidence::Evidence& evidence,
                             std::initializer_list<std::string_view> splits);
/// Of its activations, layer by layer.
Reason activations_beyond_memory(const Context& context, const evidence::Evidence& evidence,
                                 std::initializer_list<std::string_view> splits);

}  // namespace vestige::metrics
