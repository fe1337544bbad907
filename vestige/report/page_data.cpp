// Columns, dictionaries and short numbers: 30 methods by 60 metrics fit in a few hundred kilobytes.
#include "vestige/report/page_data.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "vestige/metrics/family.h"
#include "vestige/report/json_fields.h"
#include "vestige/report/parts_json.h"
#include "vestige/report/plot_parts.h"
#include "vestige/report/remarks.h"
#include "vestige/report/results_json.h"
#include "vestige/report/row_json.h"

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

/// Settings or facts that are one number or word; lists stay in results.json.
std::string parameters(const Json& table) {
  std::string text;
  for (const auto& [key, value] : table.items()) {
    if (value.is_structured()) continue;
    const std::string shown = value.is_string()         ? value.get<std::string>()
                              : value.is_number_float() ? short_number(value.get<double>())
                                                        : value.dump();
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, shown);
  }
  return text;
}

Json page_row(const StudyRow& row, std::size_t block, const std::string& setting) {
  const metrics::Row& own = row.row;
  Json json = {{"block", block},
               {"metric", own.metric},
               {"setting", setting},
               {"method", method_of(own)},
               {"model", own.subject.id()},
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
               {"settings", parameters(own.settings)},
               {"facts", parameters(own.facts)},
               {"seed", own.seed}};
  if (!row.arm.empty()) json["arm"] = row.arm;
  if (!row.audit.empty()) {
    json["audit"] = row.audit;
    json["split_seed"] = row.split_seed;
    json["attack_seed"] = row.attack_seed;
  }
  return json;
}

/// Adds `rows` and its `methods`, and the numbers of the blocks that tables at the top show.
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
    if (all_fit || main.count(block) > 0) list.push_back(page_row(row, block, all[block].setting));
  }
  page["rows_in_results"] = rows.size();
  page["rows"] = packed(list);
}

/// Of every metric that has a number on the page; verdicts also rest on some that nobody asked for.
void add_definitions(const Results& results, Json& page) {
  page["definitions"] = Json::object();
  page["names"] = Json::object();
  page["families"] = Json::object();
  const auto add = [&](const std::string& metric) {
    const metrics::MetricInfo* info = metrics::find_metric(metric);
    if (info == nullptr || page["definitions"].contains(metric)) return;
    page["definitions"][metric] = info->what;
    if (!info->name.empty()) page["names"][metric] = info->name;
  };
  for (const StudyRow& row : results.rows) add(row.row.metric);
  for (const audit::Verdict& verdict : results.verdicts) {
    for (const audit::VerdictTest& test : verdict.tests) add(test.metric);
  }
  for (const metrics::Family& family : metrics::families()) {
    page["families"][std::string(family.name)] = family.summary;
  }
}

void add_plots(const Results& results, Json& page) {
  page["plots"] = Json::array();
  for (Plot& plot : plots(results)) {
    plot.spec["data"]["values"] = packed(plot.spec["data"]["values"]);
    page["plots"].push_back({{"name", plot.name},
                             {"section", plot.section},
                             {"title", plot.title},
                             {"how", plot.how},
                             {"alt", plot.alt},
                             {"spec", std::move(plot.spec)}});
    if (!plot.lead.empty()) page["plots"].back()["lead"] = plot.lead;
  }
}

/// Every number with six digits.
Json shortened(const Json& json) {
  if (json.is_number_float()) return plot_number(json.get<double>());
  if (!json.is_structured()) return json;
  Json copy = json;
  for (Json& part : copy) part = shortened(part);
  return copy;
}

/// Copies the fields that say how something was measured.
Json measure_of(const Json& json) {
  Json measure = Json::object();
  for (const char* key : {"metric", "setting", "audit"}) {
    if (json.is_object() && json.contains(key)) measure[key] = json[key];
  }
  return measure;
}

constexpr std::size_t kMostPairs = 5000;

/// Ranks and pairs of all metrics as two tables. Of very many pairs those that do not differ stay
/// in results.json.
Json comparison_json(const Json& comparison) {
  Json page = Json::object(), ranks = Json::array(), pairs = Json::array();
  page["sentences"] = Json::array();
  std::size_t all_pairs = 0;
  const Json& metrics = list_of(comparison, "metrics");
  for (const Json& metric : metrics) all_pairs += list_of(metric, "pairs").size();
  for (const Json& metric : metrics) {
    const std::string sentence = text_of(metric, "sentence");
    if (!sentence.empty()) page["sentences"].push_back(sentence);
    const auto add = [&metric](const Json& entry, Json& table) {
      Json line = measure_of(metric);
      if (metric.contains("controls_failed")) line["controls failed"] = metric["controls_failed"];
      line.update(shortened(entry));
      table.push_back(std::move(line));
    };
    for (const Json& method : list_of(metric, "methods")) add(method, ranks);
    for (const Json& pair : list_of(metric, "pairs")) {
      if (all_pairs <= kMostPairs || !text_of(pair, "better").empty()) add(pair, pairs);
    }
  }
  page["ranks"] = packed(ranks);
  page["pairs"] = packed(pairs);
  page["pairs_left_out"] = all_pairs - pairs.size();
  return page;
}

Json variance_json(const Json& variance, Json& sentences) {
  Json table = Json::array();
  for (const Json& row : variance) {
    if (!row.is_object()) continue;
    Json line = shortened(row);
    if (text_of(row, "method") == "*" && !text_of(row, "sentence").empty()) {
      sentences.push_back(row["sentence"]);
    }
    line.erase("sentence");
    line.erase("levels");
    for (const Json& level : list_of(row, "levels")) {
      const bool known = !level.contains("estimable") || level["estimable"] != false;
      line["share of " + text_of(level, "level")] =
          known ? shown_number(number_of(level, "share")) : Json("not estimable");
    }
    table.push_back(std::move(line));
  }
  return packed(table);
}

Json controls_json(const Json& controls) {
  Json table = Json::array();
  for (const Json& row : controls) {
    if (!row.is_object()) continue;
    Json line = shortened(row);
    const Json& graded = list_of(row, "graded");
    line.erase("graded");
    line.erase("steps");
    if (graded.contains("in_order")) line["graded in order"] = graded["in_order"];
    table.push_back(std::move(line));
  }
  return table;
}

Json bench_json(const Json& bench) {
  Json page = Json::object();
  for (const char* key : {"recipe", "size", "notes", "arms", "plan", "findings", "costs",
                          "failed_controls", "failed_runs"}) {
    if (bench.contains(key)) page[key] = shortened(bench[key]);
  }
  page["controls"] = controls_json(list_of(bench, "controls"));
  if (bench.contains("methods")) page["methods"] = packed(shortened(list_of(bench, "methods")));
  if (bench.contains("comparison")) page["comparison"] = comparison_json(bench["comparison"]);
  if (bench.contains("variance")) {
    page["variance_sentences"] = Json::array();
    page["variance"] = variance_json(list_of(bench, "variance"), page["variance_sentences"]);
  }
  return page;
}

}  // namespace

Json packed(const Json& objects) {
  std::vector<std::string> keys;
  std::set<std::string> seen;
  for (const Json& object : objects) {
    if (!object.is_object()) continue;
    for (const auto& [key, value] : object.items()) {
      if (seen.insert(key).second) keys.push_back(key);
    }
  }
  Json columns = Json::object();
  for (const std::string& key : keys) {
    std::vector<Json> cells;
    cells.reserve(objects.size());
    for (const Json& object : objects) {
      const bool has = object.is_object() && object.contains(key);
      cells.push_back(has ? object[key] : Json(nullptr));
    }
    columns[key] = packed_column(cells);
  }
  return {{"n", objects.size()}, {"columns", columns}};
}

Json page_data(const Results& results) {
  Json page = {{"schema", kSchema}, {"tool", results.tool}};
  // Results that do not say how they were made have no run to show.
  if (!results.run.command.empty() || !results.run.started.empty()) {
    page["run"] = run_json(results.run);
  }
  page["evidence"] = results.evidence;
  page["inputs"] = results.inputs;
  page["remarks"] = Json::array();
  for (const RemarkGroup& group : grouped_remarks(results)) {
    page["remarks"].push_back(
        {{"cause", group.cause}, {"about", group.about}, {"texts", group.texts}});
  }
  page["skipped"] = Json::array();
  for (const audit::Skipped& skipped : results.skipped) {
    page["skipped"].push_back({{"family", skipped.family}, {"missing", skipped.sentence}});
  }
  page["verdicts"] = Json::array();
  for (const audit::Verdict& verdict : results.verdicts) {
    page["verdicts"].push_back(shortened(verdict_json(verdict)));
    page["verdicts"].back()["model"] = verdict.subject.id();
  }
  page["remembered"] = shortened(remembered_json(results.remembered));
  page["remembered"]["pictures"] = results.pictures;
  if (!results.texts.empty()) page["remembered"]["texts"] = results.texts;
  if (!results.requests.is_null()) page["requests"] = shortened(results.requests);
  if (!results.bench.is_null()) page["bench"] = bench_json(results.bench);
  add_rows(results.rows, page);
  add_definitions(results, page);
  add_plots(results, page);
  return page;
}

}  // namespace vestige::report
