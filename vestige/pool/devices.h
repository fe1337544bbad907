// Which CUDA device a worker takes where a machine has several.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace vestige::pool {

/// "0,1,3" as numbers, "all" as those that the machine's driver shows; an InputError for anything
/// else.
std::vector<int> devices_in(const std::string& text);

/// This process will see only the device that falls to worker `place` of those that take `devices`
/// in turn (CUDA_VISIBLE_DEVICES, where a launcher's own list is picked from). To be called before
/// CUDA is.
void take_device(const std::vector<int>& devices, std::size_t place);

}  // namespace vestige::pool
