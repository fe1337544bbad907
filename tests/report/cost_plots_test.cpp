// Trade-off and front of cost from verdicts made by hand: every number is one of the verdicts'.
#include <gtest/gtest.h>

#include "tests/report/made_plots.h"
#include "vestige/report/page/label_heights.h"
#include "vestige/report/page/plots/plots.h"
#include "vestige/report/page/rank_figure.h"

namespace vestige::report {
namespace {

using testing::priced_results;

const Json& values_named(const std::vector<Plot>& all, const std::string& name) {
  for (const Plot& plot : all) {
    if (plot.name == name) return plot.spec.at("data").at("values");
  }
  throw std::runtime_error("no plot " + name);
}

TEST(TradeOff, PointsAndIntervalsAreThoseOfTheVerdicts) {
  const Results results = priced_results();
  const std::vector<Plot> all = trade_off_plot({results, {}, {}});
  const Json& values = values_named(all, "trade-off");
  ASSERT_EQ(values.size(), 7U);  // five methods, retrained, original
  EXPECT_EQ(values[1]["method"], "original");
  EXPECT_NEAR(values[1]["kept"].get<double>(), 2, 1e-6);
  EXPECT_EQ(values[1]["forgetting"], 1);
  EXPECT_TRUE(values[1]["kept_lower"].is_null()) << "one model has no interval over models";
  for (const Json& value : values) {
    if (value["method"] != "worse") continue;
    EXPECT_NEAR(value["kept"].get<double>(), -2, 1e-6);
    EXPECT_NEAR(value["kept_lower"].get<double>(), -3, 1e-6);
    EXPECT_NEAR(value["kept_upper"].get<double>(), -1, 1e-6);
    EXPECT_NEAR(value["forgetting"].get<double>(), 0.9, 1e-6);
    EXPECT_NEAR(value["forgetting_lower"].get<double>(), 0.8, 1e-6);
    EXPECT_NEAR(value["forgetting_upper"].get<double>(), 1.0, 1e-6);
  }
}

// By hand: worse is slower and farther than quick; ruin is the best in both but lost its accuracy;
// identity is no attempt; retraining is slow and lies at 0.
TEST(Pareto, TheFrontIsWhatNobodyBeatsInBoth) {
  const Results results = priced_results();
  const std::vector<Plot> all = pareto_plot({results, {}, {}});
  const Json& values = values_named(all, "pareto");
  std::map<std::string, bool> front;
  for (const Json& value : values) front[value["method"]] = value["front"];
  EXPECT_EQ(front, (std::map<std::string, bool>{{"quick", true},
                                                {"slow", true},
                                                {"worse", false},
                                                {"ruin", false},
                                                {"retraining", true}}));
  EXPECT_NE(all.front().alt.find("by no other: quick, slow and retraining."), std::string::npos)
      << all.front().alt;
  EXPECT_EQ(all.front().lead, "costs");
  for (const Json& value : values) {
    EXPECT_LE(value["label_at"].get<double>(), value["distance"].get<double>() + 1e-6);
  }
}

// By hand: names are 13 pixels high and 6.5 a letter wide. The second begins within the first and
// goes one line below it, the third would be within the second; the last is beside all of them.
TEST(LabelHeights, NamesDoNotCoverEachOther) {
  const std::vector<Labelled> points = {
      {100, 50, "finetune"}, {120, 48, "scrub"}, {130, 40, "salun"}, {300, 50, "retrain"}};
  EXPECT_EQ(label_heights(points), (std::vector<double>{50, 37, 24, 50}));
}

// Shares are those of the study; levels that cannot be told apart are left out.
TEST(VariancePlot, IsOneBarPerMetric) {
  Results results;
  results.bench.emplace();
  for (const char* method : {"*", "finetune"}) {
    results.bench->study.variance.push_back(
        {.measure = {.metric = "iam.online.auc"},
         .variant = "random",
         .method = method,
         .levels = {{.level = result::Level::split, .estimable = true, .share = 0.25},
                    {.level = result::Level::training, .estimable = true, .share = 0.75},
                    {.level = result::Level::attack}},
         .noisiest = result::Level::training});
  }
  const std::vector<Plot> all = variance_plot({results, {}, {}});
  const Json& values = values_named(all, "variance");
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0]["bar"], "iam.online.auc (random)");
  EXPECT_EQ(values[0]["share"], 0.25);
  EXPECT_EQ(values[1]["source"], "training");
  EXPECT_TRUE(variance_plot({Results{}, {}, {}}).empty());
}

// By hand: ranks 1 and 3 of 3, so that the second point lies at the right end; both names are
// there.
TEST(RankFigure, PutsMethodsAtTheirRanks) {
  Results results;
  results.bench.emplace();
  results.bench->study.comparison.metrics = {
      {.measure = {.metric = "iam.online.auc"},
       .critical_difference = 1,
       .methods = {{.method = "a<b", .rank = {.value = 1}, .best = 0.9},
                   {.method = "c", .rank = {.value = 3}, .best = 0.1}}}};
  const std::string svg = rank_figure_svg(results);
  EXPECT_NE(svg.find("width=\"84mm\""), std::string::npos);
  EXPECT_NE(svg.find("a&lt;b"), std::string::npos);
  EXPECT_NE(svg.find("<circle cx=\"170.0\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("<circle cx=\"470.0\""), std::string::npos) << svg;
  // The critical difference is half of the two ranks between the ends: 150 of 300 units.
  EXPECT_NE(svg.find("width=\"150.0\""), std::string::npos) << svg;
  EXPECT_EQ(rank_figure_svg(Results{}), "");
}

TEST(Pareto, NeedsCostsOfTwoMethods) {
  Results results = priced_results();
  results.verdicts.resize(1);
  EXPECT_TRUE(pareto_plot({results, {}, {}}).empty());
  results = priced_results();
  results.bench.reset();
  EXPECT_TRUE(pareto_plot({results, {}, {}}).empty());
}

}  // namespace
}  // namespace vestige::report
