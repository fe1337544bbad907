// Copying weights between networks of one architecture.
#pragma once

#include "vestige/models/network.h"

namespace vestige::models {

/// Parameters and buffers of copy `from_copy` into copy `to_copy`, across devices; InputError if
/// the architectures differ.
void copy_weights(const Network& from, std::int64_t from_copy, Network& to, std::int64_t to_copy);

}  // namespace vestige::models
