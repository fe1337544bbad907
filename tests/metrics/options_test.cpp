// Options: one declaration gives flag, default, check and struct.
#include "vestige/metrics/options.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "tests/support.h"
#include "vestige/audit/metric_options.h"
#include "vestige/audit/verdicts/verdicts.h"
#include "vestige/metrics/family.h"

namespace vestige::metrics {
namespace {

using testing::error_of;
using testing::holds;

enum class Colour { red, green };

struct Made {
  std::size_t rows = 7;
  std::optional<std::size_t> most;
  double share = 0.5;
  std::vector<double> weights = {1, 2};
  std::string word;
  Colour colour = Colour::green;
};

const OptionTable<Made>& table() {
  static const auto made =
      OptionTable<Made>("toy")
          .count(
              "rows", "Rows", [](Made & m) -> auto& { return m.rows; }, at_least(2))
          .count(
              "most_rows", "Most", [](Made & m) -> auto& { return m.most; })
          .formerly("old.most")
          .number(
              "share", "Share", [](Made & m) -> auto& { return m.share; }, between(0, 1))
          .numbers(
              "weights", "Weights", [](Made & m) -> auto& { return m.weights; })
          .text("word", "Word", [](Made & m) -> auto& { return m.word; }, {"one", "two"})
          .choice(
              "colour", "Colour", [](Made & m) -> auto& { return m.colour; },
              std::vector<std::pair<std::string, Colour>>{{"red", Colour::red},
                                                          {"green", Colour::green}});
  return made;
}

const Option& option(const std::string& key) {
  for (const Option& each : table().options()) {
    if (each.key == key) return each;
  }
  throw std::out_of_range(key);
}

TEST(OptionTable, DefaultsComeFromTheStruct) {
  EXPECT_EQ(option("toy.rows").fallback, 7);
  EXPECT_TRUE(option("toy.most_rows").fallback.is_null());
  EXPECT_EQ(option("toy.share").fallback, 0.5);
  EXPECT_EQ(option("toy.weights").fallback, Json({1.0, 2.0}));
  EXPECT_TRUE(option("toy.word").fallback.is_null());
  EXPECT_EQ(option("toy.colour").fallback, "green");
  EXPECT_EQ(option("toy.most_rows").flag(), "--toy-most-rows");
  EXPECT_EQ(option("toy.most_rows").formerly, "old.most");
}

TEST(OptionTable, ReadsEveryKind) {
  const Made made = table().read({{"toy.rows", 9},
                                  {"toy.most_rows", 3},
                                  {"toy.share", 0.25},
                                  {"toy.weights", {3.0}},
                                  {"toy.word", "two"},
                                  {"toy.colour", "red"},
                                  {"other.rows", "not looked at"}});
  EXPECT_EQ(made.rows, 9U);
  EXPECT_EQ(made.most, 3U);
  EXPECT_EQ(made.share, 0.25);
  EXPECT_EQ(made.weights, std::vector<double>{3});
  EXPECT_EQ(made.word, "two");
  EXPECT_EQ(made.colour, Colour::red);
}

TEST(OptionTable, RefusesInOneSentence) {
  const auto error = [](const Json& given) { return error_of([&] { table().read(given); }); };
  EXPECT_TRUE(holds(error({{"toy.rows", 1}}), {"toy.rows is 1", "at least 2"}));
  EXPECT_TRUE(holds(error({{"toy.rows", -3}}), {"toy.rows is -3", "whole number"}));
  EXPECT_TRUE(holds(error({{"toy.rows", 2.5}}), {"whole number"}));
  EXPECT_TRUE(holds(error({{"toy.share", 1.0}}), {"toy.share is 1.0", "between 0 and 1"}));
  EXPECT_TRUE(holds(error({{"toy.share", "half"}}), {"must be a number"}));
  EXPECT_TRUE(holds(error({{"toy.weights", 3}}), {"list of numbers"}));
  EXPECT_TRUE(holds(error({{"toy.word", "tow"}}), {"nearest choice is two"}));
  EXPECT_TRUE(holds(error({{"toy.colour", "rad"}}), {"nearest choice is red"}));
}

TEST(OptionTable, TextOfTheCommandLine) {
  EXPECT_EQ(parse_option(option("toy.rows"), "12"), 12);
  EXPECT_EQ(parse_option(option("toy.weights"), "0.5,0.25"), Json({0.5, 0.25}));
  EXPECT_TRUE(holds(error_of([] { parse_option(option("toy.rows"), "1.5"); }),
                    {"--toy-rows 1.5", "whole number"}));
  EXPECT_TRUE(holds(error_of([] { parse_option(option("toy.share"), "0.5x"); }),
                    {"--toy-share 0.5x", "number"}));
}

// Every option of every family: its key begins with the family, its default passes its own check,
// and its flag follows from the key alone.
TEST(OptionsOfFamilies, FollowOnePattern) {
  std::set<std::string> keys;
  for (const Family& family : families()) {
    for (const Option& each : family.options) {
      EXPECT_TRUE(each.key.starts_with(std::string(family.name) + ".")) << each.key;
      EXPECT_TRUE(keys.insert(each.key).second) << each.key << " twice";
      EXPECT_FALSE(each.help.empty()) << each.key;
      if (!each.fallback.is_null()) {
        EXPECT_EQ(misfit(each, each.fallback), "") << each.key;
      }
    }
  }
}

// What the command line checks, a caller of the library is refused too, before any work.
TEST(CheckedOptions, KnowFormerNamesAndTheNearest) {
  const auto error = [](const Json& given) {
    return error_of([&] { audit::checked_options(given, "here"); });
  };
  EXPECT_TRUE(holds(error({{"protocol.shadows", {2}}}), {"here", "'mia_protocol.shadows' now"}));
  EXPECT_TRUE(holds(error({{"iam.level", 3}}), {"here", "nearest is 'iam.levels'"}));
  EXPECT_TRUE(holds(error({{"conformal", {{"alpha", 2}}}}), {"conformal.alpha is 2"}));
  EXPECT_EQ(audit::checked_options({{"sde.sigma", 128}}, "here")["sde.sigma"], "128");
  EXPECT_EQ(audit::checked_options({}, "here")["verdict.margin"], 0.25);
}

}  // namespace
}  // namespace vestige::metrics
