// The plots as files.
#pragma once

#include <string>
#include <vector>

#include "vestige/report/results.h"

namespace vestige::report {

struct SpecFile {
  std::string name;  ///< "trade-off.vl.json"
  std::string text;
};

/// One Vega-Lite file per plot, with its data inside: alt.Chart.from_json(text) draws it.
std::vector<SpecFile> spec_files(const Results& results);

/// Whether some results have a plot of this name.
bool is_spec_file(const std::string& name);

}  // namespace vestige::report
