// A reason of every code with sample arguments: what the golden file and round trips go over.
#pragma once

#include "vestige/result/reason.h"

namespace vestige::testing {

/// Arguments are chosen by their names (sample_reasons.cpp), so that sentences read as in use.
result::Reason sample_reason(result::Code code);

}  // namespace vestige::testing
