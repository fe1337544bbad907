// Loss and accuracy of models over the epochs of their training or unlearning.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "vestige/report/json_fields.h"
#include "vestige/report/plot_parts.h"

namespace vestige::report {
namespace {

constexpr std::size_t kMostHistoryPanels = 16;

/// The last value of each part, in words: "train 0.99, validation 0.87".
std::string at_the_end(const Json& parts, const char* quantity) {
  std::vector<std::string> ends;
  for (const auto& [part, values] : parts.items()) {
    const Json& list = list_of(values, quantity);
    if (list.empty() || !list.back().is_number()) continue;
    ends.push_back(fmt::format("{} {}", part, short_number(list.back().get<double>())));
  }
  return listed(ends);
}

std::vector<Plot> history_plot(const Json& histories, const char* quantity, const char* title) {
  Json values = Json::array();
  std::vector<std::string> words;
  std::size_t panels = 0;
  for (const Json& history : histories) {
    const Json& parts = list_of(history, "parts");
    const std::string panel =
        fmt::format("{}: {}", text_of(history, "arm"), text_of(history, "model"));
    const std::size_t before = values.size();
    if (panels == kMostHistoryPanels || !parts.is_object()) continue;
    for (const auto& [part, own] : parts.items()) {
      std::size_t epoch = 0;
      for (const Json& value : list_of(own, quantity)) {
        ++epoch;
        if (!value.is_number()) continue;
        values.push_back({{"panel", panel},
                          {"part", part},
                          {"epoch", epoch},
                          {"value", plot_number(value.get<double>())}});
      }
    }
    if (values.size() == before) continue;
    ++panels;
    words.push_back(fmt::format("{} ends at {}", panel, at_the_end(parts, quantity)));
  }
  if (values.empty()) return {};
  Plot plot{.name = fmt::format("history-{}", quantity),
            .section = "On the way",
            .title = fmt::format("{} after each epoch", title),
            .how =
                "One model of each kind and arm. Where the line of the rows that it was trained on "
                "leaves the line of rows that it never saw, it begins to know rows by heart.",
            .alt = fmt::format("{} by epoch: {}.", title, listed(words)),
            .spec = {}};
  plot.spec = new_spec(plot.title, plot.alt);
  Json y = field("value", "quantitative", title);
  y["scale"] = {{"zero", false}};
  plot.spec["data"] = {{"values", values}};
  plot.spec["facet"] = facet_by("panel");
  plot.spec["columns"] = 2;
  plot.spec["spec"] = {
      {"width", 270},
      {"height", 130},
      {"mark", {{"type", "line"}, {"point", {{"size", 14}}}, {"strokeWidth", 1.5}}},
      {"encoding",
       {{"x", field("epoch", "quantitative", "Epoch")},
        {"y", y},
        {"color", untitled("part")},
        {"strokeDash", untitled("part")},  // one legend with the colour: the same field
        {"tooltip",
         {field("part", "nominal", "Rows"), field("epoch", "quantitative", "Epoch"),
          field("value", "quantitative", title)}}}}};
  return {plot};
}

}  // namespace

std::vector<Plot> history_plots(const PlotInput& input) {
  const Json& histories = list_of(input.results.bench, "histories");
  std::vector<Plot> made = history_plot(histories, "loss", "Loss");
  for (Plot& plot : history_plot(histories, "accuracy", "Accuracy")) {
    made.push_back(std::move(plot));
  }
  return made;
}

}  // namespace vestige::report
