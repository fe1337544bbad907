// Columns, dictionaries and short numbers: 30 methods by 60 metrics fit in a few hundred kilobytes.
#include "vestige/report/page/page_data.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "vestige/metrics/family.h"
#include "vestige/report/json/json_fields.h"
#include "vestige/report/json/parts_json.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/json/row_json.h"
#include "vestige/report/page/plots/parts.h"
#include "vestige/report/remarks.h"
#include "vestige/report/requests_views.h"
#include "vestige/report/summary_plot.h"
#include "vestige/result/codec.h"
#include "vestige/words/remarks.h"
#include "vestige/words/verdicts.h"
#include "vestige/words/words.h"

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
               {"interval", words::text(own.interval)},
               {"n", own.n},
               {"direction", metrics::name(own.direction)},
               {"ideal", shown_number(own.ideal)},
               {"reference", shown_number(own.reference)},
               {"status", metrics::name(own.status)},
               {"note", words::text(own.notes)},
               {"control", metrics::name(own.control)},
               {"settings", parameters(own.settings)},
               {"facts", parameters(own.facts)},
               {"seed", own.seed}};
  if (!row.variant.empty()) json["variant"] = row.variant;
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
  page["groups"] = Json::object();
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
    page["groups"][std::string(family.name)] = family.summary;
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

constexpr std::size_t kMostPairs = 5000;

/// Ranks and pairs of all metrics as two tables. Of very many pairs those that do not differ stay
/// in results.json.
Json comparison_json(const result::MethodComparison& comparison, bool with_audit) {
  Json page = Json::object(), ranks = Json::array(), pairs = Json::array();
  page["sentences"] = Json::array();
  std::size_t all_pairs = 0;
  for (const result::MetricComparison& metric : comparison.metrics) {
    all_pairs += metric.pairs.size();
  }
  for (const result::MetricComparison& metric : comparison.metrics) {
    if (!metric.reasons.empty()) {
      page["sentences"].push_back(words::text(result::reason(
          result::Code::about_comparison, label(metric.measure, with_audit),
          metric.failed ? metric.failed_variants : metric.variants, metric.reasons)));
    }
    const auto add = [&metric](const auto& entry, Json& table) {
      Json line = result::json_of(metric.measure);
      line["controls failed"] = metric.failed;
      line.update(shortened(result::json_of(entry)));
      table.push_back(std::move(line));
    };
    for (const result::MethodRank& method : metric.methods) add(method, ranks);
    for (const result::MethodPair& pair : metric.pairs) {
      if (all_pairs <= kMostPairs || !pair.better.empty()) add(pair, pairs);
    }
  }
  page["ranks"] = packed(ranks);
  page["pairs"] = packed(pairs);
  page["pairs_left_out"] = all_pairs - pairs.size();
  return page;
}

void add_variance(const std::vector<result::VarianceRow>& rows, bool with_audit, Json& page) {
  Json table = Json::array();
  page["variance_sentences"] = Json::array();
  for (const result::VarianceRow& row : rows) {
    if (row.method == "*" && !row.source.empty()) {
      page["variance_sentences"].push_back(
          words::text(result::reason(result::Code::about_noise, label(row.measure, with_audit),
                                     row.variant, std::string(), row.source)));
    }
    Json line = shortened(result::json_of(row));
    line.erase("source");
    line.erase("levels");
    for (const result::LevelShare& level : row.levels) {
      line[fmt::format("share of {}", result::name(level.level))] =
          level.estimable ? shown_number(level.share) : Json("not estimable");
    }
    table.push_back(std::move(line));
  }
  page["variance"] = packed(table);
}

Json controls_json(const std::vector<result::ControlRow>& controls) {
  Json table = Json::array();
  for (const result::ControlRow& row : controls) {
    Json line = shortened(result::json_of(row));
    line.erase("graded");
    line["reason"] = words::text(row.reason);
    line["graded in order"] = result::json_of(row.graded.in_order);
    table.push_back(std::move(line));
  }
  return table;
}

Json checked_findings(const std::vector<result::CheckResult>& findings) {
  Json list = Json::array();
  for (const result::CheckResult& finding : findings) {
    Json line = shortened(result::json_of(finding));
    line.erase("reasons");
    line["sentence"] = words::text(finding.reasons);
    line["how"] = words::text(finding.how);
    list.push_back(std::move(line));
  }
  return list;
}

Json bench_json(const result::Experiment& bench) {
  const result::Study& study = bench.study;
  std::set<std::string> audits;
  for (const result::MethodResult& result : study.results) audits.insert(result.measure.audit);
  Json page = {{"recipe", bench.recipe},
               {"size", bench.size},
               {"notes", bench.notes},
               {"variants", shortened(result::json_of(bench.variants))},
               {"findings", checked_findings(study.findings)},
               {"costs", shortened(result::json_of(bench.costs))}};
  page["failed_controls"] = Json::array();
  for (const result::Reason& own : study.failed) {
    page["failed_controls"].push_back(words::text(own));
  }
  page["failed_runs"] = Json::array();
  for (const result::FailedRuns& runs : study.failed_runs) {
    page["failed_runs"].push_back(result::json_of(runs));
    page["failed_runs"].back()["why"] = words::text(runs.why);
  }
  page["controls"] = controls_json(study.controls);
  Json methods = Json::array();
  for (const result::MethodResult& result : study.results) {
    methods.push_back(shortened(result::json_of(result)));
    methods.back()["interval"] = words::text(result.interval);
  }
  page["methods"] = packed(methods);
  page["comparison"] = comparison_json(study.comparison, audits.size() > 1);
  add_variance(study.variance, audits.size() > 1, page);
  return page;
}

/// A verdict with its texts; tests as the page draws them.
Json verdict_data(const audit::Verdict& verdict) {
  Json tests = Json::array();
  for (const audit::VerdictTest& test : verdict.tests) {
    tests.push_back({{"metric", test.metric},
                     {"estimate", shown_number(test.difference.estimate)},
                     {"lower", shown_number(test.difference.lower)},
                     {"upper", shown_number(test.difference.upper)},
                     {"margin", shown_number(test.margin)},
                     {"holm", shown_number(test.holm)},
                     {"level", shown_number(test.level)},
                     {"shows", result::name(test.shows)},
                     {"within", test.within},
                     {"core", test.core},
                     {"method", shown_number(test.method)},
                     {"retrained", shown_number(test.retrained)},
                     {"original", shown_number(test.original)},
                     {"what", words::compared(test)}});
  }
  return {{"variant", verdict.variant},
          {"method", verdict.method},
          {"model", verdict.subject.id()},
          {"word", result::name(verdict.word)},
          {"word_text", words::word(verdict.word)},
          {"tone", result::name(tone(verdict.word))},
          {"under", result::name(verdict.under)},
          {"over", result::name(verdict.over)},
          {"equivalent", result::name(verdict.equivalent)},
          {"utility_loss", result::name(verdict.utility_loss)},
          {"sentence", words::as_sentence(words::body(verdict))},
          {"cannot", words::limits(verdict)},
          {"tests", tests}};
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
        {{"cause", words::heading(group.cause)}, {"about", group.about}, {"texts", group.texts}});
  }
  page["skipped"] = Json::array();
  for (const result::Skipped& skipped : results.skipped) {
    page["skipped"].push_back({{"group", skipped.group}, {"missing", words::text(skipped.reason)}});
  }
  page["verdicts"] = Json::array();
  for (const audit::Verdict& verdict : results.verdicts) {
    page["verdicts"].push_back(verdict_data(verdict));
  }
  page["remembered"] = shortened(result::json_of(results.remembered));
  page["remembered"]["pictures"] = results.pictures;
  if (!results.texts.empty()) page["remembered"]["texts"] = results.texts;
  if (results.requests) page["requests"] = shortened(requests_page(*results.requests));
  if (results.bench) page["bench"] = bench_json(*results.bench);
  add_rows(results.rows, page);
  add_definitions(results, page);
  add_plots(results, page);
  return page;
}

}  // namespace vestige::report
