// evidence.toml: what it may say, and that nothing misspelt is passed over.
#include "vestige/evidence/settings.h"

#include <gtest/gtest.h>

#include "tests/support.h"

namespace vestige::evidence {
namespace {

using testing::error_of;
using testing::holds;

Settings parsed_settings(std::string_view text) { return parse_settings(text, "evidence.toml"); }

std::string settings_error(std::string_view text) {
  return error_of([text] { parsed_settings(text); });
}

TEST(Settings, EveryKey) {
  const Settings settings = parsed_settings(R"(
kind = "log_probabilities"
classes = 10
notes = "trained on a Tuesday"
[pairing]
"unlearned/finetune/3" = "original/0"
[removed_fraction]
25 = 0.25
"all" = 1
[seconds]
finetune = 12.5
retrain = 300
)");
  EXPECT_EQ(settings.kind, "log_probabilities");
  EXPECT_EQ(settings.classes, 10U);
  EXPECT_EQ(settings.notes, "trained on a Tuesday");
  EXPECT_EQ(settings.pairing,
            (std::map<std::string, std::string>{{"unlearned/finetune/3", "original/0"}}));
  EXPECT_EQ(settings.removed_fraction, (std::map<std::string, double>{{"25", 0.25}, {"all", 1.0}}));
  EXPECT_EQ(settings.seconds,
            (std::map<std::string, double>{{"finetune", 12.5}, {"retrain", 300}}));
}

TEST(Settings, EmptyMeansNothingIsSet) {
  for (const std::string_view text : {"", "# a comment\n"}) {
    const Settings settings = parsed_settings(text);
    EXPECT_FALSE(settings.kind || settings.classes);
    EXPECT_TRUE(settings.pairing.empty() && settings.removed_fraction.empty() &&
                settings.seconds.empty() && settings.notes.empty());
  }
}

TEST(Settings, UnknownKeysNameTheNearestKnownOne) {
  EXPECT_TRUE(holds(settings_error("classes = 10\nknd = \"logits\"\n"),
                    {"evidence.toml line 2", "'knd' is not known", "did you mean 'kind'"}));
  EXPECT_TRUE(holds(settings_error("[pairings]\n"), {"line 1", "'pairing'"}));
  EXPECT_TRUE(holds(settings_error("removed-fraction = 1"), {"'removed_fraction'"}));
  EXPECT_TRUE(
      holds(settings_error("kind = \"logit\""), {"line 1", "'logit'", "did you mean 'logits'"}));
}

TEST(Settings, WrongTypesNameTheLine) {
  EXPECT_TRUE(holds(settings_error("\nkind = 3"), {"evidence.toml line 2: kind must be a text"}));
  EXPECT_TRUE(holds(settings_error("classes = 2.5"), {"line 1: classes must be a whole number"}));
  EXPECT_TRUE(
      holds(settings_error("classes = \"10\""), {"line 1: classes must be a whole number"}));
  EXPECT_TRUE(holds(settings_error("classes = 0"), {"line 1: classes is 0", "at least 1"}));
  EXPECT_TRUE(
      holds(settings_error("pairing = 1"), {"line 1: pairing must be a section [pairing]"}));
  EXPECT_TRUE(holds(settings_error("[pairing]\na = 1"), {"line 2: pairing.\"a\" must be a text"}));
  EXPECT_TRUE(
      holds(settings_error("[seconds]\na = \"1\""), {"line 2: seconds.\"a\" must be a number"}));
  EXPECT_TRUE(
      holds(settings_error("[seconds]\na = -1"), {"line 2: seconds.\"a\" is -1", "0 or more"}));
  EXPECT_TRUE(holds(settings_error("[seconds]\na = inf"), {"line 2: seconds.\"a\" is inf"}));
  EXPECT_TRUE(holds(settings_error("[seconds]\na = nan"), {"line 2: seconds.\"a\" is nan"}));
  EXPECT_TRUE(holds(settings_error("[removed_fraction]\n25 = 25"),
                    {"line 2: removed_fraction.\"25\" is 25", "between 0 and 1"}));
  EXPECT_TRUE(holds(settings_error("notes = [1]"), {"line 1: notes must be a text"}));
}

TEST(Settings, AKeyWithALineBreakDoesNotBreakTheError) {
  EXPECT_TRUE(holds(settings_error("\"a\\nb\" = 1"), {"the key 'a?b' is not known"}));
}

TEST(Settings, BrokenTomlNamesTheLine) {
  EXPECT_TRUE(holds(settings_error("classes = 10\nkind = "), {"evidence.toml line 2"}));
  EXPECT_TRUE(holds(settings_error("kind = \"a\"\nkind = \"b\"\n"), {"evidence.toml line 2"}));
  EXPECT_TRUE(holds(settings_error("notes = \"\xff\""), {"evidence.toml line 1"}));
  // Where toml++ 3.3 asserts or has undefined behaviour unless it is built as Debian does.
  EXPECT_TRUE(holds(settings_error("[[# x\n"), {"evidence.toml line 1"}));
  EXPECT_TRUE(holds(settings_error("notes = \"a\" \xef\xb8\x8f\n"), {"evidence.toml line 1"}));
}

}  // namespace
}  // namespace vestige::evidence
