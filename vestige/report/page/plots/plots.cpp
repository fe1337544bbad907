// The order of the plots on the page.
#include "vestige/report/page/plots/plots.h"

#include <fmt/format.h>

#include <iterator>
#include <map>

namespace vestige::report {

std::vector<Plot> plots(const Results& results) {
  std::vector<Block> all = blocks_of(results.rows);
  std::vector<Block> main = main_blocks(all);
  const PlotInput input{results, std::move(all), std::move(main)};
  std::vector<Plot> made;
  for (const auto maker : {trade_off_plot, value_plots, quality_plots, sorted_plots, example_plots,
                           roc_plots, histogram_plots, setting_curves, parameter_curves,
                           graded_plot, grade_tests_plot, before_after_plots, history_plots,
                           rank_plot, disagreement_plots, variance_plot, pareto_plot, cost_plot}) {
    std::vector<Plot> more = maker(input);
    made.insert(made.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
  }
  // Names become file names: two that look alike get a number.
  std::map<std::string, int> used;
  for (Plot& plot : made) {
    const int times = ++used[plot.name];
    if (times > 1) plot.name += fmt::format("-{}", times);
  }
  return made;
}

}  // namespace vestige::report
