// Palette, encodings and access to series.
#include "vestige/report/plot_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "vestige/report/read_results.h"

namespace vestige::report {
namespace {

// Okabe and Ito (2008), "Color Universal Design", without the yellow that paper does not show.
const Json kPalette = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                       "#E69F00", "#56B4E9", "#8A6FBF", "#6B6B6B"};
/// How the roles look, in one place: nothing is told by colour alone.
struct Look {
  const char* control;
  const char* shape;
  const char* color;
  std::vector<int> dash;
};
const std::vector<Look> kLooks = {{"", "circle", "#0072B2", {1, 0}},
                                  {"floor", "diamond", "#009E73", {7, 3}},
                                  {"ceiling", "triangle-up", "#D55E00", {2, 2}},
                                  {"collapsed", "cross", "#7A7A7A", {1, 4}},
                                  {"graded", "square", "#CC79A7", {5, 2, 1, 2}}};

struct RoleScale {
  Json domain = Json::array(), shapes = Json::array(), colors = Json::array(),
       dashes = Json::array();
};

RoleScale role_scale(const Json& values) {
  std::set<std::string> present;
  for (const Json& value : values) present.insert(text_of(value, "role"));
  RoleScale scale;
  for (const Look& look : kLooks) {
    if (present.count(role_of(look.control)) == 0) continue;
    scale.domain.push_back(role_of(look.control));
    scale.shapes.push_back(look.shape);
    scale.colors.push_back(look.color);
    scale.dashes.push_back(look.dash);
  }
  return scale;
}

constexpr const char* kSchemaUrl = "https://vega.github.io/schema/vega-lite/v6.json";

}  // namespace

Json new_spec(const std::string& title, const std::string& description) {
  return {{"$schema", kSchemaUrl},
          {"title", title},
          {"description", description},
          {"config", {{"range", {{"category", kPalette}}}}}};
}

Json plot_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

Json field(const char* name, const char* type, const char* title) {
  Json json = {{"field", name}, {"type", type}};
  if (title != nullptr) json["title"] = title;
  return json;
}

Json place_by(Json& values, const char* name, const std::vector<std::string>& order) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < order.size(); ++i) places.try_emplace(order[i], i);
  for (Json& value : values) {
    const auto found = places.find(text_of(value, name));
    value["at"] = found == places.end() ? order.size() : found->second;
  }
  return {{"field", "at"}, {"op", "min"}};
}

Json only(const Json& predicate) {
  Json filter;
  filter["filter"] = predicate;
  Json list = Json::array();
  list.push_back(filter);
  return list;
}

Json facet_by(const char* name) {
  return {{"field", name},
          {"type", "nominal"},
          {"sort", nullptr},
          {"title", nullptr},
          {"header", {{"labelAnchor", "start"}, {"labelFontWeight", "bold"}, {"labelLimit", 320}}}};
}

Json untitled(const char* name) {
  Json json = field(name, "nominal", nullptr);
  json["title"] = nullptr;
  return json;
}

std::string file_name(std::string_view text) {
  std::string name;
  for (const char character : text) {
    const bool letter = (character >= 'a' && character <= 'z') ||
                        (character >= '0' && character <= '9') || character == '.' ||
                        character == '_';
    if (letter) {
      name += character;
    } else if (character >= 'A' && character <= 'Z') {
      name += static_cast<char>(character - 'A' + 'a');
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  return name.substr(0, 80);
}

std::string role_of(std::string_view control) {
  if (control == "floor") return "retrained (floor)";
  if (control == "ceiling") return "original (ceiling)";
  if (control == "collapsed") return "constant predictor";
  if (control == "graded") return "partly retrained";
  return "method";
}

RoleStyle role_style(const Json& values) {
  const RoleScale scale = role_scale(values);
  RoleStyle style;
  style.shape = untitled("role");
  style.color = style.shape;
  style.shape["scale"] = {{"domain", scale.domain}, {"range", scale.shapes}};
  style.color["scale"] = {{"domain", scale.domain}, {"range", scale.colors}};
  return style;
}

LineStyle line_style(const std::vector<std::string>& methods, const Json& values) {
  LineStyle style;
  const RoleScale scale = role_scale(values);
  if (methods.size() <= kMostColours) {
    // One legend: every method has its colour and its role's dashes.
    Json dashes = Json::array();
    for (const std::string& method : methods) {
      std::size_t place = 0;
      for (const Json& value : values) {
        if (text_of(value, "method") != method) continue;
        const std::string role = text_of(value, "role");
        while (place + 1 < scale.domain.size() && scale.domain[place] != role) ++place;
        break;
      }
      dashes.push_back(scale.dashes[place]);
    }
    style.color = untitled("method");
    style.color["sort"] = nullptr;
    style.dash = style.color;
    style.color["scale"] = {{"domain", methods}};
    style.dash["scale"] = {{"domain", methods}, {"range", dashes}};
    return style;
  }
  style.dash = untitled("role");
  style.dash["scale"] = {{"domain", scale.domain}, {"range", scale.dashes}};
  style.params.push_back(
      {{"name", "shown"},
       {"value", methods.front()},
       {"bind", {{"input", "select"}, {"options", methods}, {"name", "In colour: "}}}});
  style.color = {{"condition", {{"test", "datum.method === shown"}, {"value", "#D55E00"}}},
                 {"value", "#9AA0A6"}};
  return style;
}

const Json& SeriesView::params() const { return list_of(*json, "params"); }

std::vector<double> SeriesView::column(const char* name) const {
  std::vector<double> values;
  for (const Json& value : list_of(list_of(*json, "columns"), name)) {
    values.push_back(value.is_number() ? value.get<double>() : metrics::kUndefined);
  }
  return values;
}

std::vector<SeriesView> series_of(const Json& results, std::string_view kind,
                                  std::string_view prefix) {
  std::vector<SeriesView> found;
  for (const Json& json : list_of(results, "series")) {
    if (!json.is_object()) continue;
    SeriesView series{&json,
                      text_of(json, "kind"),
                      text_of(json, "metric"),
                      text_of(json, "model"),
                      text_of(json, "group"),
                      text_of(json, "control")};
    if (series.kind != kind) continue;
    const bool fits = prefix.empty() || series.metric == prefix ||
                      (series.metric.starts_with(prefix) && series.metric[prefix.size()] == '.');
    if (fits) found.push_back(std::move(series));
  }
  return found;
}

std::vector<std::size_t> thinned(std::size_t points, std::size_t curves) {
  constexpr std::size_t kMost = 12000, kLeast = 24;  // of a plot, of a curve
  const std::size_t most = std::max(kLeast, kMost / std::max<std::size_t>(1, curves));
  std::vector<std::size_t> kept;
  if (points <= most) {
    for (std::size_t i = 0; i < points; ++i) kept.push_back(i);
    return kept;
  }
  for (std::size_t i = 0; i < most; ++i) kept.push_back(i * (points - 1) / (most - 1));
  return kept;
}

std::string method_of(const SeriesView& series) {
  metrics::Row row;
  row.model = series.model;
  return method_of(row);
}

std::vector<std::string> methods_of(const std::vector<SeriesView>& series) {
  std::vector<std::string> order;
  std::set<std::string> seen;
  const auto add = [&](auto&& wanted) {
    for (const SeriesView& one : series) {
      if (wanted(one.control) && seen.insert(method_of(one)).second) {
        order.push_back(method_of(one));
      }
    }
  };
  add([](const std::string& control) { return control == "floor"; });
  add([](const std::string& control) { return control.empty(); });
  add([](const std::string& control) { return control == "graded"; });
  add([](const std::string& control) { return control == "ceiling"; });
  add([](const std::string&) { return true; });
  return order;
}

std::string listed(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  const std::size_t shown = std::min(names.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == names.size();
    text += (i == 0 ? "" : last ? " and " : ", ") + names[i];
  }
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

}  // namespace vestige::report
