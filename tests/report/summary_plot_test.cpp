// The summary plot, the answer and the block of at most 40 lines, from verdicts made by hand.
#include "vestige/report/summary_plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "tests/report/made_results.h"
#include "vestige/report/page/first_screen.h"
#include "vestige/report/page/html.h"
#include "vestige/report/terminal/brief.h"

namespace vestige::report {
namespace {

using audit::Verdict;
using audit::VerdictTest;
using audit::Word;

/// A core test with original and retrained at these values.
VerdictTest core_test(double difference, double half_width, double original, double retrained) {
  VerdictTest test;
  test.metric = "iam.online.auc";
  test.difference.estimate = difference;
  test.difference.lower = difference - half_width;
  test.difference.upper = difference + half_width;
  test.original = original;
  test.retrained = retrained;
  test.reference_difference = std::abs(original - retrained);
  test.margin = 0.25 * test.reference_difference;
  test.core = true;
  return test;
}

VerdictTest accuracy_test(const std::string& split, double difference, bool lost) {
  VerdictTest test;
  test.metric = "utility.accuracy." + split;
  test.difference.estimate = difference;
  if (lost) test.shows = audit::Leaning::utility_loss;
  return test;
}

Verdict verdict_of(const std::string& method, Word word, std::vector<VerdictTest> tests) {
  Verdict verdict;
  verdict.method = method;
  verdict.word = word;
  verdict.form = audit::Form::unseen;
  verdict.tests = std::move(tests);
  return verdict;
}

Results with_verdicts(std::vector<Verdict> verdicts) {
  Results results = testing::read(testing::made_results());
  results.verdicts = std::move(verdicts);
  return results;
}

// What comes back is said where people look first.
TEST(SummaryPlot, AnAdditionStandsBesideTheWordAndInTheAnswer) {
  Verdict back = verdict_of("ssd", Word::forgotten, {core_test(0.0, 0.01, 1, 0)});
  back.additions = {{"returns.share", "returns", "returns under", "relearn.2"},
                    {"returns.share", "returns", "returns under", "int4"}};
  const Verdict for_good = verdict_of("retrain", Word::forgotten, {core_test(0.0, 0.01, 1, 0)});
  const Results two = with_verdicts({back, for_good});
  const std::vector<SummaryPlot> summaries = summary_plots(two);
  EXPECT_EQ(shown_word(summaries[0].lines[0]), "FORGOTTEN, RETURNS");
  EXPECT_EQ(shown_word(summaries[0].lines[1]), "FORGOTTEN");
  EXPECT_EQ(answer(summaries, two.verdicts),
            "All 2 methods are shown to forget like retraining, but 1 of them is marked RETURNS");
  EXPECT_NE(summary_text(summaries[0], 100, false, 10).find("FORGOTTEN, RETURNS"),
            std::string::npos);
  const Results one = with_verdicts({back});
  EXPECT_EQ(answer(summary_plots(one), one.verdicts),
            "ssd is shown to forget like retraining, but is marked RETURNS");
}

TEST(SummaryPlot, ScalesToRetrainedAndOriginal) {
  // Room 0.2: 0.15 towards the original is 0.75 of the way, its interval 0.5 to 1.
  const Results results =
      with_verdicts({verdict_of("a", Word::traces_remain, {core_test(0.15, 0.05, 0.9, 0.7)})});
  const std::vector<SummaryPlot> summaries = summary_plots(results);
  ASSERT_EQ(summaries.size(), 1u);
  const SummaryMark& mark = summaries[0].lines[0].marks.at(0);
  EXPECT_NEAR(mark.value, 0.75, 1e-12);
  EXPECT_NEAR(mark.lower, 0.5, 1e-12);
  EXPECT_NEAR(mark.upper, 1.0, 1e-12);
  EXPECT_NEAR(summaries[0].margin, 0.25, 1e-12);
}

TEST(SummaryPlot, AMetricThatFallsForTheOriginalIsTurnedAround) {
  // The original lies below: a difference of -0.1 in a room of 0.2 is half of the way towards it.
  const Results results =
      with_verdicts({verdict_of("a", Word::traces_remain, {core_test(-0.1, 0.06, 0.5, 0.7)})});
  const SummaryMark mark = summary_plots(results)[0].lines[0].marks.at(0);
  EXPECT_NEAR(mark.value, 0.5, 1e-12);
  EXPECT_NEAR(mark.lower, 0.2, 1e-12);
  EXPECT_NEAR(mark.upper, 0.8, 1e-12);
}

TEST(SummaryPlot, WorstFirstAndControlsLast) {
  const Results results = with_verdicts(
      {verdict_of("fine", Word::forgotten, {}), verdict_of("identity", Word::traces_remain, {}),
       verdict_of("bad", Word::traces_remain, {}), verdict_of("far", Word::over_forgotten, {})});
  std::vector<std::string> order;
  const std::vector<SummaryPlot> summaries = summary_plots(results);
  for (const SummaryLine& line : summaries[0].lines) order.push_back(line.method);
  EXPECT_EQ(order, (std::vector<std::string>{"bad", "far", "fine", "identity"}));
}

TEST(SummaryPlot, TheAnswerCountsMethodsWithoutControls) {
  const auto answered = [](std::vector<Verdict> verdicts) {
    const Results results = with_verdicts(std::move(verdicts));
    return answer(summary_plots(results), results.verdicts);
  };
  EXPECT_EQ(answered({}), "No method was judged");
  EXPECT_EQ(answered({verdict_of("a", Word::forgotten, {})}),
            "a is shown to forget like retraining");
  EXPECT_EQ(answered({verdict_of("a", Word::traces_remain, {})}),
            "a is not shown to forget like retraining");
  EXPECT_EQ(
      answered({verdict_of("a", Word::traces_remain, {}), verdict_of("b", Word::not_decided, {}),
                verdict_of("identity", Word::traces_remain, {})}),
      "None of 2 methods is shown to forget like retraining");
  EXPECT_EQ(
      answered({verdict_of("a", Word::forgotten, {}), verdict_of("b", Word::over_forgotten, {})}),
      "1 of 2 methods is shown to forget like retraining");
  std::vector<Verdict> alone = {verdict_of("a", Word::not_decided, {}),
                                verdict_of("b", Word::traces_remain, {})};
  for (Verdict& verdict : alone) verdict.form = audit::Form::alone;
  EXPECT_EQ(answered(alone), "Traces remain in 1 of 2 methods");
  alone.pop_back();
  EXPECT_EQ(answered(alone),
            "a is not decided: without a retrained model forgetting cannot be shown");
  // A collapsed model and one without test outputs rest on no test; retrained models are there.
  std::vector<Verdict> untested = {verdict_of("a", Word::collapsed, {}),
                                   verdict_of("b", Word::not_tested, {})};
  for (Verdict& verdict : untested) verdict.form = audit::Form::none;
  EXPECT_EQ(answered(untested), "None of 2 methods is shown to forget like retraining");
}

TEST(SummaryPlot, FarValuesAreArrowsWithTheirNumber) {
  const Results results =
      with_verdicts({verdict_of("a", Word::over_forgotten, {core_test(-0.6, 0.01, 0.9, 0.7)})});
  const std::vector<SummaryPlot> summaries = summary_plots(results);
  EXPECT_NE(line_svg(summaries[0].lines[0], summaries[0]).find("\u25c0 -3.0"), std::string::npos);
  EXPECT_NE(summary_text(summaries[0], 100, false, 20).find("\u25c0"), std::string::npos);
}

TEST(SummaryPlot, LostAccuracyIsMarkedAndRoundsWithoutMinusZero) {
  const Results results = with_verdicts({verdict_of(
      "a", Word::traces_remain,
      {accuracy_test("retain", -0.0581, true), accuracy_test("test", -0.0001, false)})});
  const SummaryLine line = summary_plots(results)[0].lines[0];
  EXPECT_EQ(points_text(line.retain), "-5.8 pts");
  EXPECT_TRUE(line.retain.lost);
  EXPECT_EQ(points_text(line.test), "+0.0 pts");
  EXPECT_EQ(points_text({}), "-");
  EXPECT_NE(summary_text(summary_plots(results)[0], 100, false, 20).find("-5.8 pts\u25bc"),
            std::string::npos);
}

TEST(SummaryPlot, NamesAreTextOnThePage) {
  const Results results = with_verdicts({verdict_of("<img src=x>\"'{{script}}", Word::traces_remain,
                                                    {core_test(0.1, 0.01, 0.9, 0.7)})});
  const std::string whole = html(results);
  const std::string page = whole.substr(0, whole.find("<script"));
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_NE(page.find("&lt;img src=x&gt;"), std::string::npos);
  const std::string figure = figure_svg(summary_plots(results)[0], "<title>");
  EXPECT_EQ(figure.find("<img"), std::string::npos);
}

TEST(SummaryPlot, LanguageModelsHaveAPerplexityInsteadOfPoints) {
  // ln 2 nats lost per token is twice the perplexity.
  EXPECT_EQ(points_text({.difference = -std::log(2.0), .lost = true, .likelihood = true}), "x2.00");
  EXPECT_EQ(points_text({.difference = std::log(4.0), .likelihood = true}), "x0.25");
  EXPECT_EQ(points_text({.difference = -std::log(1500.0), .likelihood = true}), "x1500");
  EXPECT_EQ(points_text({.difference = -std::log(4e34), .likelihood = true}), "x4e+34");
}

TEST(SummaryPlot, ThePageHasItWithoutScripts) {
  Results results =
      with_verdicts({verdict_of("a", Word::traces_remain, {core_test(0.1, 0.01, 0.9, 0.7)})});
  const std::string page = html(results);
  const std::size_t script = page.find("<script");
  const std::size_t summary = page.find("<svg viewBox");
  EXPECT_LT(summary, script);
  EXPECT_NE(page.find("<h1>a is not shown to forget like retraining</h1>"), std::string::npos);
  results.run.title = "Quarterly check";
  EXPECT_NE(first_screen(results).find("<h1>Quarterly check</h1>"), std::string::npos);
  EXPECT_NE(first_screen(results).find("a is not shown to forget"), std::string::npos);
}

TEST(Brief, HasAtMostFortyLinesThatFit) {
  std::vector<Verdict> verdicts;
  for (int i = 0; i < 60; ++i) {
    verdicts.push_back(verdict_of("method_with_a_very_long_name_" + std::to_string(i), Word::mixed,
                                  {core_test(0.1, 0.05, 0.9, 0.7)}));
  }
  Results results = with_verdicts(std::move(verdicts));
  for (int i = 0; i < 40; ++i) {
    results.skipped.push_back({"group" + std::to_string(i), result::Code::no_original_model});
    study::StudyRow row = results.rows.front();
    row.row.metric = "other" + std::to_string(i) + ".score";
    row.row.status = metrics::Status::unreliable;
    row.row.notes = {result::reason(
        result::Code::message, "it cannot tell original from retrained; " + std::string(200, 'x'))};
    results.rows.push_back(row);
  }
  for (const std::size_t width : {60u, 72u, 80u, 100u, 160u}) {
    const std::string text = audit_brief(results, {.width = width});
    // Narrow terminals show utility below each method.
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), width < 80 ? 60 : 39);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const auto columns = std::count_if(line.begin(), line.end(), [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
      });
      EXPECT_LE(columns, static_cast<std::ptrdiff_t>(width)) << line;
    }
  }
}

TEST(Brief, SaysWhatCannotBeReadOncePerFamily) {
  Results results = with_verdicts({});
  for (const char* metric : {"miau.score", "miau.mus.forget_test"}) {
    study::StudyRow row = results.rows.front();
    row.row.metric = metric;
    row.row.status = metrics::Status::unreliable;
    row.row.notes = {
        result::reason(result::Code::message, "the attack is at chance: 49.1 %; more words")};
    results.rows.push_back(row);
  }
  EXPECT_EQ(unreadable(results),
            (std::vector<std::string>{"miau, 2 metrics: the attack is at chance"}));
}

}  // namespace
}  // namespace vestige::report
