// Placeholders and what takes their places, by hand.
#include "vestige/base/json_template.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace vestige {
namespace {

const Json kNothing = Json::object();

TEST(Fill, InsertsValuesOfAnyType) {
  const Json values = {{"rows", {1, 2}}, {"name", "a"}, {"share", 0.25}, {"count", 3}};
  const Json pattern = {{"data", "{rows}"}, {"text", "{name}: {share} of {count}"}, {"fixed", 7}};
  EXPECT_EQ(fill(pattern, {values, kNothing, "the test"}),
            (Json{{"data", {1, 2}}, {"text", "a: 0.25 of 3"}, {"fixed", 7}}));
}

TEST(Fill, LeavesOutOptionalPartsThatAreNull) {
  const Json values = {{"no", nullptr}, {"yes", 1}};
  const Json pattern = {{"a", "{no?}"}, {"b", "{yes?}"}, {"c", {"{no?}", "{yes?}"}}, {"d", "{no}"}};
  EXPECT_EQ(fill(pattern, {values, kNothing, "the test"}),
            (Json{{"b", 1}, {"c", Json::array({1})}, {"d", nullptr}}));
}

// A method may be called like a placeholder; braces of expressions are no placeholders.
TEST(Fill, LooksAtNothingTwice) {
  const Json values = {{"method", "{secret}"}}, words = {{"title", "of {method}"}};
  EXPECT_EQ(fill("{title}", {values, words, "the test"}), "of {secret}");
  EXPECT_EQ(fill("{method}: {} {A} {", {values, words, "the test"}), "{secret}: {} {A} {");
}

TEST(Fill, UnknownPlaceholdersAreNamed) {
  const Json values = {{"low", 1}}, words = {{"axis", "x"}};
  try {
    fill({{"domain", {"{lowest}", 1}}}, {values, words, "web/plots/roc.json"});
    FAIL() << "nothing was thrown";
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(),
                 "web/plots/roc.json: the placeholder {lowest} has no value; known names are: low, "
                 "axis");
  }
}

}  // namespace
}  // namespace vestige
