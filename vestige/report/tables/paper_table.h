// The table that a paper prints: chosen methods by chosen metrics, one line for each method.
#pragma once

#include <string>
#include <vector>

#include "vestige/report/results.h"

namespace vestige::report {

/// What a reader asks for; empty lists stand for the metrics of overviews and for every method.
struct PaperChoice {
  std::vector<std::string> metrics{};
  std::vector<std::string> methods{};
  bool interval = true;
};

/// A tabular with the rules of booktabs, in the order asked for, retrained first and original last.
/// The best value of a column is bold: the highest, the lowest, or the one nearest to retrained. A
/// method that hardly changed the model has a dagger, one that is NOT TESTED or COLLAPSED a double
/// dagger, and neither is ever the best; nor is any value of a metric that cannot be read here,
/// which stands in italics with a question mark. In an experiment values are means over blocks with
/// half of their interval. Throws if the results lack a metric or method that was asked for.
std::string paper_table(const Results& results, const PaperChoice& choice);

}  // namespace vestige::report
