// ScoreUI (IAM paper, 5.2): shadow models that go on training on the original's rows, kept on the
// way. How well do membership scores follow the share of the way?
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family score_ui_family();

}  // namespace vestige::metrics
