// The specifications: valid JSON with their data inside, one per thing that the results hold.
#include "vestige/report/page/plots/plots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/report/made_plots.h"
#include "vestige/report/page/plots/parts.h"
#include "vestige/report/page/spec_files.h"

namespace vestige::report {
namespace {

using testing::made_results;
using testing::made_row;
using testing::read;
using testing::series;
using testing::with_series;

std::set<std::string> names(const Json& results) {
  std::set<std::string> found;
  for (const Plot& plot : plots(read(results))) found.insert(plot.name);
  return found;
}

const Plot& find(const std::vector<Plot>& all, const std::string& name) {
  for (const Plot& plot : all) {
    if (plot.name == name) return plot;
  }
  throw std::runtime_error("no plot " + name);
}

TEST(Plots, OnePerThingThatTheResultsHold) {
  EXPECT_EQ(names(made_results()), (std::set<std::string>{"values-utility", "values-iam"}));
  EXPECT_EQ(names(with_series()),
            (std::set<std::string>{"values-utility", "values-iam", "scores-epsilon",
                                   "sorted-epsilon", "examples-epsilon.confidence", "roc",
                                   "scores-iam.online", "scores-sde.h-last", "curve-conformal.q"}));
}

// Means by hand: F of two repeats 0.2 and 0.4, gaps of two models 0.1 and 0.3. Other N, controls
// and methods without an accuracy have no point, and one method alone makes no plot.
TEST(Plots, QualityAgainstAccuracies) {
  Json results = made_results();
  const auto add = [&](const char* metric, const char* model, double value,
                       const char* control = "") {
    results["results"].push_back(made_row(metric, model, value, control));
  };
  add("epsilon.f_score", "unlearned/a", 0.2);
  add("epsilon.f_score", "unlearned/a", 0.4);
  add("utility.gap.forget", "unlearned/a/0", 0.1);
  add("utility.gap.forget", "unlearned/a/1", 0.3);
  EXPECT_FALSE(names(results).contains("quality-"));
  for (const std::string& name : names(results)) EXPECT_FALSE(name.starts_with("quality")) << name;
  add("epsilon.f_score", "unlearned/b", 0.5);
  add("utility.gap.forget", "unlearned/b/0", 0.05);
  add("epsilon.f_score", "unlearned/c", 0.9);
  add("epsilon.f_score", "retrained", 0.9, "retrained");
  add("utility.gap.forget", "retrained/0", 0, "retrained");
  results["results"].push_back(made_row("epsilon.f_score", "unlearned/a", 0.99));
  results["results"].back()["settings"] = {{"N", 5}};
  for (const Plot& plot : plots(read(results))) {
    if (!plot.name.starts_with("quality")) continue;
    const Json& values = plot.spec["data"]["values"];
    ASSERT_EQ(values.size(), 2U);
    EXPECT_EQ(values[0]["method"], "a");
    EXPECT_NEAR(values[0]["quality"].get<double>(), 0.3, 1e-6);
    EXPECT_NEAR(values[0]["across"].get<double>(), 0.2, 1e-6);
    EXPECT_EQ(values[1]["method"], "b");
    EXPECT_NEAR(values[1]["across"].get<double>(), 0.05, 1e-6);
    return;
  }
  FAIL() << "no plot of F";
}

// Two models of one kind share a picture and are two lines, not one that goes back and forth.
TEST(Plots, CurvesOfSeveralModelsAreLinesOfTheirOwn) {
  Json results = with_series();
  results["series"].push_back(series("curve", "conformal.q", "original/1", "", "original",
                                     {{"x", {1, 2}}, {"y", {5, 6}}}, {{"x", "calibration rows"}}));
  for (const SpecFile& file : spec_files(read(results))) {
    if (file.name != "curve-conformal.q.vl.json") continue;
    const Json spec = Json::parse(file.text);
    std::set<std::string> models;
    for (const Json& value : spec["data"]["values"]) models.insert(value["model"]);
    EXPECT_EQ(models, (std::set<std::string>{"original/0", "original/1"}));
    for (const Json& layer : spec["spec"]["layer"]) {
      EXPECT_EQ(layer["encoding"]["detail"]["field"], "model");
    }
    return;
  }
  FAIL() << "no curve";
}

TEST(Plots, AreWholeSpecificationsInWords) {
  for (const SpecFile& file : spec_files(read(with_series()))) {
    EXPECT_TRUE(file.name.ends_with(".vl.json"));
    const Json spec = Json::parse(file.text);
    EXPECT_NE(spec["$schema"].get<std::string>().find("vega-lite"), std::string::npos);
    EXPECT_FALSE(spec["description"].get<std::string>().empty()) << file.name;
    EXPECT_FALSE(spec["data"]["values"].empty()) << file.name;
    EXPECT_FALSE(spec["data"].contains("url")) << file.name;
  }
  for (const Plot& plot : plots(read(with_series()))) {
    EXPECT_FALSE(plot.title.empty() || plot.how.empty() || plot.alt.empty()) << plot.name;
  }
}

// By hand: counts 3 and 1 are shares 0.75 and 0.25, and the outline ends at the last bin's right.
TEST(Plots, HistogramsAreShares) {
  const std::vector<Plot> all = plots(read(with_series()));
  const Json& values = find(all, "scores-iam.online").spec["data"]["values"];
  ASSERT_EQ(values.size(), 6U);  // of forget and of retain rows
  EXPECT_EQ(values[0]["share"], 0.75);
  EXPECT_EQ(values[1]["share"], 0.25);
  EXPECT_EQ(values[2]["x"], 2);
  EXPECT_EQ(values[2]["share"], 0);
}

// The logarithmic axes begin at the power of ten below the smallest positive rate.
TEST(Plots, RocHasLogarithmicAxes) {
  const std::vector<Plot> all = plots(read(with_series()));
  const Json& layers = find(all, "roc").spec["spec"]["layer"];
  ASSERT_EQ(layers.size(), 4U);  // what cannot be measured, the two rates, chance, the curves
  const Json& x = layers[3]["encoding"]["x"];
  EXPECT_EQ(x["scale"]["type"], "log");
  EXPECT_DOUBLE_EQ(x["scale"]["domain"][0].get<double>(), 0.001);
}

TEST(Plots, UndefinedIsNullAndLeftOut) {
  Json results = made_results();
  results["results"][1]["value"] = nullptr;
  results["results"][1]["status"] = "undefined";
  results["results"][4]["lower"] = "-inf";
  results["results"][4]["upper"] = 0.875;
  const std::vector<Plot> all = plots(read(results));
  const Json& values = find(all, "values-iam").spec["data"]["values"];
  ASSERT_EQ(values.size(), 3U);
  EXPECT_TRUE(values[1]["lower"].is_null());
  EXPECT_EQ(values[1]["upper"], 0.875);
}

TEST(Plots, ManyMethodsAreGreyWithOneInColour) {
  Json results = made_results();
  results["series"] = Json::array();
  for (int method = 0; method < 30; ++method) {
    results["series"].push_back(series("sorted", "epsilon", "unlearned/m" + std::to_string(method),
                                       "", "", {{"share", {0.5, 1}}, {"value", {2, 1}}}));
  }
  const std::vector<Plot> all = plots(read(results));
  const Json& spec = find(all, "sorted-epsilon").spec;
  EXPECT_EQ(spec["params"][0]["bind"]["options"].size(), 30U);
  EXPECT_FALSE(spec["encoding"]["color"].contains("field"));
}

TEST(Plots, CurvesAreBounded) {
  EXPECT_EQ(thinned(10, 1).size(), 10U);
  const std::vector<std::size_t> kept = thinned(10000, 30);
  EXPECT_EQ(kept.size(), 400U);  // 12,000 points of a plot by 30 curves
  EXPECT_EQ(kept.front(), 0U);
  EXPECT_EQ(kept.back(), 9999U);
}

TEST(Plots, FileNamesAreHarmless) {
  EXPECT_EQ(file_name("../../etc/passwd"), "..-..-etc-passwd");
  EXPECT_EQ(file_name("IAM online (x)"), "iam-online-x");
  EXPECT_EQ(file_name("<script>"), "script");
}

TEST(Plots, ControlsHaveTheirOwnShape) {
  const std::vector<Plot> all = plots(read(made_results()));
  const Json& points = find(all, "values-iam").spec["spec"]["layer"][3]["encoding"];
  EXPECT_EQ(points["shape"]["scale"]["domain"], Json::array({"method", "retrained", "original"}));
  const Json& shapes = points["shape"]["scale"]["range"];
  EXPECT_EQ(std::set<Json>(shapes.begin(), shapes.end()).size(), 3U);
}

// The lines beside which values are read are drawn from rows that exist.
TEST(Plots, ReferenceLinesAreThoseOfRetrainedAndOriginal) {
  const std::vector<Plot> all = plots(read(made_results()));
  const Plot& plot = find(all, "values-iam");
  for (const std::size_t line : {0U, 1U}) {
    const Json& role = plot.spec["spec"]["layer"][line]["transform"][0]["filter"]["equal"];
    const Json& rows = plot.spec["data"]["values"];
    EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&role](const Json& row) {
      return row["role"] == role;
    })) << role;
  }
}

// One group of rows is counted, several are compared as shares.
TEST(Plots, OneGroupIsBars) {
  const std::vector<Plot> all = plots(read(with_series()));
  const Plot& plot = find(all, "scores-epsilon");
  EXPECT_EQ(plot.spec["data"]["values"][0]["count"], 3);
  EXPECT_EQ(plot.title, "Distribution of \u03b5 over forget examples");  // the family's own words
}

// A family that says nothing about its points gets the general words.
TEST(Plots, UnknownSeriesHaveGeneralWords) {
  Json results = made_results();
  const Json bins = {{"left", {0, 1}}, {"right", {1, 2}}, {"count", {3, 1}}};
  results["series"] =
      Json::array({series("histogram", "unheard.of", "original/0", "forget", "original", bins)});
  const std::vector<Plot> all = plots(read(results));
  EXPECT_EQ(find(all, "scores-unheard.of").title, "unheard.of: scores by group");
}

// Two values of the setting make a curve, one does not.
TEST(Plots, ValuesOverASetting) {
  Json results = made_results();
  for (const double alpha : {0.05, 0.1}) {
    results["results"].push_back(made_row("conformal.cr.forget", "unlearned/finetune/0", 0.5));
    results["results"].back()["settings"] = {{"alpha", alpha}};
    const bool curve = names(results).contains("over-alpha-conformal.cr");
    EXPECT_EQ(curve, alpha > 0.05);
  }
  const std::vector<Plot> all = plots(read(results));
  const Plot& plot = find(all, "over-alpha-conformal.cr");
  EXPECT_EQ(plot.spec["data"]["values"][1]["at"], 0.1);
}

Json grade_test(int from, int to, double p) {
  return {{"from", "partial/" + std::to_string(from)},
          {"to", "partial/" + std::to_string(to)},
          {"n", 4},
          {"gain", 1.5},
          {"p_better", p},
          {"p_worse", 1 - p}};
}

// A cell per variant and pair of grades; of several audits of a metric the first.
TEST(Plots, TestsBetweenGradesAreAMap) {
  Json results = made_results();
  const auto control = [](const char* variant, const char* audit, double p) {
    return Json{{"metric", "iam.online.auc"},
                {"audit", audit},
                {"variant", variant},
                {"graded", {{"between", {grade_test(25, 50, p), grade_test(25, 75, 0.5)}}}}};
  };
  results["bench"] = {
      {"controls",
       {control("a", "main", 0.01), control("a", "other", 0.9), control("b", "main", 0.3)}}};
  const std::vector<Plot> all = plots(read(results));
  const Plot& plot = find(all, "grade-tests");
  const Json& values = plot.spec["data"]["values"];
  ASSERT_EQ(values.size(), 4U);
  EXPECT_EQ(values[0]["pair"], "50 > 25 %");
  EXPECT_EQ(values[0]["p"], 0.01);
  EXPECT_EQ(values[1]["pair"], "75 > 25 %");
  EXPECT_EQ(values[2]["variant"], "b");
  EXPECT_EQ(plot.alt, "p below 0.05: iam.online.auc in a: 50 > 25 %.");
}

// MIAU's score is 0 and 100 on original and retrained models by definition, so that the audit does
// not ask it to tell them apart; what it says of the grades is the paper's Figure 4. How accurate a
// model is on test rows says nothing about what was removed.
TEST(Plots, TestsBetweenGradesHaveScoresByDefinitionAndNoUtility) {
  Json results = made_results();
  Json controls = Json::array();
  for (const char* metric : {"miau.score", "utility.accuracy.test", "miau.mus.forget_test"}) {
    controls.push_back({{"metric", metric},
                        {"audit", "main"},
                        {"variant", "a"},
                        {"graded", {{"between", {grade_test(25, 50, 0.2)}}}}});
  }
  results["bench"] = {{"controls", controls}};
  const std::vector<Plot> all = plots(read(results));
  const Json& values = find(all, "grade-tests").spec["data"]["values"];
  ASSERT_EQ(values.size(), 1U);
  EXPECT_EQ(values[0]["metric"], "miau.score");
}

// Three models of each role in a variant, or nothing is drawn of it.
TEST(Plots, BeforeAndAfterNeedsSeveralModels) {
  Json results = made_results();
  for (const char* variant : {"few", "many"}) {
    const int count = std::string(variant) == "few" ? 2 : 3;
    for (int model = 0; model < count; ++model) {
      for (const char* role : {"original", "retrained"}) {
        Json row = made_row("iam.online.auc", role + ("/" + std::to_string(model)), 0.5 + model,
                            std::string(role) == "original" ? "original" : "retrained");
        row["variant"] = variant;
        row["split_seed"] = model;
        results["results"].push_back(row);
      }
    }
  }
  const std::vector<Plot> all = plots(read(results));
  const Json& values = find(all, "before-after-iam").spec["data"]["values"];
  ASSERT_EQ(values.size(), 6U);
  for (const Json& value : values) EXPECT_EQ(value["variant"], "many");
}

TEST(Plots, HistoriesAreLinesByEpoch) {
  Json results = made_results();
  results["bench"] = {
      {"histories",
       {{{"variant", "a"},
         {"model", "original"},
         {"parts",
          {{"train", {{"loss", {2, 1}}, {"accuracy", {0.5, 0.75}}}},
           {"validation", {{"loss", {2, nullptr}}, {"accuracy", {0.5, 0.625}}}}}}},
        {{"variant", "a"}, {"model", "finetune"}, {"parts", {{"test", {{"accuracy", {0.25}}}}}}}}}};
  const std::vector<Plot> all = plots(read(results));
  EXPECT_EQ(find(all, "history-loss").spec["data"]["values"].size(), 3U);  // null is left out
  // Which line is which rows: no channel of the two takes the legend away.
  const Json& encoding = find(all, "history-loss").spec["spec"]["encoding"];
  EXPECT_FALSE(encoding["color"].contains("legend"));
  EXPECT_FALSE(encoding["strokeDash"].contains("legend"));
  const Json& values = find(all, "history-accuracy").spec["data"]["values"];
  ASSERT_EQ(values.size(), 5U);
  EXPECT_EQ(values[1]["epoch"], 2);
  EXPECT_EQ(values[1]["value"], 0.75);
  EXPECT_EQ(values[4]["panel"], "a: finetune");
}

TEST(Plots, CheckpointsAreNoMethods) {
  const std::vector<Plot> all = plots(read(testing::with_checkpoint()));
  const Json& values = find(all, "values-iam").spec["data"]["values"];
  ASSERT_EQ(values.size(), 4U);
  EXPECT_EQ(values[3]["role"], "checkpoint");
}

}  // namespace
}  // namespace vestige::report
