// Strict settings: defaults, types, unknown keys, TOML and --set.
#include "vestige/base/options.h"

#include <gtest/gtest.h>

#include "tests/support.h"

namespace vestige {
namespace {

using testing::error_of;

TEST(Options, GivesValuesAndDefaultsAndRecordsThem) {
  Options options(parse_toml("rate = 0.1\nepochs = 3\nnames = ['a', 'b']\n[inner]\nx = 1", "r"),
                  "r: [train]");
  EXPECT_EQ(options.number("rate", 1), 0.1);
  EXPECT_EQ(options.integer("epochs", 1), 3);
  EXPECT_EQ(options.integer("batch", 128), 128);
  EXPECT_EQ(options.texts("names", {}), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(options.table("inner").integer("x", 0), 1);
  options.finish();
  EXPECT_EQ(options.used().dump(), R"({"rate":0.1,"epochs":3,"batch":128,"names":["a","b"]})");
}

TEST(Options, NamesTheNearestKey) {
  Options options(Json{{"epoch", 3}}, "r.toml: [train]");
  options.integer("epochs", 1);
  options.number("rate", 1);
  EXPECT_EQ(error_of([&] { options.finish(); }),
            "r.toml: [train]: the key 'epoch' is not known: did you mean 'epochs'?");
}

TEST(Options, RefusesWrongTypes) {
  Options options(Json{{"rate", "fast"}, {"epochs", 1.5}, {"kind", "rando"}}, "r");
  EXPECT_EQ(error_of([&] { options.number("rate", 1); }), "r: rate: it must be a number");
  EXPECT_EQ(error_of([&] { options.integer("epochs", 1); }),
            "r: epochs: it must be a whole number");
  EXPECT_EQ(error_of([&] {
              options.choice("kind", "class", {"class", "random"});
            }),
            "r: kind: 'rando' is not known: did you mean 'random'? Known are class, random");
}

TEST(Options, AnEarlierNameIsAnsweredWithThePresentOne) {
  Options options(Json{{"arms", Json::array()}, {"over", "arm"}}, "r");
  options.raw("variants");
  EXPECT_EQ(error_of([&] {
              options.choice("over", "variant", {"variant", "audit"});
            }),
            "r: 'arm' is now 'variant'");
  EXPECT_EQ(error_of([&] { options.finish(); }), "r: 'arms' is now 'variants'");
  // Only where the present name is one.
  Options other(Json{{"arms", 2}}, "r");
  other.integer("epochs", 1);
  EXPECT_EQ(error_of([&] { other.finish(); }),
            "r: the key 'arms' is not known: did you mean 'epochs'?");
}

TEST(Options, MalformedTomlNamesItsLine) {
  EXPECT_NE(error_of([] { parse_toml("a = 1\nb = = 2", "bad.toml"); }).find("bad.toml line 2"),
            std::string::npos);
}

TEST(Options, SetReachesIntoTables) {
  Json table = parse_toml("[train]\nepochs = 3", "r");
  set_option(table, "train.epochs=5");
  set_option(table, "data.name=mnist");
  set_option(table, "collect.taps=['a']");
  EXPECT_EQ(table.dump(),
            R"({"train":{"epochs":5},"data":{"name":"mnist"},"collect":{"taps":["a"]}})");
  EXPECT_NE(error_of([&] { set_option(table, "train"); }), "");
  EXPECT_NE(error_of([&] { set_option(table, "train.epochs.x=1"); }), "");
}

}  // namespace
}  // namespace vestige
