// Numbers, names and access to series.
#include "vestige/report/page/plots/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "vestige/metrics/family.h"
#include "vestige/report/json/json_fields.h"

namespace vestige::report {
Json plot_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

void place_by(Json& rows, const char* name, const std::vector<std::string>& order) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < order.size(); ++i) places.try_emplace(order[i], i);
  for (Json& row : rows) {
    const auto found = places.find(text_of(row, name));
    row["at"] = found == places.end() ? order.size() : found->second;
  }
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
  return name.substr(0, 100);
}

const std::vector<double>& column(const metrics::Series& series, std::string_view name) {
  static const std::vector<double> kNone;
  for (const auto& [own, values] : series.columns) {
    if (own == name) return values;
  }
  return kNone;
}

void add_points(const metrics::Series& series, const Json& labels,
                std::initializer_list<const char*> columns, std::size_t curves, Json& rows) {
  const auto size = [&](std::size_t place) {
    return column(series, columns.begin()[place]).size();
  };
  for (const std::size_t i : thinned(std::min(size(0), size(1)), curves)) {
    Json row = labels;
    for (const char* name : columns) {
      const std::vector<double>& values = column(series, name);
      row[name] = i < values.size() ? plot_number(values[i]) : nullptr;
    }
    rows.push_back(std::move(row));
  }
}

SeriesList series_of(const Results& results, std::string_view kind) {
  SeriesList found;
  for (const metrics::Series& series : results.series) {
    const bool example = series.kind == "histogram" && series.params.contains("row");
    if ((example ? "examples" : std::string_view(series.kind)) == kind) found.push_back(&series);
  }
  return found;
}

std::vector<std::pair<std::string, SeriesList>> grouped(const SeriesList& series,
                                                        const std::vector<const char*>& parts) {
  std::vector<std::pair<std::string, SeriesList>> groups;
  std::map<std::string, std::size_t> places;
  for (const metrics::Series* one : series) {
    std::string key = one->metric;
    for (const char* part : parts) {
      const std::string value = text_of(one->params, part);
      if (!value.empty()) key += fmt::format(" ({})", value);
    }
    const auto [place, is_new] = places.try_emplace(key, groups.size());
    if (is_new) groups.push_back({key, {}});
    groups[place->second].second.push_back(one);
  }
  return groups;
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
  for (const Control control : {Control::retrained, Control::none, Control::graded,
                                Control::original, Control::constant, Control::checkpoint}) {
    for (const metrics::Series* one : series) {
      if (one->control == control && seen.insert(method_of(*one)).second) {
        order.push_back(method_of(*one));
      }
    }
  }
  return order;
}

FamilyBlocks by_family(const std::vector<Block>& blocks, std::size_t most,
                       bool (*shown)(const Block& block)) {
  FamilyBlocks families;
  for (const Block& block : blocks) {
    if (!shown(block)) continue;
    const std::string family = family_of(block.metric);
    auto place = std::find_if(families.begin(), families.end(),
                              [&family](const auto& one) { return one.first == family; });
    if (place == families.end()) place = families.insert(place, {family, {}});
    if (place->second.size() < most) place->second.push_back(block);
  }
  return families;
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
