// A device that no longer answers, or never will: what LibTorch and CUDA say, in one sentence with
// a remedy. Text alone, no LibTorch.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "vestige/base/error.h"

namespace vestige::pool {

/// The device of this process is of no more use to it: every further job would fail. The worker
/// ends; its job is not counted as failed, and other workers or a later run make it.
class DeviceLost : public InputError {
 public:
  using InputError::InputError;
};

/// The sentence for an exception's text; nothing if it is not about a device that is lost or does
/// not fit. Too little memory is not: a smaller job may fit.
std::optional<std::string> device_trouble(std::string_view what);

}  // namespace vestige::pool
