// Grouping of rows by metric and setting.
#include "vestige/report/blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "vestige/audit/controls.h"
#include "vestige/metrics/family.h"

namespace vestige::report {
namespace {

using metrics::Control;
using study::StudyRow;

/// Where a row stands in tables and plots: what perfect forgetting looks like, the methods, what no
/// forgetting looks like, the rest.
int place_of(Control control) {
  switch (control) {
    case Control::retrained:
      return 0;
    case Control::none:
      return 1;
    case Control::graded:
      return 2;
    case Control::original:
      return 3;
    case Control::constant:
      return 4;
    case Control::checkpoint:
      return 5;
  }
  return 6;
}

/// Whether a family measures what is kept rather than what is forgotten.
bool measures_utility(const metrics::Family& family) {
  return std::any_of(family.metrics.begin(), family.metrics.end(),
                     [](const metrics::MetricInfo& info) { return !info.utility_of.empty(); });
}

/// How the settings that families share are shown; others as "name value".
constexpr std::pair<const char*, const char*> kShownAs[] = {
    {"mode", ""},      {"setup", "setup "}, {"models", "N="}, {"alpha", "alpha "},
    {"score", ""},     {"rule", ""},        {"features", ""}, {"classifier", ""},
    {"form", "form "}, {"layer", "layer "}, {"fpr", "FPR "}};

}  // namespace

std::string Block::label() const {
  return setting.empty() ? metric : fmt::format("{} [{}]", metric, setting);
}

bool Block::has(Control control) const {
  return std::any_of(rows.begin(), rows.end(), [control](const StudyRow* row) {
    return row->row.control == control && !std::isnan(row->row.value);
  });
}

std::string setting_text(const metrics::Row& row) {
  std::string text;
  const auto add = [&](const std::string& before, const Json& value) {
    text += (text.empty() ? "" : ", ") + before +
            (value.is_string() ? value.get<std::string>() : value.dump());
  };
  for (const auto& [key, before] : kShownAs) {
    if (row.settings.contains(key)) add(before, row.settings[key]);
  }
  for (const auto& [key, value] : row.settings.items()) {
    const auto same = [&key = key](const auto& shown) { return key == shown.first; };
    if (std::none_of(std::begin(kShownAs), std::end(kShownAs), same)) add(key + " ", value);
  }
  return text;
}

std::string role_of(Control control) {
  switch (control) {
    case Control::none:
      return "method";
    case Control::retrained:
      return "retrained";
    case Control::original:
      return "original";
    case Control::constant:
      return "constant predictor";
    case Control::graded:
      return "partly retrained";
    case Control::checkpoint:
      return "checkpoint";
  }
  return "";
}

std::string method_of(const metrics::Row& row) { return study::method_label(row.subject); }

std::vector<Block> blocks_of(const std::vector<StudyRow>& rows) {
  std::vector<Block> blocks;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
  for (const StudyRow& row : rows) {
    const auto [place, is_new] =
        places.try_emplace({row.row.metric, audit::setting(row.row), row.audit}, blocks.size());
    if (is_new) blocks.push_back({row.row.metric, setting_text(row.row), row.audit, {}});
    blocks[place->second].rows.push_back(&row);
  }
  return blocks;
}

std::vector<Block> main_blocks(const std::vector<Block>& all) {
  std::vector<Block> chosen;
  std::map<std::string, std::size_t> places;
  for (const Block& block : all) {
    const auto [place, is_new] = places.try_emplace(block.metric, chosen.size());
    if (is_new) {
      chosen.push_back(block);
      continue;
    }
    Block& present = chosen[place->second];
    const bool first_audit = block.audit == present.audit;
    if (first_audit && !present.has(Control::retrained) && block.has(Control::retrained))
      present = block;
  }
  return chosen;
}

bool in_utility_family(std::string_view metric) {
  const metrics::Family* family = metrics::family_of(metric);
  return family != nullptr && measures_utility(*family);
}

bool is_utility(std::string_view metric) {
  const metrics::MetricInfo* info = metrics::find_metric(metric);
  if (info == nullptr) return false;
  return !info->utility_of.empty() || (info->speech.has_value() && in_utility_family(metric));
}

std::vector<Block> headline_blocks(const std::vector<Block>& all) {
  std::vector<Block> chosen;
  std::set<const void*> families;
  for (const Block& block : main_blocks(all)) {
    const metrics::MetricInfo* info = metrics::find_metric(block.metric);
    if (info == nullptr) continue;
    const metrics::Family* family = metrics::family_of(block.metric);
    const bool forgetting =
        !measures_utility(*family) && info->shows_forgetting && families.insert(family).second;
    if (forgetting || is_utility(block.metric)) chosen.push_back(block);
  }
  return chosen;
}

std::string family_of(std::string_view metric) {
  const metrics::Family* family = metrics::family_of(metric);
  return std::string(family != nullptr ? family->name : metric.substr(0, metric.find('.')));
}

std::vector<std::string> method_order(const std::vector<Block>& blocks) {
  std::vector<std::pair<int, std::string>> found;
  std::set<std::string> seen;
  for (const Block& block : blocks) {
    for (const StudyRow* row : block.rows) {
      const std::string method = method_of(row->row);
      if (seen.insert(method).second) found.emplace_back(place_of(row->row.control), method);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
  std::vector<std::string> order;
  for (const auto& [place, method] : found) order.push_back(method);
  return order;
}

std::string short_number(double value) {
  if (std::isnan(value)) return "undefined";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == std::floor(value) && std::abs(value) < 1e7) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

}  // namespace vestige::report
