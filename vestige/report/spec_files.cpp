// Vega-Lite specifications as text.
#include "vestige/report/spec_files.h"

#include "vestige/report/plots.h"

namespace vestige::report {

std::vector<SpecFile> spec_files(const Results& results) {
  std::vector<SpecFile> files;
  for (const Plot& plot : plots(results)) {
    files.push_back({plot.name + ".vl.json",
                     plot.spec.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"});
  }
  return files;
}

}  // namespace vestige::report
