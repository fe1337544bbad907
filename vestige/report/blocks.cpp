// Grouping of rows by metric and setting.
#include "vestige/report/blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

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
    case Control::floor:
      return 0;
    case Control::none:
      return 1;
    case Control::graded:
      return 2;
    case Control::ceiling:
      return 3;
    case Control::collapsed:
      return 4;
    case Control::checkpoint:
      return 5;
  }
  return 6;
}

const metrics::Family* find_family(std::string_view metric) {
  for (const metrics::Family& family : metrics::families()) {
    for (const metrics::MetricInfo& info : family.ids) {
      if (info.id == metric) return &family;
    }
  }
  return nullptr;
}

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
  const auto add = [&](const char* key, const std::string& shown) {
    if (row.params.contains(key)) {
      const Json& value = row.params[key];
      text += (text.empty() ? "" : ", ") + shown +
              (value.is_string() ? value.get<std::string>() : value.dump());
    }
  };
  add("mode", "");
  add("setup", "setup ");
  add("models", "N=");
  add("alpha", "alpha ");
  add("score", "");
  add("rule", "");
  add("features", "");
  add("classifier", "");
  add("form", "form ");
  add("layer", "layer ");
  add("fpr", "FPR ");
  return text;
}

std::string method_of(const metrics::Row& row) {
  const std::string method = study::subject_of(row).method;
  return method.empty() ? row.model : method;
}

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
    if (first_audit && !present.has(Control::floor) && block.has(Control::floor)) present = block;
  }
  return chosen;
}

std::vector<Block> headline_blocks(const std::vector<Block>& all) {
  std::vector<Block> chosen;
  std::set<const void*> families;  // by place: two may have one name
  for (const Block& block : main_blocks(all)) {
    const metrics::MetricInfo* info = metrics::find_metric(block.metric);
    const metrics::Family* family = find_family(block.metric);
    const bool accuracy = block.metric.starts_with("utility.accuracy.");
    if (!accuracy) {
      if (family == nullptr || family->name == "utility") continue;
      if (!info->shows_forgetting || !families.insert(family).second) continue;
    }
    chosen.push_back(block);
  }
  return chosen;
}

std::string family_of(std::string_view metric) {
  const metrics::Family* family = find_family(metric);
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
