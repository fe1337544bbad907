// Text fits the terminal, whatever names and numbers it shows.
#include "vestige/report/terminal/terminal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "tests/support/evidence_folder.h"
#include "tests/support/small_evidence.h"
#include "vestige/base/seed.h"
#include "vestige/evidence/reader.h"
#include "vestige/report/terminal/ascii.h"

namespace vestige::report {
namespace {

using testing::holds;

std::size_t columns(const std::string& line) {
  std::size_t count = 0;
  for (const char byte : line) count += (static_cast<unsigned char>(byte) & 0xc0) != 0x80 ? 1 : 0;
  return count;
}

void expect_fits(const std::string& text, std::size_t width = kTerminalWidth) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), width) << line;
}

TEST(Wrap, ShortTextStaysOnOneLine) {
  EXPECT_EQ(wrap("a b  c", "- ", "  "), "- a b c\n");
  EXPECT_EQ(wrap("", "- ", "  "), "- \n");
}

TEST(Wrap, BreaksAtTheLastSpaceThatFits) {
  const std::string word(49, 'x');
  EXPECT_EQ(wrap(word + " " + word, "", "  "), word + " " + word + "\n");
  EXPECT_EQ(wrap(word + " " + word, "- ", "  "), "- " + word + "\n  " + word + "\n");
}

TEST(Wrap, CutsWordsThatAreLongerThanALine) {
  const std::string word(250, 'x');
  EXPECT_EQ(wrap(word, "- ", "  "), "- " + std::string(98, 'x') + "\n  " + std::string(98, 'x') +
                                        "\n  " + std::string(54, 'x') + "\n");
  std::string umlauts;
  for (int i = 0; i < 150; ++i) umlauts += "\xc3\xa4";
  const std::string text = wrap("see " + umlauts, "", "  ");
  expect_fits(text);
  EXPECT_EQ(columns(text), 3U + 150 + 2 * 2 + 3) << "nothing is lost: " << text;
}

// Any text: every line fits and the words are all there, in order.
TEST(Wrap, RandomTexts) {
  for (std::uint64_t trial = 0; trial < 500; ++trial) {
    Stream stream(trial, "wrap");
    std::string text;
    for (std::uint64_t words = stream.below(40); words > 0; --words) {
      text += std::string(1 + stream.below(trial % 10 == 0 ? 120 : 20), 'a') + " ";
    }
    const std::string wrapped = wrap(text, "first: ", "    ");
    expect_fits(wrapped);
    const auto letters = [](const std::string& from) {
      return std::count(from.begin(), from.end(), 'a');
    };
    EXPECT_EQ(letters(wrapped), letters(text));
  }
}

metrics::Row row(const std::string& model, metrics::Control control, double value) {
  metrics::Row made;
  made.metric = "epsilon.f_score";
  made.subject = metrics::parse_subject(model);
  made.direction = metrics::Direction::higher;
  made.ideal = 1;
  made.value = value;
  made.lower = value / 2;
  made.upper = value * 2;
  made.interval = result::Code::bootstrap_models_fixed;
  made.control = control;
  made.settings = {{"mode", "exact"}, {"models", 40}};
  return made;
}

std::string shown(const evidence::Evidence& evidence, const evidence::Findings& findings,
                  const audit::AuditResult& result, bool full = false) {
  return audit_table(evidence, findings, audit_results(evidence, findings, result, {}), full);
}

std::string table(const std::vector<metrics::Row>& rows) {
  audit::AuditResult result;
  result.rows = rows;
  result.grade = {'A', result::reason(result::Code::grade_several_retrained, 9)};
  return shown(testing::small_evidence({testing::small_group("original", "", 1)}), {}, result);
}

TEST(AuditTable, FitsFromSixtyColumnsUpAndShowsEveryNumber) {
  std::vector<metrics::Row> rows = {
      row("unlearned/a_method_with_quite_a_long_name", metrics::Control::none, -0.2345),
      row("original", metrics::Control::original, 0.125),
      row("retrained", metrics::Control::retrained, 0.75)};
  rows[0].lower = -1.2345e-5;
  rows[0].upper = 1.2345e-4;
  audit::AuditResult result;
  result.rows = rows;
  result.grade = {'A', result::reason(result::Code::grade_several_retrained, 9)};
  const evidence::Evidence evidence =
      testing::small_evidence({testing::small_group("original", "", 1)});
  const Results results = audit_results(evidence, {}, result, {});
  for (const std::size_t width : {60U, 70U, 76U, 80U, 90U, 100U, 130U}) {
    const std::string text = audit_table(evidence, {}, results, false, width);
    expect_fits(text, width);
    EXPECT_TRUE(holds(text, {"-0.2345", "-1.23e-05 .. 1.23e-04", "0.7500", "0.1250"})) << width;
  }
}

TEST(Ascii, SignsKeepTheirPlaceAndTheRestIsAQuestionMark) {
  EXPECT_EQ(ascii("\u00b7\u00b7\u2502\u25cf\u2500\u2506 -1.8 pts\u25bc"), "..|o-: -1.8 ptsv");
  EXPECT_EQ(ascii("na\u00efve"), "na?ve");
  EXPECT_EQ(ascii("plain, 100 %"), "plain, 100 %");
}

TEST(AuditTable, AMethodBesideItsControls) {
  const std::string text = table({row("unlearned/ft", metrics::Control::none, 0.25),
                                  row("original", metrics::Control::original, 0.125),
                                  row("retrained", metrics::Control::retrained, 0.75),
                                  row("constant_predictor", metrics::Control::constant, 0)});
  EXPECT_TRUE(holds(
      text,
      {"epsilon.f_score [exact, N=40] | higher is better, ideal 1 | interval: bootstrap",
       "                                  value  interval                  retrained   original",
       "  ft                               0.2500  0.1250 .. 0.5000             0.7500     0.1250",
       "  constant_predictor                    0  0 .. 0                       0.7500     "
       "0.1250"}));
  EXPECT_EQ(text.find("  original  "), std::string::npos) << "controls are columns, not lines";
  expect_fits(text);
}

TEST(AuditTable, CheckpointsStandApart) {
  const std::string text =
      table({row("checkpoint/original.0.5/0", metrics::Control::checkpoint, 0.5),
             row("unlearned/ft", metrics::Control::none, 0.25)});
  const std::size_t heading = text.find("  checkpoints (models during training");
  ASSERT_NE(heading, std::string::npos) << text;
  EXPECT_LT(text.find("  ft  "), heading);
  EXPECT_GT(text.find("  checkpoint/original.0.5/0"), heading);
}

TEST(AuditTable, UnreliableAndUndefinedRows) {
  metrics::Row unreliable = row("unlearned/ft", metrics::Control::none, 0.25);
  unreliable.status = metrics::Status::unreliable;
  metrics::Row undefined = row("unlearned/old", metrics::Control::none, std::nan(""));
  undefined.status = metrics::Status::undefined;
  undefined.notes = {result::reason(result::Code::message, "every attack is discarded")};
  metrics::Row skipped = row("unlearned/none", metrics::Control::none, std::nan(""));
  skipped.status = metrics::Status::skipped;
  skipped.notes = {result::reason(result::Code::message, "add files")};
  const std::string text = table({unreliable, undefined, skipped});
  EXPECT_TRUE(holds(text, {"0.2500? ", "undefined", "      every attack is discarded\n", "skipped",
                           "      add files\n", "?  unreliable: the reason is below"}));
}

TEST(AuditTable, EqualValuesAreOneLine) {
  const std::string text = table({row("unlearned/a", metrics::Control::none, 0),
                                  row("unlearned/b", metrics::Control::none, 0)});
  EXPECT_TRUE(holds(text, {"| 0 for every model"}));
  EXPECT_EQ(text.find("retrained   original"), std::string::npos);
}

// Of several settings the first is shown, and the first with a retrained control if that is
// another.
TEST(AuditTable, MainSettingsUnlessAllAreAskedFor) {
  audit::AuditResult result;
  for (const int models : {40, 20, 10}) {
    for (const auto control :
         {metrics::Control::none, metrics::Control::original, metrics::Control::retrained}) {
      if (models == 40 && control == metrics::Control::retrained) continue;
      result.rows.push_back(row("unlearned/ft", control, 0.1 + models + static_cast<int>(control)));
      result.rows.back().settings["models"] = models;
    }
  }
  const auto evidence = testing::small_evidence({testing::small_group("original", "", 1)});
  const std::string main = shown(evidence, {}, result);
  EXPECT_TRUE(holds(main, {"[exact, N=40]", "[exact, N=20]", "1 more setting", "--full"}));
  EXPECT_EQ(main.find("N=10"), std::string::npos);
  const std::string full = shown(evidence, {}, result, true);
  EXPECT_TRUE(holds(full, {"[exact, N=40]", "[exact, N=20]", "[exact, N=10]"}));
  EXPECT_EQ(full.find("more setting"), std::string::npos);
}

TEST(AuditTable, ControlsAloneAreLines) {
  EXPECT_TRUE(holds(table({row("original", metrics::Control::original, 0.125),
                           row("retrained", metrics::Control::retrained, 0.75)}),
                    {"  original                         0.1250", "  retrained  "}));
}

TEST(AuditTable, LongNamesAndWideNumbersFit) {
  const std::string stem(57, 'm');
  std::vector<metrics::Row> rows = {
      row("unlearned/" + stem + "one", metrics::Control::none, -99999.12345),
      row("unlearned/" + stem + "two", metrics::Control::none, -1.2345e-300),
      row("unlearned/\xc3\xa4" + stem, metrics::Control::none, 123456789.5),
      row("original", metrics::Control::original, -99999.12345),
      row("retrained", metrics::Control::retrained, 1e300)};
  const std::string text = table(rows);
  expect_fits(text);
  // Names that begin alike are told apart.
  EXPECT_TRUE(holds(text, {stem + "one\n", stem + "two\n"}));
  for (metrics::Row& each : rows) each.settings["layer"] = std::string(200, 'l');
  expect_fits(table(rows));
}

TEST(AuditTable, VerdictsComeFirstAndLimitsOnce) {
  audit::AuditResult result;
  result.grade = {'B', result::Code::grade_one_retrained};
  for (const char* method : {"ft", "ssd"}) {
    audit::Verdict verdict;
    verdict.method = method;
    verdict.earlier_sentence = std::string(method) + ": traces remain.";
    verdict.limits = {result::reason(result::Code::message, "Nothing is shown about others.")};
    result.verdicts.push_back(verdict);
  }
  EXPECT_TRUE(holds(shown(testing::small_evidence({}), {}, result),
                    {"Verdicts\n- ft: traces remain.\n- ssd: traces remain.\n"
                     "What they do not show\n- Nothing is shown about others.\n"}));
}

TEST(AuditTable, WholeAuditsFit) {
  testing::EvidenceFolder folder(
      testing::EvidenceShape{.classes = 3,
                             .models = 4,
                             .forget = 12,
                             .retain = 20,
                             .test = 15,
                             .methods = {std::string(60, 'x'), std::string(59, 'x') + "y"}});
  const auto reading = evidence::load(folder.path());
  const audit::AuditResult result = audit::audit(reading.evidence, {});
  expect_fits(shown(reading.evidence, reading.findings, result));
  expect_fits(shown(reading.evidence, reading.findings, result, true));
  expect_fits(inspect_text(reading.evidence, reading.findings, audit::support(reading.evidence)));
}

TEST(InspectText, CountsAndTable) {
  const auto message = [](const char* text) { return result::reason(result::Code::message, text); };
  const auto evidence = testing::small_evidence({testing::small_group("original", "", 2)});
  const std::string text =
      inspect_text(evidence,
                   {{evidence::Severity::error, "x.npy", message("is bad")},
                    {evidence::Severity::note, "", message("n")}},
                   {{"iam", "what it is", {false, message("needs a shadow model")}},
                    {"utility", "accuracy kept", {true, {}}},
                    {"epsilon", "unused", {true, message("few models")}}});
  EXPECT_TRUE(
      holds(text, {"models: original x 2; examples: forget 2; 2 classes; outputs are logits "
                   "(detected)",
                   "Evidence quality D (of A to D)", "error: x.npy is bad", "note: n",
                   "1 error, 0 warnings", "iam          no    needs a shadow model",
                   "utility      yes   accuracy kept", "epsilon      yes   few models"}));
  expect_fits(text);
}

}  // namespace
}  // namespace vestige::report
