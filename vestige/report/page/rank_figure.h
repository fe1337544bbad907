// Mean ranks with the critical difference as a figure for papers: SVG, 84 mm wide.
#pragma once

#include <string>

#include "vestige/report/results.h"

namespace vestige::report {

/// One block per metric that passed its controls (six at most): methods by mean rank, best first,
/// with a grey bar from the first over Nemenyi's critical difference: who lies right of it is shown
/// to be worse. Empty where the results hold no such comparison.
std::string rank_figure_svg(const Results& results);

}  // namespace vestige::report
