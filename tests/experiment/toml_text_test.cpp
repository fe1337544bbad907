// What tune writes, a recipe reads.
#include "vestige/experiment/toml_text.h"

#include <gtest/gtest.h>

#include "vestige/base/options.h"
#include "vestige/unlearn/registry.h"

namespace vestige::experiment {
namespace {

TEST(TomlText, ComesBackAsItWas) {
  const Json methods = Json::parse(R"([
    "identity",
    {"name": "finetune", "label": "finetune", "rate": 1e-5, "epochs": 2.5, "batch": 64},
    {"name": "external", "label": "mine", "command": "sh -c \"echo 'a' > b\" # c",
     "data": true, "options": {"layer": "linear2", "deep key": {"list": [1, 2.5, "x"]}}}])");
  const std::string text = methods_toml(methods);
  const Json back = parse_toml(text, "tuned.toml").at("methods");
  // TOML's tables have no order.
  EXPECT_EQ(nlohmann::json(back), nlohmann::json(methods)) << text;
  // And the methods are those.
  for (const Json& entry : back) EXPECT_NO_THROW((void)unlearn::read_choice(entry, "test"));
}

TEST(TomlText, OddLetters) {
  const Json odd = {
      {"text", std::string("tab\t, quote \", backslash \\, DEL \x7f, \u00e9, ") + "\n"},
      {"none", nullptr},
      {"empty", Json::object()}};
  const Json back = parse_toml("value = " + toml_value(odd) + "\n", "test").at("value");
  EXPECT_EQ(back.at("text"), odd.at("text"));
  EXPECT_FALSE(back.contains("none"));
  EXPECT_TRUE(back.at("empty").is_object());
}

}  // namespace
}  // namespace vestige::experiment
