// Palette, encodings and access to series.
#include "vestige/report/plot_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "vestige/metrics/family.h"
#include "vestige/report/json_fields.h"

namespace vestige::report {
namespace {

// Okabe and Ito (2008), "Color Universal Design", without the yellow that paper does not show.
const Json kPalette = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                       "#E69F00", "#56B4E9", "#8A6FBF", "#6B6B6B"};
/// How the roles look, in one place: nothing is told by colour alone.
struct Look {
  metrics::Control control;
  const char* shape;
  const char* color;
  std::vector<int> dash;
};
const std::vector<Look> kLooks = {
    {metrics::Control::none, "circle", "#0072B2", {1, 0}},
    {metrics::Control::floor, "diamond", "#009E73", {7, 3}},
    {metrics::Control::ceiling, "triangle-up", "#D55E00", {2, 2}},
    {metrics::Control::collapsed, "cross", "#7A7A7A", {1, 4}},
    {metrics::Control::graded, "square", "#CC79A7", {5, 2, 1, 2}},
    {metrics::Control::checkpoint, "triangle-down", "#56B4E9", {3, 3}}};

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

RoleStyle role_style(const Json& values) {
  const RoleScale scale = role_scale(values);
  RoleStyle style;
  style.shape = untitled("role");
  style.color = style.shape;
  style.shape["scale"] = {{"domain", scale.domain}, {"range", scale.shapes}};
  style.color["scale"] = {{"domain", scale.domain}, {"range", scale.colors}};
  return style;
}

namespace {

/// Controls have the same colour in every plot, methods the others in their order.
Json method_colours(const std::vector<std::string>& methods, const Json& values) {
  std::map<std::string, const char*> fixed;
  for (const Look& look : kLooks) {
    if (look.control != metrics::Control::none) fixed[role_of(look.control)] = look.color;
  }
  const std::vector<const char*> free = {"#0072B2", "#CC79A7", "#E69F00", "#56B4E9",
                                         "#8A6FBF", "#A6611A", "#333333", "#B8860B"};
  std::map<std::string, std::string> roles;
  for (const Json& value : values)
    roles.try_emplace(text_of(value, "method"), text_of(value, "role"));
  Json colours = Json::array();
  std::size_t next = 0;
  for (const std::string& method : methods) {
    const auto control = fixed.find(roles[method]);
    colours.push_back(control != fixed.end() ? control->second : free[next++ % free.size()]);
  }
  return colours;
}

}  // namespace

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
    style.color["scale"] = {{"domain", methods}, {"range", method_colours(methods, values)}};
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

const std::vector<double>& column(const metrics::Series& series, std::string_view name) {
  static const std::vector<double> kNone;
  for (const auto& [own, values] : series.columns) {
    if (own == name) return values;
  }
  return kNone;
}

SeriesList series_of(const Results& results, std::string_view kind) {
  SeriesList found;
  for (const metrics::Series& series : results.series) {
    const bool example = series.kind == "histogram" && series.params.contains("row");
    if ((example ? "examples" : std::string_view(series.kind)) == kind) found.push_back(&series);
  }
  return found;
}

std::string series_key(const metrics::Series& series, const std::vector<const char*>& parts) {
  std::string key = series.metric;
  for (const char* part : parts) {
    const std::string value = text_of(series.params, part);
    if (!value.empty()) key += fmt::format(" ({})", value);
  }
  return key;
}

std::vector<std::pair<std::string, SeriesList>> grouped(const SeriesList& series,
                                                        const std::vector<const char*>& parts) {
  std::vector<std::pair<std::string, SeriesList>> groups;
  std::map<std::string, std::size_t> places;
  for (const metrics::Series* one : series) {
    const std::string key = series_key(*one, parts);
    const auto [place, is_new] = places.try_emplace(key, groups.size());
    if (is_new) groups.push_back({key, {}});
    groups[place->second].second.push_back(one);
  }
  return groups;
}

PlotText text_for(std::string_view kind, std::string_view metric, const std::string& key,
                  const PlotText& general) {
  PlotText text = general;
  if (const metrics::SeriesInfo* info = metrics::find_series(kind, metric)) {
    if (!info->section.empty()) text.section = info->section;
    if (!info->title.empty()) text.title = info->title;
    if (!info->how.empty()) text.how = info->how;
    if (!info->axis.empty()) text.axis = info->axis;
  }
  const std::size_t place = text.title.find("{}");
  if (place != std::string::npos) text.title.replace(place, 2, key);
  return text;
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

std::string method_of(const metrics::Series& series) { return study::method_label(series.subject); }

std::vector<std::string> methods_of(const SeriesList& series) {
  using metrics::Control;
  std::vector<std::string> order;
  std::set<std::string> seen;
  for (const Control control : {Control::floor, Control::none, Control::graded, Control::ceiling,
                                Control::collapsed, Control::checkpoint}) {
    for (const metrics::Series* one : series) {
      if (one->control == control && seen.insert(method_of(*one)).second) {
        order.push_back(method_of(*one));
      }
    }
  }
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

bool follows_removal(const std::string& metric) {
  const metrics::MetricInfo* info = metrics::find_metric(metric);
  if (info == nullptr || info->shows_forgetting) return true;
  return !info->brief.empty() && info->utility_of.empty();
}

}  // namespace vestige::report
