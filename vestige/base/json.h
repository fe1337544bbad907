// The JSON type: keys keep the order in which they were written, so files diff well.
#pragma once

#include <nlohmann/json.hpp>

namespace vestige {

using Json = nlohmann::ordered_json;

/// NaN and infinities have no JSON number: NaN is null, infinities are the strings "inf", "-inf".
Json json_number(double value);

}  // namespace vestige
