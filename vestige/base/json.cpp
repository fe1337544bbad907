// Numbers that JSON cannot hold.
#include "vestige/base/json.h"

#include <cmath>

namespace vestige {

Json json_number(double value) {
  if (std::isnan(value)) return nullptr;
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

}  // namespace vestige
