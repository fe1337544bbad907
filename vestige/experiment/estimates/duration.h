// Times as people write and read them.
#pragma once

#include <string>

namespace vestige::experiment {

/// "10m", "90s", "1h30m" as seconds; InputError otherwise.
double parse_duration(const std::string& text);
/// "3 min 20 s".
std::string duration_text(double seconds);

}  // namespace vestige::experiment
