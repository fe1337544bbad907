// ROUGE-L (Lin 2004): how much of a reference text stands in a generated one, in order.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

/// Lower-cased runs of the letters a-z and digits; with `stemming` words of more than three letters
/// are cut to their stem, as the rouge-score package does (stemming.h).
std::vector<std::string> rouge_words(std::string_view text, bool stemming);

struct RougeL {
  double recall = kUndefined;  ///< longest common subsequence per word of the reference
  double f1 = kUndefined;      ///< harmonic mean of recall and the same per generated word
};

/// NaN where the reference has no word; 0 where only the generated text has none.
RougeL rouge_l(std::span<const std::string> reference, std::span<const std::string> generated);

/// Line by line; both must have as many lines.
std::vector<RougeL> rouge_l_of_lines(std::span<const std::string> references,
                                     std::span<const std::string> generated, bool stemming);

}  // namespace vestige::metrics
