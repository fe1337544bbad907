// The `bench` object of earlier schemas.
#include <gtest/gtest.h>

#include "tests/report/made_results.h"
#include "vestige/report/json/read_results.h"
#include "vestige/report/page/page_data.h"
#include "vestige/words/words.h"

namespace vestige::report {
namespace {

using testing::made_results;
using testing::read;

/// Schema 2 has sentences; those about a measure begin with its name.
Json bench_of_schema_two() {
  return Json::parse(R"({
    "recipe": "demo",
    "findings": [{"finding": "x", "outcome": "held", "sentence": "a 0.5, against 0.4", "value": 0.1,
                  "lower": 0.05, "upper": 0.2, "n": 3, "how": "t over 3 models"}],
    "methods": [{"metric": "iam.online.auc", "setting": "", "audit": "main", "arm": "main",
                 "method": "retrained", "control": true, "role": "floor", "n": 3, "value": 0.5,
                 "interval": "t 95 % over blocks"}],
    "controls": [{"metric": "iam.online.auc", "arm": "main", "verdict": "not testable",
                  "floor": {"value": 0.5}, "ceiling": {"value": 0.75}, "collapsed": {"value": 0.25},
                  "reason": "no original was measured in this setting"}],
    "failed_controls": ["miau.score, variant main failed: it cannot tell"],
    "comparison": {"tests": 1, "metrics": [{"metric": "iam.online.auc", "arms": ["main"],
        "sentence": "iam.online.auc, variant main: a is first in the only block",
        "pairs": [{"left": "a", "right": "b", "n": 3, "difference": -0.25, "t": -2}]}]},
    "variance": [{"metric": "iam.online.auc", "arm": "main", "method": "*", "noisiest": "",
                  "sentence": "iam.online.auc, variant main, all methods: no noise to explain"}]})");
}

TEST(ReadBench, SentencesOfSchemaTwoAreKept) {
  Json json = made_results();
  json["schema"] = 2;
  json["bench"] = bench_of_schema_two();
  const Results results = read(json);
  ASSERT_TRUE(results.bench.has_value());
  const result::Study& study = results.bench->study;
  EXPECT_EQ(words::text(study.findings.at(0).reasons), "a 0.5, against 0.4");
  EXPECT_EQ(words::text(study.findings[0].how), "t over 3 models");
  EXPECT_EQ(study.findings[0].estimate.lower, 0.05);
  EXPECT_EQ(study.results.at(0).role, result::Control::retrained);
  EXPECT_EQ(study.results[0].variant, "main");
  EXPECT_EQ(study.comparison.metrics.at(0).variants, std::vector<std::string>{"main"});
  EXPECT_EQ(words::text(study.results[0].interval), "t 95 % over blocks");
  EXPECT_EQ(study.controls.at(0).verdict, result::ControlVerdict::not_testable);
  EXPECT_EQ(study.controls[0].retrained.value, 0.5);
  EXPECT_EQ(study.controls[0].original.value, 0.75);
  EXPECT_EQ(study.controls[0].constant.value, 0.25);
  EXPECT_EQ(words::text(study.failed), "miau.score, variant main failed: it cannot tell");
  EXPECT_EQ(study.comparison.metrics.at(0).pairs.at(0).difference, -0.25);
  // Views put the measure before these themselves.
  EXPECT_EQ(words::text(study.comparison.metrics[0].reasons), "a is first in the only block");
  EXPECT_EQ(words::text(study.variance.at(0).source), "no noise to explain");
  const Json page = page_data(results).at("bench");
  EXPECT_EQ(page.at("variance_sentences").at(0),
            "iam.online.auc, variant main, all methods: no noise to explain");
  EXPECT_EQ(page.at("findings").at(0).at("sentence"), "a 0.5, against 0.4");
}

TEST(ReadBench, SchemaOneHasOldNamesAndNoRoles) {
  Json json = made_results();
  json["schema"] = 1;
  json["results"] = Json::array();
  json["bench"] = {{"methods", {{{"metric", "iam.online.auc"}, {"method", "partial/25"}}}}};
  const Results results = read(json);
  EXPECT_EQ(results.bench->study.results.at(0).role, result::Control::graded);
}

}  // namespace
}  // namespace vestige::report
