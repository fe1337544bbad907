// Whether rows that a family must hold as a whole fit the memory that the process may take.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "vestige/evidence/evidence.h"

namespace vestige::metrics {

/// Bytes of rows as doubles.
std::size_t held_bytes(std::size_t rows, std::size_t columns);

/// How many rows of so many columns fit memory().
std::size_t rows_within_memory(std::size_t columns);

/// Empty if `rows` rows fit memory(), else the sentence for Support: what would be held, how much
/// it is, and how many rows the family would take. `what`: "the outputs of a model".
std::string beyond_memory(std::string_view what, std::size_t rows, std::size_t columns);

/// The same of the model with the most rows in these splits together; a split that is named twice
/// counts twice.
std::string outputs_beyond_memory(const evidence::Evidence& evidence,
                                  std::initializer_list<std::string_view> splits);
/// Of its activations, layer by layer.
std::string activations_beyond_memory(const evidence::Evidence& evidence,
                                      std::initializer_list<std::string_view> splits);

}  // namespace vestige::metrics
