// The declared margins that verdicts rest on (docs/concepts/verdicts.md). Larger ones are laxer.
#pragma once

#include <string_view>

#include "vestige/result/row.h"

namespace vestige::result {

/// Named as in policies; results.json has them in `run.options`, "verdict.margin" and so on. NaN:
/// not stated.
struct Margins {
  double margin = kUndefined;
  double smallest_effect = kUndefined;
  double utility_margin = kUndefined;
  double likelihood_margin = kUndefined;

  static constexpr std::string_view kType = "Margins";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("margin", &Margins::margin,
          "equivalence margin, as a share of the original-retrained difference");
    visit("smallest_effect", &Margins::smallest_effect,
          "smallest difference that counts, as a share of the original-retrained difference");
    visit("utility_margin", &Margins::utility_margin,
          "accuracy that may be lost on the retain and test sets");
    visit("likelihood_margin", &Margins::likelihood_margin,
          "log-probability per token that may be lost there, in nats");
  }
};

}  // namespace vestige::result
