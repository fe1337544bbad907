// The inner values that an architecture lets one keep, by name. No LibTorch here.
#pragma once

#include <string>
#include <vector>

namespace vestige::models {

/// The taps of an architecture with its default options, in the order of the data flow; InputError
/// with the nearest known name if there is no such architecture.
std::vector<std::string> taps_of(const std::string& architecture);

}  // namespace vestige::models
