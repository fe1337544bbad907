// The explicit table of methods, for those who run them.
#pragma once

#include <string>
#include <vector>

#include "vestige/unlearn/method.h"
#include "vestige/unlearn/repair.h"

namespace vestige::unlearn {

/// In the order of the documentation.
const std::vector<Method>& table();

/// The method of this name; InputError with the nearest known name. "host+repair:donor" is a host
/// whose repair objective is the donor's, "method+conformal" a method with the conformal term.
Method find_method(const std::string& name);

}  // namespace vestige::unlearn
