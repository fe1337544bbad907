// Templates filled with rows; colours, shapes and dashes are those of web/plots/looks.json.
#include "vestige/report/page/plots/plot_template.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <stdexcept>

#include "vestige/base/json_template.h"
#include "vestige/metrics/family.h"
#include "vestige/report/json/json_fields.h"
#include "vestige/report/page/plots/parts.h"
#include "vestige/report/page/web_files.h"

namespace vestige::report {
namespace {

/// Lines beyond that many are drawn grey, one of them in colour.
constexpr std::size_t kMostColours = 8;

const Json& template_named(const std::string& kind) {
  const Json& all = plot_templates();
  if (!all.contains(kind)) throw std::logic_error(fmt::format("web/plots has no {}.json", kind));
  return all[kind];
}

/// Roles that the rows have, and how they look.
void add_roles(Json& values) {
  std::set<std::string> present;
  for (const Json& row : values["values"]) present.insert(text_of(row, "role"));
  for (const char* list : {"roles", "role_shapes", "role_colors", "role_dashes"}) {
    values[list] = Json::array();
  }
  for (const auto& [role, look] : template_named("looks")["roles"].items()) {
    if (!present.contains(role)) continue;
    values["roles"].push_back(role);
    values["role_shapes"].push_back(look["shape"]);
    values["role_colors"].push_back(look["color"]);
    values["role_dashes"].push_back(look["dash"]);
  }
}

/// Controls have the same colour and dashes in every plot, methods other colours in their order.
void add_lines(Json& values) {
  const Json& looks = template_named("looks");
  const Json& free = looks["method_colors"];
  std::map<std::string, std::string> roles;
  for (const Json& row : values["values"]) {
    roles.try_emplace(text_of(row, "method"), text_of(row, "role"));
  }
  Json colors = Json::array(), dashes = Json::array();
  std::size_t next = 0;
  for (const Json& method : values["methods"]) {
    const std::string role = roles[method.get<std::string>()];
    const bool control = role != role_of(metrics::Control::none) && looks["roles"].contains(role);
    colors.push_back(control ? looks["roles"][role]["color"] : free[next++ % free.size()]);
    dashes.push_back(role.empty() ? values["role_dashes"][0] : looks["roles"][role]["dash"]);
  }
  values["method_colors"] = std::move(colors);
  values["method_dashes"] = std::move(dashes);
  values["first_method"] = values["methods"].front();
  const bool few = values["methods"].size() <= kMostColours;
  values.update(fill(looks[few ? "few_lines" : "many_lines"],
                     {values, Json::object(), "web/plots/looks.json"}));
}

}  // namespace

const Json& plot_templates() {
  static const Json all = Json::parse(web_plots());
  return all;
}

PlotTemplate::PlotTemplate(const std::string& kind) : kind_(kind), parts_(template_named(kind)) {
  parts_.emplace("words", Json::object());
}

PlotTemplate::PlotTemplate(const std::string& kind, std::string_view series_kind,
                           std::string_view metric)
    : PlotTemplate(kind) {
  const metrics::SeriesInfo* info = metrics::find_series(series_kind, metric);
  if (info == nullptr) return;
  if (!info->section.empty()) parts_["section"] = info->section;
  if (!info->how.empty()) parts_["how"] = info->how;
  if (!info->axis.empty()) parts_["words"]["axis"] = info->axis;
  if (info->title.empty()) return;
  std::string title(info->title);
  const std::size_t place = title.find("{}");
  if (place != title.npos) title.replace(place, 2, "{key}");
  parts_["title"] = std::move(title);
}

std::string PlotTemplate::word(const std::string& name, const Json& values) const {
  const Filling filling{values, parts_["words"], fmt::format("web/plots/{}.json", kind_)};
  return fill("{" + name + "}", filling).get<std::string>();
}

const Json& PlotTemplate::table(const std::string& name) const { return parts_["words"].at(name); }

double PlotTemplate::number(const char* key) const { return parts_["spec"].at(key).get<double>(); }

Plot PlotTemplate::plot(Json values) const {
  if (values["values"].front().contains("role")) add_roles(values);
  if (values.contains("methods")) add_lines(values);
  const Filling filling{values, parts_["words"], fmt::format("web/plots/{}.json", kind_)};
  const auto text = [&](const char* part) {
    return parts_.contains(part) ? fill(parts_[part], filling).get<std::string>() : std::string();
  };
  Plot plot{.name = file_name(text("name")),
            .section = text("section"),
            .title = text("title"),
            .how = text("how"),
            .alt = text("alt"),
            .spec = {},
            .lead = text("lead")};
  plot.spec = fill(template_named("looks")["spec"],
                   {{{"title", plot.title}, {"alt", plot.alt}}, Json::object(), "looks"});
  plot.spec.update(fill(parts_["spec"], filling));
  return plot;
}

}  // namespace vestige::report
