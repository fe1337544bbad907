// Rows come back as they were written, whatever they hold; files of 0.1.0 are still read.
#include "vestige/report/json/row_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <set>
#include <string_view>

#include "vestige/base/error.h"
#include "vestige/report/json/json_fields.h"
#include "vestige/report/json/parts_json.h"
#include "vestige/report/json/read_results.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/page/html.h"
#include "vestige/report/tables/csv.h"
#include "vestige/report/tables/latex.h"
#include "vestige/report/tables/markdown.h"

namespace vestige::report {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

study::StudyRow whole_row() {
  study::StudyRow row;
  row.variant = "class";
  row.split_seed = 3;
  row.audit = "one shadow";
  row.attack_seed = 4;
  row.row.metric = "epsilon.f_score";
  row.row.subject = {"unlearned", "fine/tune", "3.1"};
  row.row.value = 1.0 / 3;
  row.row.lower = -kInfinity;
  row.row.upper = kInfinity;
  row.row.interval = result::Code::bootstrap_models_fixed;
  row.row.n = 12;
  row.row.ideal = std::nan("");
  row.row.reference = 5e-324;
  row.row.notes = {result::reason(result::Code::message, "why")};
  row.row.settings = {{"models", 4}, {"mode", "exact"}};
  row.row.facts = {{"by_class", {1, 2}}, {"above", true}};
  row.row.seed = std::numeric_limits<std::uint64_t>::max();
  return row;
}

/// Through the text of a file.
study::StudyRow again(const study::StudyRow& row) {
  return row_of(Json::parse(row_json(row, true).dump()));
}

void expect_same(const study::StudyRow& left, const study::StudyRow& right) {
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  EXPECT_EQ(left.variant, right.variant);
  EXPECT_EQ(left.split_seed, right.split_seed);
  EXPECT_EQ(left.audit, right.audit);
  EXPECT_EQ(left.attack_seed, right.attack_seed);
  const metrics::Row &a = left.row, &b = right.row;
  EXPECT_EQ(a.metric, b.metric);
  EXPECT_EQ(a.subject, b.subject);
  EXPECT_TRUE(same(a.value, b.value)) << a.value << " " << b.value;
  EXPECT_TRUE(same(a.lower, b.lower));
  EXPECT_TRUE(same(a.upper, b.upper));
  EXPECT_TRUE(same(a.ideal, b.ideal));
  EXPECT_TRUE(same(a.reference, b.reference));
  EXPECT_EQ(a.interval, b.interval);
  EXPECT_EQ(a.n, b.n);
  EXPECT_EQ(a.direction, b.direction);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.notes, b.notes);
  EXPECT_EQ(a.control, b.control);
  EXPECT_EQ(a.settings, b.settings);
  EXPECT_EQ(a.facts, b.facts);
  EXPECT_EQ(a.seed, b.seed);
}

TEST(RowJson, EveryEnumeratorComesBack) {
  study::StudyRow row = whole_row();
  for (const auto& [direction, direction_name] : result::Names<metrics::Direction>::list) {
    for (const auto& [status, status_name] : result::Names<metrics::Status>::list) {
      for (const auto& [control, control_name] : result::Names<metrics::Control>::list) {
        row.row.direction = direction;
        row.row.status = status;
        row.row.control = control;
        expect_same(again(row), row);
      }
    }
  }
}

TEST(RowJson, EveryNumberComesBack) {
  study::StudyRow row = whole_row();
  for (const double value : {std::nan(""), kInfinity, -kInfinity, 0.1, -0.0, 5e-324, 1e308}) {
    row.row.value = value;
    expect_same(again(row), row);
  }
}

TEST(RowJson, UnknownWordsAndMissingFieldsAreRefused) {
  for (const char* key : {"direction", "status", "control"}) {
    Json json = row_json(whole_row(), false);
    json[key] = "sideways";
    EXPECT_THROW(row_of(json), InputError) << key;
  }
  for (const char* key : {"metric", "subject"}) {
    Json json = row_json(whole_row(), false);
    json.erase(key);
    EXPECT_THROW(row_of(json), InputError) << key;
  }
}

// Nothing is guessed: a row that lacks its value is undefined.
TEST(RowJson, AbsentFieldsAreUndefined) {
  const metrics::Row row = row_of({{"metric", "x"}, {"subject", {{"role", "original"}}}}).row;
  EXPECT_TRUE(std::isnan(row.value));
  EXPECT_EQ(row.status, metrics::Status::undefined);
  EXPECT_EQ(row.subject, (metrics::Subject{"original", "", ""}));
}

// By hand: of the keys of 0.1.0 alpha and rule make rows comparable, k does not.
TEST(RowJson, SchemaOneIsTranslated) {
  const metrics::Row row = row_of({{"metric", "mia.protocol.iam.auc"},
                                   {"model", "checkpoint/original.0.5/0"},
                                   {"value", 0.5},
                                   {"reference", 0.25},
                                   {"control", "checkpoint"},
                                   {"params", {{"alpha", 0.1}, {"k", 3}, {"rule", "scp"}}}},
                                  1)
                               .row;
  EXPECT_EQ(row.metric, "mia_protocol.iam.auc");
  EXPECT_EQ(row.subject, (metrics::Subject{"checkpoint", "original.0.5", "0"}));
  EXPECT_EQ(row.control, metrics::Control::checkpoint);
  EXPECT_TRUE(std::isnan(row.reference));
  EXPECT_EQ(row.settings, (Json{{"alpha", 0.1}, {"rule", "scp"}}));
  EXPECT_EQ(row.facts, (Json{{"k", 3}}));
}

Results old_results() {
  return read_results(std::filesystem::path(VESTIGE_SOURCE_DIR) /
                      "tests/report/results_schema1.json");
}

// Cut from what 0.1.0 wrote about demo/fashion-one; its last row was made a checkpoint by hand.
TEST(SchemaOne, IsStillRead) {
  const Results results = old_results();
  EXPECT_EQ(text_of(results.tool, "version"), "0.1.0");
  ASSERT_EQ(results.rows.size(), 8U);
  EXPECT_EQ(results.rows[3].row.metric, "attacks.loss.auc");
  EXPECT_EQ(results.rows[7].row.control, metrics::Control::checkpoint);
  ASSERT_EQ(results.series.size(), 1U);
  EXPECT_EQ(results.series[0].metric, "attacks.loss");
  EXPECT_EQ(results.series[0].subject.method, "finetune");
  ASSERT_EQ(results.verdicts.size(), 1U);
  EXPECT_EQ(results.verdicts[0].under, audit::Outcome::shown);
  EXPECT_EQ(results.verdicts[0].tests[0].shows, audit::Leaning::under);
  ASSERT_EQ(results.remembered.rows.size(), 1U);
  EXPECT_EQ(results.remembered.rows[0].row, 159U);
  EXPECT_EQ(results.remembered.columns,
            (std::vector<std::string>{"iam.online.finetune", "iam.offline.finetune"}));
}

TEST(SchemaOne, EveryViewTakesIt) {
  const Results results = old_results();
  EXPECT_NE(csv(results).find("attacks.loss.auc,unlearned/finetune/0"), std::string::npos);
  EXPECT_NE(markdown(results).find("## Checkpoints"), std::string::npos);
  EXPECT_NE(latex(results).find("Checkpoints"), std::string::npos);
  EXPECT_NE(html(results).find("\"remembered\""), std::string::npos);
}

// What is read from schema 1 and written as schema 3 says the same when it is read again.
TEST(SchemaOne, BecomesSchemaThree) {
  const Json written = results_json(old_results());
  EXPECT_EQ(written["schema"], 3);
  EXPECT_EQ(results_json(results_of(written, "the test")), written);
}

}  // namespace
}  // namespace vestige::report
