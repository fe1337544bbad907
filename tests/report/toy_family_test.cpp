// One declaration is enough: a family that only this test knows is measured, shown and checked
// everywhere.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/evidence_folder.h"
#include "vestige/audit/audit.h"
#include "vestige/audit/metric_options.h"
#include "vestige/base/error.h"
#include "vestige/evidence/reader.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/series.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/page/page_data.h"
#include "vestige/report/tables/csv.h"
#include "vestige/report/tables/latex.h"
#include "vestige/report/tables/markdown.h"
#include "vestige/report/terminal/study_brief.h"
#include "vestige/report/terminal/terminal.h"
#include "vestige/study/paper_checks.h"
#include "vestige/study/summary.h"

namespace vestige::report {
namespace {

using testing::holds;

constexpr const char* kId = "toy.trace";

struct ToySettings {
  double scale = 1;
};

const metrics::OptionTable<ToySettings>& toy_options() {
  static const auto table = metrics::OptionTable<ToySettings>("toy").number(
      "scale", "factor of every value", [](ToySettings & s) -> auto& { return s.scale; },
      metrics::above(0));
  return table;
}

/// 0.9 for originals, 0.1 for retrained models, 0.8 for methods, and a hundredth more for every
/// further model, times the scale, each known to 0.02.
metrics::Measurements toy_measure(const metrics::Comparison& comparison,
                                  const metrics::Request& request, Progress&) {
  const ToySettings settings = toy_options().read(request.options);
  metrics::Row row = metrics::make_row(kId, comparison, request);
  const std::string& role = row.subject.role;
  row.value = settings.scale * (role == "original" ? 0.9 : role == "retrained" ? 0.1 : 0.8);
  if (!row.subject.name.empty()) row.value += settings.scale * 0.01 * std::stod(row.subject.name);
  row.lower = row.value - 0.02;
  row.upper = row.value + 0.02;
  row.interval = result::Code::bootstrap_models_fixed;
  row.n = 3;
  row.settings["scale"] = settings.scale;
  metrics::Series bars = metrics::make_series("histogram", kId, comparison);
  bars.group = "forget";
  bars.columns = {{"left", {0, 1}}, {"right", {1, 2}}, {"count", {2, 1}}};
  return {{row}, {}, {bars}};
}

metrics::Family toy_family() {
  metrics::MetricInfo trace{.id = kId,
                            .direction = metrics::Direction::match,
                            .ideal = metrics::kUndefined,
                            .name = "toy trace",
                            .what = "what is left in the toy",
                            .shows_forgetting = true,
                            .brief = "toy"};
  trace.speech = metrics::Speech{.place = 1000,
                                 .under = "the toy finds the forgotten rows",
                                 .over = "the toy finds too little",
                                 .core = true};
  metrics::Family family;
  family.name = "toy";
  family.summary = "a family of the tests";
  family.metrics = {trace};
  family.support = [](const evidence::Evidence&) { return metrics::Support{true, {}}; };
  family.prepare = metrics::each(toy_measure);
  family.options = toy_options().options();
  family.series = {{"histogram", kId, "Toys", "Toys of {}", "Bars are toys.", "Toy score"}};
  return family;
}

struct Toy {
  explicit Toy(std::size_t each = 1) : models(each) {}

  metrics::AddedFamily added{toy_family()};
  std::size_t models = 1;
  testing::EvidenceFolder folder{testing::EvidenceShape{.models = models, .methods = {"ft"}}};
  evidence::Reading reading = evidence::load(folder.path());
  audit::AuditResult measured =
      audit::audit(reading.evidence, {.metrics = {"toy"}, .options = {{"toy.scale", 0.5}}});
  Results results = audit_results(reading.evidence, reading.findings, measured, {});
};

TEST(ToyFamily, IsGoneWithItsTest) {
  { const metrics::AddedFamily added(toy_family()); }
  EXPECT_EQ(metrics::find_metric(kId), nullptr);
}

TEST(ToyFamily, IsInspectedAndHasOptions) {
  const Toy toy;
  const auto lines = audit::support(toy.reading.evidence);
  EXPECT_EQ(lines.back().family, "toy");
  EXPECT_TRUE(holds(inspect_text(toy.reading.evidence, {}, lines),
                    {"toy          yes   a family of the tests"}));
  const std::vector<metrics::Option> options = audit::metric_options();
  const auto scale = std::find_if(options.begin(), options.end(),
                                  [](const auto& option) { return option.key == "toy.scale"; });
  ASSERT_NE(scale, options.end());
  EXPECT_EQ(scale->flag(), "--toy-scale");
  EXPECT_EQ(audit::checked_options(Json::object(), "test")["toy.scale"], 1.0);
  EXPECT_THROW(audit::checked_options({{"toy.scale", -1}}, "test"), InputError);
}

TEST(ToyFamily, IsMeasuredAndSpeaksInVerdicts) {
  const Toy toy(3);
  ASSERT_FALSE(toy.measured.rows.empty());
  const metrics::Row& first = toy.measured.rows.front();
  EXPECT_EQ(first.metric, kId);
  EXPECT_EQ(first.value, 0.4);  // 0.8 times the scale
  EXPECT_EQ(first.reference, 0.05);
  ASSERT_EQ(toy.measured.verdicts.size(), 1U);
  const audit::Verdict& verdict = toy.measured.verdicts[0];
  ASSERT_FALSE(verdict.tests.empty());
  EXPECT_EQ(verdict.under, audit::Outcome::shown);
  const auto spoken = std::find_if(verdict.tests.begin(), verdict.tests.end(),
                                   [](const auto& test) { return test.metric == kId; });
  ASSERT_NE(spoken, verdict.tests.end());
  EXPECT_EQ(spoken->shows, audit::Leaning::under);
  EXPECT_NEAR(spoken->difference.estimate, 0.35, 1e-12);  // half of 0.8 - 0.1
}

TEST(ToyFamily, IsInEveryView) {
  const Toy toy;
  EXPECT_TRUE(holds(audit_table(toy.reading.evidence, {}, toy.results),
                    {"toy.trace [scale 0.5] | should match retrained", "ft/0", "0.4000"}));
  EXPECT_TRUE(holds(csv(toy.results), {"toy.trace,unlearned/ft/0,unlearned,ft,0,0.4,"}));
  EXPECT_TRUE(
      holds(latex(toy.results), {"model & role & toy.trace [scale 0.5]", "ft & method & 0.4"}));
  EXPECT_TRUE(holds(markdown(toy.results), {"| ft | method | 0.4 (0.38 to 0.42) |"}));
  const Json page = page_data(toy.results);
  EXPECT_EQ(page["definitions"][kId], "what is left in the toy");
  EXPECT_EQ(page["headline"].size(), 1U);
  bool drawn = false;
  for (const Json& plot : page["plots"]) {
    drawn = drawn || (plot["section"] == "Toys" && plot["title"] == "Toys of toy.trace");
  }
  EXPECT_TRUE(drawn);
  EXPECT_EQ(results_json(toy.results)["run"]["options"].size(), 0U);
  EXPECT_EQ(results_json(toy.results)["results"][0]["settings"]["scale"], 0.5);
}

TEST(ToyFamily, IsComparedAndCheckedInExperiments) {
  const Toy toy;
  const Json checks = {{{"finding", "the toy tells originals apart"},
                        {"left", {{"metric", kId}, {"method", "original"}}},
                        {"is", "above"},
                        {"right", {{"metric", kId}, {"method", "retrained"}}}}};
  const study::Study study = study::study(toy.results.rows, study::read_checks(checks, "the test"));
  ASSERT_EQ(study.findings.size(), 1U);
  EXPECT_EQ(study.findings[0].outcome, study::CheckOutcome::held);
  const std::string brief = study_brief(study);
  EXPECT_TRUE(holds(brief, {"        toy\n", "  ft" + std::string(26, ' ') + "0.4\n"}));
}

}  // namespace
}  // namespace vestige::report
