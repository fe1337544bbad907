// Vega-Lite specifications as text.
#include "vestige/report/page/spec_files.h"

#include <fmt/format.h>

#include "vestige/report/page/escape.h"
#include "vestige/report/page/first_screen.h"
#include "vestige/report/page/plots/plots.h"
#include "vestige/report/page/rank_figure.h"
#include "vestige/report/summary_plot.h"

namespace vestige::report {

bool is_spec_file(const std::string& name) {
  return name.ends_with(".vl.json") || name == "critical-difference.svg" ||
         (name.starts_with("summary") && name.ends_with(".svg"));
}

std::vector<SpecFile> spec_files(const Results& results) {
  std::vector<SpecFile> files;
  for (const Plot& plot : plots(results)) {
    files.push_back({plot.name + ".vl.json",
                     plot.spec.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"});
  }
  const std::vector<SummaryPlot> summaries = summary_plots(results);
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    files.push_back({i == 0 ? "summary.svg" : fmt::format("summary-{}.svg", i + 1),
                     xml_legible(figure_svg(summaries[i], page_title(results)))});
  }
  const std::string ranks = rank_figure_svg(results);
  if (!ranks.empty()) files.push_back({"critical-difference.svg", xml_legible(ranks)});
  return files;
}

}  // namespace vestige::report
