// Columns, dictionaries and short numbers: 30 methods by 60 metrics fit in a few hundred kilobytes.
#include "vestige/report/page_data.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "vestige/metrics/family.h"
#include "vestige/report/plot_parts.h"
#include "vestige/report/read_results.h"

namespace vestige::report {
namespace {

using study::StudyRow;

Json shown_number(double value) {
  return std::isfinite(value) ? plot_number(value) : json_number(value);
}

Json packed_column(const std::vector<Json>& cells) {
  bool constant = true, text = true;
  for (const Json& cell : cells) {
    constant = constant && cell == cells.front();
    text = text && cell.is_string();
  }
  if (constant && !cells.empty()) return {{"all", cells.front()}};
  if (!text) return cells;
  Json names = Json::array(), at = Json::array();
  std::unordered_map<std::string, std::size_t> places;
  for (const Json& cell : cells) {
    const auto [place, is_new] = places.try_emplace(cell.get<std::string>(), names.size());
    if (is_new) names.push_back(cell);
    at.push_back(place->second);
  }
  return {{"names", names}, {"at", at}};
}

/// Parameters that are one number or word; lists stay in results.json.
std::string parameters(const metrics::Row& row) {
  std::string text;
  for (const auto& [key, value] : row.params.items()) {
    if (value.is_structured()) continue;
    const std::string shown = value.is_string()         ? value.get<std::string>()
                              : value.is_number_float() ? short_number(value.get<double>())
                                                        : value.dump();
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, shown);
  }
  return text;
}

Json row_json(const StudyRow& row, std::size_t block, const std::string& setting) {
  const metrics::Row& own = row.row;
  Json json = {{"block", block},
               {"metric", own.metric},
               {"setting", setting},
               {"method", method_of(own)},
               {"model", own.model},
               {"value", shown_number(own.value)},
               {"lower", shown_number(own.lower)},
               {"upper", shown_number(own.upper)},
               {"interval", own.interval},
               {"n", own.n},
               {"direction", metrics::name(own.direction)},
               {"ideal", shown_number(own.ideal)},
               {"reference", shown_number(own.reference)},
               {"status", metrics::name(own.status)},
               {"note", own.note},
               {"control", metrics::name(own.control)},
               {"params", parameters(own)},
               {"seed", own.seed}};
  if (!row.arm.empty()) json["arm"] = row.arm;
  if (!row.audit.empty()) {
    json["audit"] = row.audit;
    json["split_seed"] = row.split_seed;
    json["attack_seed"] = row.attack_seed;
  }
  return json;
}

/// Adds `rows`, and the numbers of the blocks that tables at the top show.
void add_rows(const std::vector<StudyRow>& rows, Json& page) {
  const std::vector<Block> all = blocks_of(rows);
  const auto numbers = [&all](const std::vector<Block>& chosen) {
    Json list = Json::array();
    for (const Block& block : chosen) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].rows.front() == block.rows.front()) list.push_back(i);
      }
    }
    return list;
  };
  page["headline"] = numbers(headline_blocks(all));
  page["main"] = numbers(main_blocks(all));
  page["methods"] = method_order(all);
  std::map<const StudyRow*, std::size_t> block_of;
  std::set<std::size_t> main;
  for (const Json& number : page["main"]) main.insert(number.get<std::size_t>());
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const StudyRow* row : all[i].rows) block_of[row] = i;
  }
  const bool all_fit = rows.size() <= kMostPageRows;
  Json list = Json::array();
  for (const StudyRow& row : rows) {
    if (list.size() >= kMostPageRows) break;
    const std::size_t block = block_of[&row];
    if (all_fit || main.count(block) > 0) list.push_back(row_json(row, block, all[block].setting));
  }
  page["rows_in_results"] = rows.size();
  page["rows"] = packed(list);
}

void add_definitions(const std::vector<StudyRow>& rows, Json& page) {
  page["definitions"] = Json::object();
  page["families"] = Json::object();
  std::set<std::string> seen;
  for (const StudyRow& row : rows) {
    if (!seen.insert(row.row.metric).second) continue;
    const metrics::MetricInfo* info = metrics::find_metric(row.row.metric);
    if (info != nullptr) page["definitions"][row.row.metric] = info->what;
  }
  for (const metrics::Family& family : metrics::families()) {
    page["families"][std::string(family.name)] = family.summary;
  }
}

void add_plots(const Json& results, Json& page) {
  page["plots"] = Json::array();
  for (Plot& plot : plots(results)) {
    plot.spec["data"]["values"] = packed(plot.spec["data"]["values"]);
    page["plots"].push_back({{"name", plot.name},
                             {"section", plot.section},
                             {"title", plot.title},
                             {"how", plot.how},
                             {"alt", plot.alt},
                             {"spec", std::move(plot.spec)}});
  }
}

}  // namespace

Json packed(const Json& objects) {
  std::vector<std::string> keys;
  std::set<std::string> seen;
  for (const Json& object : objects) {
    for (const auto& [key, value] : object.items()) {
      if (seen.insert(key).second) keys.push_back(key);
    }
  }
  Json columns = Json::object();
  for (const std::string& key : keys) {
    std::vector<Json> cells;
    cells.reserve(objects.size());
    for (const Json& object : objects) {
      const auto found = object.find(key);
      cells.push_back(found == object.end() ? Json(nullptr) : *found);
    }
    columns[key] = packed_column(cells);
  }
  return {{"n", objects.size()}, {"columns", columns}};
}

Json page_data(const Json& results) {
  Json page = Json::object();
  for (const char* key : {"schema", "tool", "run", "evidence", "inputs", "remarks", "skipped",
                          "verdicts", "worst", "bench", "samples"}) {
    if (results.contains(key)) page[key] = results[key];
  }
  const std::vector<StudyRow> rows = rows_of(results);
  add_rows(rows, page);
  add_definitions(rows, page);
  add_plots(results, page);
  return page;
}

}  // namespace vestige::report
