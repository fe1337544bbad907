// Every sentence of every reason, for people to read from top to bottom: sentences.golden.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <set>
#include <string>

#include "tests/support.h"
#include "tests/support/sample_reasons.h"
#include "tests/words/sample_views.h"
#include "vestige/base/file.h"
#include "vestige/words/entry.h"
#include "vestige/words/numbers.h"
#include "vestige/words/words.h"

namespace vestige::words {
namespace {

using result::Code;

/// Texts that follow the name of a file or a metric begin with one of these.
bool is_predicate(std::string_view text) {
  static const std::set<std::string_view> verbs = {
      "is",    "was",   "has",    "holds",    "gives", "splits",  "does",        "pairs",
      "fits",  "lists", "shares", "needs",    "gets",  "rates",   "tells",       "failed",
      "takes", "would", "cannot", "probably", "and",   "matches", "contradicts", "compares"};
  return verbs.contains(text.substr(0, text.find(' ')));
}

/// The same reason without the arguments that a text may lack; the reason itself if it needs all.
result::Reason with_least(const result::Reason& full) {
  result::Reason least = full;
  const std::string_view text = template_of(full.code);
  const auto parameters = result::parameters(full.code);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string name(parameters[i].name);
    if (text.find("{+" + name + "}") == text.npos && text.find("{-" + name + "}") == text.npos) {
      continue;
    }
    std::visit(
        [](auto& value) {
          using Value = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<Value, double>) {
            value = std::nan("");
          } else {
            value = Value{};
          }
        },
        least.arguments[i]);
  }
  return least;
}

/// As it is shown: after the name of what it is about, where it needs one.
std::string in_use(const result::Reason& reason, std::string_view subject) {
  std::string said = text(reason);
  if (!is_predicate(said)) return sentence(reason);
  if (said.back() != '.') said += '.';
  return fmt::format("{} {}", subject, said);
}

struct Topic {
  const char* heading;
  Entries (*entries)();
  std::string_view subject;  ///< what texts without one are about
};

std::string all_sentences() {
  const Topic topics[] = {
      {"What checks of the evidence find", evidence_words, "original/0/forget.npy"},
      {"What is missing for a metric", missing_words, "iam.online.auc"},
      {"Notes of metrics", note_words, "iam.online.auc"},
      {"Controls, and what an audit says about itself", control_words, "iam.online.auc"},
      {"Verdicts: obstacles, limits and tests", verdict_words, "finetune"},
      {"Evidence quality", grade_words, "evidence"},
      {"Power", power_words, "evidence"},
      {"Erasure requests", request_words, "finetune"},
      {"Rules of policies, and what was found", policy_words, "finetune"},
      {"Checks of a dossier", dossier_words, "report.html"},
      {"Comparisons and ledgers", compare_words, "finetune"},
      {"Experiments", study_words, "iam.online.auc"},
      {"Checks of an experiment's recipe", check_words, "iam.online.auc"},
      {"Imported logs", import_words, "TOFU_EVAL.json"},
      {"Kinds of intervals", interval_words, "iam.online.auc"},
      {"Other texts", general_words, "iam.online.auc"},
  };
  std::string made =
      "What the program says, with sample arguments: first what people read first, then every\n"
      "reason by topic. Made by VESTIGE_WRITE_GOLDEN=1 core_test --gtest_filter=Sentences.*\n\n";
  made += sample_views();
  for (const Topic& topic : topics) {
    made += fmt::format("\n# {}\n", topic.heading);
    for (const Entry& entry : topic.entries()) {
      const result::Reason full = vestige::testing::sample_reason(entry.code);
      const std::string first = in_use(full, topic.subject);
      made += fmt::format("\n{}\n  {}\n", result::name(entry.code), first);
      const std::string least = in_use(with_least(full), topic.subject);
      if (least != first) made += fmt::format("  {}\n", least);
    }
  }
  return made;
}

TEST(Sentences, AreThoseOfTheGoldenFile) {
  const auto path = std::filesystem::path(VESTIGE_SOURCE_DIR) / "tests/words/sentences.golden";
  const std::string found = all_sentences();
  // Every code has its place in a topic.
  for (const Code code : result::all_codes()) {
    EXPECT_NE(found.find(fmt::format("\n{}\n  ", result::name(code))), std::string::npos)
        << result::name(code);
  }
  if (std::getenv("VESTIGE_WRITE_GOLDEN") != nullptr) write_file(path, found);
  EXPECT_EQ(read_file(path), found)
      << "a sentence changed: read it, then VESTIGE_WRITE_GOLDEN=1 writes the file anew";
}

TEST(Sentences, EveryCodeHasOne) {
  for (const Code code : result::all_codes()) {
    SCOPED_TRACE(result::name(code));
    EXPECT_FALSE(sentence(vestige::testing::sample_reason(code)).empty());
  }
}

TEST(Templates, FillNumbersCountsAndNouns) {
  const result::Reason one = result::reason(Code::grade_several_retrained, 1);
  EXPECT_EQ(fill("{models#model} {models?is/are} here", one), "1 model is here");
  const result::Reason many = result::reason(Code::grade_several_retrained, 2400);
  EXPECT_EQ(fill("{models#index/indices} {models?is/are}", many), "2,400 indices are");
  const result::Reason value = result::reason(Code::original_rated_better, 0.5, 1.0 / 3);
  EXPECT_EQ(fill("{original:.2f} {retrained:percent} {retrained}", value), "0.50 33 % 0.3333");
}

TEST(Templates, PartsMayDependOnAnArgument) {
  const auto with = [](int more) {
    return result::reason(Code::remark_of_audits, std::vector<std::string>{"a"}, more,
                          result::Reasons{});
  };
  EXPECT_EQ(fill("x{+more} and {more} more{/}{-more} alone{/}.", with(2)), "x and 2 more.");
  EXPECT_EQ(fill("x{+more} and {more} more{/}{-more} alone{/}.", with(0)), "x alone.");
}

TEST(Templates, BracesAndUnknownNames) {
  const result::Reason reason = result::reason(Code::message, "x");
  EXPECT_EQ(fill("add {{forget,retain}}.npy of {text}", reason), "add {forget,retain}.npy of x");
  EXPECT_THROW(fill("{other}", reason), std::logic_error);
}

TEST(Numbers, AsPeopleWriteThem) {
  EXPECT_EQ(with_separators(999), "999");
  EXPECT_EQ(with_separators(1234567), "1,234,567");
  EXPECT_EQ(counted(1, "example"), "1 example");
  EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(percent(0.123), "12 %");
  EXPECT_EQ(percent(0.012), "1.2 %");
  // All and nothing are said only of what is exactly that.
  EXPECT_EQ(percent(1), "100 %");
  EXPECT_EQ(percent(0), "0 %");
  EXPECT_EQ(percent(0.998), "99.8 %");
  EXPECT_EQ(percent(0.99951), ">99.9 %");
  EXPECT_EQ(percent(0.0004), "<0.1 %");
  EXPECT_EQ(percent(-0.0004), ">-0.1 %");
  EXPECT_EQ(percent(-0.9999), "<-99.9 %");
  EXPECT_EQ(duration(90), "90 s");
  EXPECT_EQ(duration(7200), "2.0 h");
}

TEST(SentenceForm, CapitalAndFullStopButNamesStayAsTheyAre) {
  EXPECT_EQ(as_sentence("one thing"), "One thing.");
  EXPECT_EQ(as_sentence("iam.online.auc cannot tell"), "iam.online.auc cannot tell.");
  EXPECT_EQ(as_sentence("Done."), "Done.");
  // A method's name is shown as it is, whatever it looks like.
  EXPECT_EQ(sentence(result::reason(Code::first_in_only_block, "scrub")).substr(0, 5), "scrub");
}

TEST(SentenceForm, CapitalAfterAFullStop) {
  const result::Reason inner = Code::one_experiment;  // "there is no interval, ..."
  const result::Reason outer = result::reason(Code::wrong_value, 7, inner);
  EXPECT_TRUE(text(outer).starts_with("holds the value 7. There is no")) << text(outer);
}

}  // namespace
}  // namespace vestige::words
