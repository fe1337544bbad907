// Nesting of JSON and TOML, at the limit and far beyond it.
#include "vestige/base/nesting.h"

#include <gtest/gtest.h>

#include <string>

#include "vestige/base/error.h"
#include "vestige/base/options.h"

namespace vestige {
namespace {

std::string repeated(const std::string& text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

std::string nested(std::size_t levels) {
  return repeated("[", levels) + "1" + repeated("]", levels);
}

TEST(Nesting, JsonUpToTheLimitIsReadAndBeyondItIsNot) {
  EXPECT_TRUE(parse_json(nested(kMostJsonLevels)).is_array());
  EXPECT_TRUE(parse_json(nested(kMostJsonLevels + 1)).is_discarded());
  // A million levels: walking such a value would overflow the stack.
  EXPECT_TRUE(parse_json(nested(1'000'000)).is_discarded());
  EXPECT_TRUE(parse_json(repeated("{\"a\":", 1'000'000)).is_discarded());
}

TEST(Nesting, BracketsInTextsAreNoLevels) {
  const std::string text = repeated("[", 500) + "\\\"" + repeated("{", 500);
  const Json read = parse_json("{\"a\": \"" + text + "\"}");
  ASSERT_TRUE(read.is_object());
  EXPECT_EQ(read["a"].get<std::string>().size(), 1001U);  // 500 + the quote + 500
  // Lists beside one another are no levels either.
  EXPECT_TRUE(parse_json("[" + repeated("[1],", 500) + "[1]]").is_array());
}

TEST(Nesting, WhatIsNoJsonIsDiscarded) {
  for (const char* text : {"", "[", "{\"a\" 1}", "]]]]"}) {
    EXPECT_TRUE(parse_json(text).is_discarded()) << text;
  }
}

TEST(Nesting, TomlKeysWithManyPartsAreRefused) {
  const std::string key = "a" + repeated(".a", 50'000);
  for (const std::string& text :
       {key + " = 1\n", "[" + key + "]\n", "[[" + key + "]]\n", "x = {" + key + " = 1}\n",
        "\"a\"" + repeated(". 'a'", 50'000) + " = 1\n"}) {
    EXPECT_TRUE(toml_too_deep(text)) << text.substr(0, 20);
    EXPECT_THROW(parse_toml(text, "x.toml"), InputError) << text.substr(0, 20);
  }
}

TEST(Nesting, DotsOfNumbersTextsAndCommentsAreNoKeys) {
  const std::string numbers = "x = [" + repeated("1.5, ", 1000) + "2.5]\n";
  const std::string text = "y = \"" + repeated(".", 1000) + "\\\"" + repeated(".", 1000) + "\"\n";
  const std::string lines = "z = '''\n" + repeated("a.b.c\n", 1000) + "'''\n";
  const std::string comment = "# " + repeated(".", 1000) + "\n";
  const std::string all = numbers + text + lines + comment + "a.b.c = 1\n";
  EXPECT_FALSE(toml_too_deep(all));
  EXPECT_EQ(parse_toml(all, "x.toml")["a"]["b"]["c"], 1);
  // What follows a text is looked at again.
  EXPECT_TRUE(toml_too_deep(text + "a" + repeated(".a", 30) + " = 1\n"));
  EXPECT_TRUE(toml_too_deep(lines + "a" + repeated(".a", 30) + " = 1\n"));
}

}  // namespace
}  // namespace vestige
