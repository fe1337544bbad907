// Loss and accuracy of models over the epochs of their training or unlearning.
#include <fmt/format.h>

#include "vestige/report/json/json_fields.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/page/plots/parts.h"
#include "vestige/report/page/plots/plot_template.h"

namespace vestige::report {

std::vector<Plot> history_plots(const PlotInput& input) {
  constexpr std::size_t kMostHistoryPanels = 16;
  const PlotTemplate pattern("history");
  std::vector<Plot> made;
  for (const char* quantity : {"loss", "accuracy"}) {
    Json rows = Json::array();
    std::vector<std::string> ends;  // a sentence per panel
    const Json bench = bench_json_of(input.results);
    for (const Json& history : list_of(bench, "histories")) {
      const Json& parts = list_of(history, "parts");
      if (ends.size() == kMostHistoryPanels || !parts.is_object()) continue;
      const std::string panel = pattern.word("panel", {{"variant", text_of(history, "variant")},
                                                       {"model", text_of(history, "model")}});
      const std::size_t before = rows.size();
      std::vector<std::string> last;  // "train 0.99", "validation 0.87"
      for (const auto& [part, own] : parts.items()) {
        const Json& list = list_of(own, quantity);
        for (std::size_t i = 0; i < list.size(); ++i) {
          if (!list[i].is_number()) continue;
          const double value = list[i].get<double>();
          rows.push_back(
              {{"panel", panel}, {"part", part}, {"epoch", i + 1}, {"value", plot_number(value)}});
          if (i + 1 == list.size()) last.push_back(fmt::format("{} {}", part, short_number(value)));
        }
      }
      if (rows.size() == before) continue;
      ends.push_back(pattern.word("end", {{"panel", panel}, {"parts", listed(last)}}));
    }
    if (rows.empty()) continue;
    made.push_back(pattern.plot({{"values", std::move(rows)},
                                 {"key", quantity},
                                 {"quantity", pattern.word(quantity)},
                                 {"ends", listed(ends)}}));
  }
  return made;
}

}  // namespace vestige::report
