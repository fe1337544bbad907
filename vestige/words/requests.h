// The words of verdicts on erasure requests.
#pragma once

#include <string>

#include "vestige/result/requests.h"

namespace vestige::words {

/// "TRACES REMAIN".
std::string word(result::RequestWord word);

}  // namespace vestige::words
