// Vega-Lite specifications as text.
#include "vestige/report/spec_files.h"

#include <fmt/format.h>

#include "vestige/report/first_screen.h"
#include "vestige/report/plots.h"
#include "vestige/report/rank_figure.h"
#include "vestige/report/strip.h"

namespace vestige::report {

std::vector<SpecFile> spec_files(const Results& results) {
  std::vector<SpecFile> files;
  for (const Plot& plot : plots(results)) {
    files.push_back({plot.name + ".vl.json",
                     plot.spec.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"});
  }
  const std::vector<Strip> strips = strips_of(results);
  for (std::size_t i = 0; i < strips.size(); ++i) {
    files.push_back({i == 0 ? "strip.svg" : fmt::format("strip-{}.svg", i + 1),
                     figure_svg(strips[i], page_title(results))});
  }
  const std::string ranks = rank_figure_svg(results);
  if (!ranks.empty()) files.push_back({"critical-difference.svg", ranks});
  return files;
}

}  // namespace vestige::report
