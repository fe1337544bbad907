// The parts of results.json that are not rows.
#include "vestige/report/parts_json.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "vestige/report/json_fields.h"
#include "vestige/report/plot_parts.h"
#include "vestige/report/row_json.h"

namespace vestige::report {
namespace {

constexpr audit::Shown kShown[] = {audit::Shown::shown, audit::Shown::not_shown,
                                   audit::Shown::inconclusive};
constexpr audit::Word kWords[] = {audit::Word::forgotten,   audit::Word::traces,
                                  audit::Word::over,        audit::Word::traces_and_over,
                                  audit::Word::not_decided, audit::Word::no_verdict};
constexpr audit::Form kForms[] = {audit::Form::none, audit::Form::unseen, audit::Form::models,
                                  audit::Form::alone};
constexpr audit::Leaning kLeanings[] = {audit::Leaning::none, audit::Leaning::under,
                                        audit::Leaning::over, audit::Leaning::utility_loss};

Json test_json(const audit::VerdictTest& test) {
  return {{"metric", test.metric},
          {"estimate", json_number(test.difference.estimate)},
          {"lower", json_number(test.difference.lower)},
          {"upper", json_number(test.difference.upper)},
          {"margin", json_number(test.margin)},
          {"room", json_number(test.room)},
          {"what", test.what},
          {"how", test.difference.how},
          {"shows", audit::name(test.shows)},
          {"within", test.within},
          {"core", test.core},
          {"unseen", test.unseen},
          {"side", audit::name(test.side)},
          {"p", json_number(test.difference.p)},
          {"holm", json_number(test.holm)},
          {"level", json_number(test.level)},
          {"lower90", json_number(test.difference.lower90)},
          {"upper90", json_number(test.difference.upper90)},
          {"method", json_number(test.method)},
          {"retrained", json_number(test.retrained)},
          {"original", json_number(test.original)}};
}

audit::VerdictTest test_of(const Json& json, int schema) {
  audit::VerdictTest test;
  test.metric = current_id(text_of(json, "metric"), schema);
  test.difference.estimate = number_of(json, "estimate");
  test.difference.lower = number_of(json, "lower");
  test.difference.upper = number_of(json, "upper");
  test.difference.p = number_of(json, "p");
  test.difference.how = text_of(json, "how");
  test.difference.lower90 = number_of(json, "lower90");
  test.difference.upper90 = number_of(json, "upper90");
  test.margin = number_of(json, "margin");
  test.holm = number_of(json, "holm");
  test.room = number_of(json, "room");
  test.level = number_of(json, "level");
  test.method = number_of(json, "method");
  test.retrained = number_of(json, "retrained");
  test.original = number_of(json, "original");
  test.core = flag_of(json, "core");
  test.within = flag_of(json, "within");
  test.unseen = flag_of(json, "unseen");
  test.side = named(json, "side", kLeanings, audit::Leaning::none);
  test.shows = named(json, "shows", kLeanings, audit::Leaning::none);
  test.what = text_of(json, "what");
  return test;
}

std::vector<double> numbers(const Json& list) {
  std::vector<double> values;
  for (const Json& value : list) values.push_back(number_of(Json{{"value", value}}, "value"));
  return values;
}

std::vector<std::string> texts(const Json& list) {
  std::vector<std::string> values;
  for (const Json& value : list) {
    if (value.is_string()) values.push_back(value.get<std::string>());
  }
  return values;
}

}  // namespace

Json series_json(const metrics::Series& series) {
  Json columns = Json::object();
  for (const auto& [name, values] : series.columns) {
    Json& column = columns[name] = Json::array();
    for (const double value : values) column.push_back(plot_number(value));
  }
  return {{"kind", series.kind},
          {"metric", series.metric},
          {"subject", subject_json(series.subject)},
          {"group", series.group},
          {"params", series.params},
          {"control", metrics::name(series.control)},
          {"columns", columns}};
}

metrics::Series series_of(const Json& json, int schema) {
  metrics::Series series;
  series.kind = text_of(json, "kind");
  series.metric = current_id(text_of(json, "metric"), schema);
  series.subject = subject_of(json, schema);
  series.group = text_of(json, "group");
  if (list_of(json, "params").is_object()) series.params = list_of(json, "params");
  series.control = named(json, "control", metrics::kControls, metrics::Control::none);
  for (const auto& [name, column] : list_of(json, "columns").items()) {
    series.columns.emplace_back(name, numbers(column));
  }
  return series;
}

Json verdict_json(const audit::Verdict& verdict) {
  Json tests = Json::array();
  for (const audit::VerdictTest& test : verdict.tests) tests.push_back(test_json(test));
  Json json = {{"method", verdict.method},
               {"subject", subject_json(verdict.subject)},
               {"under", audit::name(verdict.under)},
               {"over", audit::name(verdict.over)},
               {"equivalent", audit::name(verdict.equivalent)},
               {"utility_loss", audit::name(verdict.utility_loss)},
               {"word", audit::name(verdict.word)},
               {"reason", verdict.reason},
               {"test", audit::name(verdict.form)},
               {"hardly_changed", verdict.hardly_changed},
               {"sentence", verdict.sentence},
               {"cannot", verdict.cannot},
               {"tests", tests}};
  for (const audit::VerdictAddition& one : verdict.additions) {
    json["additions"].push_back({{"metric", one.metric},
                                 {"word", one.word},
                                 {"words", one.words},
                                 {"what", one.what},
                                 {"value", json_number(one.value)},
                                 {"lower", json_number(one.lower)},
                                 {"upper", json_number(one.upper)}});
  }
  if (verdict.signals_must_agree) json["signals_must_agree"] = true;
  if (!verdict.same_as.empty()) json["same_as"] = verdict.same_as;
  if (!verdict.arm.empty()) json["arm"] = verdict.arm;
  return json;
}

audit::Verdict verdict_of(const Json& json, int schema) {
  constexpr audit::Shown kOpen = audit::Shown::inconclusive;
  audit::Verdict verdict;
  verdict.arm = text_of(json, "arm");
  verdict.method = text_of(json, "method");
  verdict.subject = subject_of(json, schema);
  verdict.under = named(json, "under", kShown, kOpen);
  verdict.over = named(json, "over", kShown, kOpen);
  verdict.equivalent = named(json, "equivalent", kShown, kOpen);
  verdict.utility_loss = named(json, "utility_loss", kShown, kOpen);
  verdict.word = named(json, "word", kWords, audit::Word::not_decided);
  verdict.form = named(json, "test", kForms, audit::Form::none);
  verdict.hardly_changed = flag_of(json, "hardly_changed");
  verdict.signals_must_agree = flag_of(json, "signals_must_agree");
  verdict.same_as = text_of(json, "same_as");
  verdict.reason = text_of(json, "reason");
  verdict.sentence = text_of(json, "sentence");
  verdict.cannot = text_of(json, "cannot");
  for (const Json& test : list_of(json, "tests")) verdict.tests.push_back(test_of(test, schema));
  for (const Json& one : list_of(json, "additions")) {
    verdict.additions.push_back({current_id(text_of(one, "metric"), schema), text_of(one, "word"),
                                 text_of(one, "words"), text_of(one, "what"),
                                 number_of(one, "value"), number_of(one, "lower"),
                                 number_of(one, "upper")});
  }
  return verdict;
}

Json remembered_json(const audit::RememberedRows& remembered) {
  Json rows = Json::array();
  for (const audit::RememberedRow& row : remembered.rows) {
    Json scores = Json::array();
    for (const double score : row.scores) scores.push_back(json_number(score));
    rows.push_back({{"row", row.row},
                    {"id", row.id},
                    {"label", row.label},
                    {"subject", row.subject},
                    {"scores", scores}});
  }
  return {{"split", remembered.split}, {"columns", remembered.columns}, {"rows", rows}};
}

audit::RememberedRows remembered_of(const Json& json) {
  audit::RememberedRows remembered;
  if (!text_of(json, "split").empty()) remembered.split = text_of(json, "split");
  remembered.columns = texts(list_of(json, "columns"));
  for (const Json& row : list_of(json, "rows")) {
    if (!row.is_object()) continue;
    remembered.rows.push_back({whole_of(row, "row"), text_of(row, "id"), text_of(row, "subject"),
                               row.contains("label") ? row["label"] : Json(),
                               numbers(list_of(row, "scores"))});
  }
  return remembered;
}

}  // namespace vestige::report
