// The parts of results.json that are not rows.
#include "vestige/report/json/parts_json.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "vestige/report/json/json_fields.h"
#include "vestige/report/json/row_json.h"
#include "vestige/report/page/plots/parts.h"
#include "vestige/result/codec.h"
#include "vestige/words/verdicts.h"

namespace vestige::report {
namespace {

/// The words of verdicts and outcomes before schema 3.
constexpr std::pair<std::string_view, result::Word> kEarlierWords[] = {
    {"FORGOTTEN", result::Word::forgotten},
    {"TRACES REMAIN", result::Word::traces_remain},
    {"OVER-FORGOTTEN", result::Word::over_forgotten},
    {"TRACES + OVER-FORGOTTEN", result::Word::mixed},
    {"NOT DECIDED", result::Word::not_decided},
    {"NO VERDICT", result::Word::not_tested}};
constexpr std::pair<std::string_view, result::Outcome> kEarlierOutcomes[] = {
    {"shown", result::Outcome::shown},
    {"not shown", result::Outcome::excluded},
    {"inconclusive", result::Outcome::undecided}};
constexpr std::pair<std::string_view, result::Form> kEarlierForms[] = {
    {"", result::Form::none},
    {"unseen rows", result::Form::unseen},
    {"models", result::Form::models},
    {"model alone", result::Form::alone}};
constexpr std::pair<std::string_view, result::Leaning> kEarlierLeanings[] = {
    {"", result::Leaning::none},
    {"under", result::Leaning::under},
    {"over", result::Leaning::over},
    {"utility loss", result::Leaning::utility_loss}};

/// The value that a field of an earlier schema names; InputError for a word that is not known.
template <typename Enumeration, std::size_t kCount>
void read_earlier(const Json& json, const char* key,
                  const std::pair<std::string_view, Enumeration> (&known)[kCount],
                  Enumeration& value) {
  if (!json.contains(key)) return;
  const std::string word = text_of(json, key);
  for (const auto& [name, own] : known) {
    if (name == word) {
      value = own;
      return;
    }
  }
  unknown_word(key, word);
}

audit::VerdictTest earlier_test(const Json& json, int schema) {
  audit::VerdictTest test;
  result::read(json, test);
  result::read(json, test.difference);
  test.metric = current_id(test.metric, schema);
  test.reference_difference = number_of(json, "room");
  test.quantity = test.unseen ? result::Quantity::gap : result::Quantity::value;
  read_earlier(json, "side", kEarlierLeanings, test.side);
  read_earlier(json, "shows", kEarlierLeanings, test.shows);
  return test;
}

/// Schema 1 has outcomes and no word.
result::Word earlier_word(const audit::Verdict& verdict) {
  using result::Outcome, result::Word;
  const bool under = verdict.under == Outcome::shown, over = verdict.over == Outcome::shown;
  if (under) return over ? Word::mixed : Word::traces_remain;
  if (over) return Word::over_forgotten;
  if (verdict.equivalent == Outcome::shown) return Word::forgotten;
  return verdict.under == Outcome::not_tested ? Word::not_tested : Word::not_decided;
}

/// Before schema 3: other words, tests without nesting, and sentences instead of reasons.
audit::Verdict earlier_verdict(Json json, int schema) {
  audit::Verdict verdict;
  verdict.subject = subject_of(json, schema);
  // What a file does not say was not tested.
  verdict.under = verdict.over = verdict.equivalent = verdict.utility_loss =
      result::Outcome::not_tested;
  read_earlier(json, "under", kEarlierOutcomes, verdict.under);
  read_earlier(json, "over", kEarlierOutcomes, verdict.over);
  read_earlier(json, "equivalent", kEarlierOutcomes, verdict.equivalent);
  read_earlier(json, "utility_loss", kEarlierOutcomes, verdict.utility_loss);
  verdict.word = earlier_word(verdict);
  read_earlier(json, "word", kEarlierWords, verdict.word);
  if (verdict.word == result::Word::not_tested) {
    verdict.under = verdict.over = verdict.equivalent = result::Outcome::not_tested;
  }
  read_earlier(json, "test", kEarlierForms, verdict.form);
  for (const Json& test : list_of(json, "tests")) {
    verdict.tests.push_back(earlier_test(test, schema));
  }
  verdict.earlier_reason = text_of(json, "reason");
  verdict.earlier_sentence = text_of(json, "sentence");
  result::Reason limit;
  result::read(Json(text_of(json, "cannot")), limit);
  if (!limit.empty()) verdict.limits.push_back(std::move(limit));
  for (const char* key :
       {"word", "under", "over", "equivalent", "utility_loss", "tests", "subject"}) {
    json.erase(key);
  }
  result::read(json, verdict);
  for (result::VerdictAddition& one : verdict.additions) {
    one.metric = current_id(one.metric, schema);
  }
  return verdict;
}

std::vector<double> numbers(const Json& list) {
  std::vector<double> values;
  for (const Json& value : list) values.push_back(number_of(Json{{"value", value}}, "value"));
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
  if (json.contains("control")) result::read(json["control"], series.control);
  for (const auto& [name, column] : list_of(json, "columns").items()) {
    series.columns.emplace_back(name, numbers(column));
  }
  return series;
}

Json verdict_json(const audit::Verdict& verdict) {
  Json json = result::json_of(verdict);
  json["reason"] = words::why(verdict);
  json["sentence"] = words::sentence(verdict);
  json["cannot"] = words::limits(verdict);
  return json;
}

audit::Verdict verdict_of(const Json& json, int schema) {
  return schema < 3 ? earlier_verdict(json, schema) : result::from_json<audit::Verdict>(json);
}

}  // namespace vestige::report
