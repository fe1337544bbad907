// The templates of web/plots: whole, filled for every plot, and clear about what is missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/report/made_plots.h"
#include "vestige/report/page/plots/plot_template.h"
#include "vestige/result/codec.h"

namespace vestige::report {
namespace {

/// Every text of a value, however deep.
std::vector<std::string> texts_in(const Json& value) {
  if (value.is_string()) return {value.get<std::string>()};
  std::vector<std::string> found;
  if (!value.is_structured()) return found;
  for (const Json& part : value) {
    for (std::string& text : texts_in(part)) found.push_back(std::move(text));
  }
  return found;
}

const std::regex kPlaceholder("\\{[a-z_]+\\??\\}");

TEST(Templates, UnknownKindsAreAnError) {
  EXPECT_THROW(PlotTemplate("no-such-plot"), std::logic_error);
}

/// Results that have the numbers for every kind of plot.
Results everything() {
  Results results = testing::priced_results();
  Json made = testing::with_series();
  for (const double alpha : {0.05, 0.1}) {
    made["results"].push_back(testing::made_row("conformal.cr.forget", "unlearned/ft/0", 0.5));
    made["results"].back()["settings"] = {{"alpha", alpha}};
  }
  for (int model = 0; model < 3; ++model) {
    const std::string name = "/" + std::to_string(model + 1);
    for (const auto& [role, control] :
         {std::pair{"original", "ceiling"}, {"retrained", "floor"}, {"partial/25", "graded"}}) {
      made["results"].push_back(testing::made_row("iam.online.auc", role + name, 0.5, control));
    }
  }
  for (const char* method : {"unlearned/a", "unlearned/b"}) {
    made["results"].push_back(testing::made_row("epsilon.f_score", method, 0.5));
    made["results"].push_back(
        testing::made_row("utility.gap.forget", std::string(method) + "/0", 0.1));
  }
  const Results more = testing::read(made);
  results.rows.insert(results.rows.end(), more.rows.begin(), more.rows.end());
  results.series = more.series;
  results.correlations = {{"epsilon", {{"methods", {"a"}}, {"spearman", {{1}}}}}};
  const Json method = {{"method", "a"}, {"rank", {{"value", 1}}}};
  Json bench = Json::object();
  bench["comparison"] = {
      {"agreement", {{{"left", {{"metric", "a"}}}, {"right", {{"metric", "b"}}}, {"tau", -0.5}}}},
      {"metrics", {{{"metric", "m"}, {"critical_difference", 1}, {"methods", {method, method}}}}}};
  bench["variance"] = {{{"metric", "m"},
                        {"method", "*"},
                        {"levels", {{{"level", "split"}, {"share", 1}, {"estimable", true}}}}}};
  bench["histories"] = {{{"variant", "a"},
                         {"model", "m"},
                         {"parts", {{"train", {{"loss", {1}}, {"accuracy", {1}}}}}}}};
  bench["controls"] = {
      {{"metric", "iam.online.auc"},
       {"variant", "a"},
       {"graded",
        {{"between", {{{"from", "partial/25"}, {"to", "partial/50"}, {"p_better", 0.5}}}}}}}};
  bench["costs"] = result::json_of(results.bench->costs);
  results.bench = result::from_json<result::Experiment>(bench);
  return results;
}

TEST(Templates, AreWholeAndAllAreUsed) {
  const std::vector<Plot> all = plots(everything());
  std::size_t kinds = 0;
  for (const auto& [kind, parts] : plot_templates().items()) {
    if (kind == "looks") continue;
    ++kinds;
    for (const char* part : {"name", "section", "title", "how", "alt"}) {
      EXPECT_TRUE(parts.contains(part) && parts[part].is_string()) << kind << ": " << part;
    }
    EXPECT_EQ(parts["spec"]["data"]["values"], "{values}") << kind;
    std::string start = parts["name"].get<std::string>();
    start = start.substr(0, start.find("-{"));
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&start](const Plot& plot) {
      return plot.name.starts_with(start);
    })) << kind;
  }
  EXPECT_EQ(kinds, 20U);
}

TEST(Templates, EveryPlaceholderIsFilled) {
  for (Plot plot : plots(everything())) {
    plot.spec.erase("data");
    for (const std::string& text : texts_in(
             {plot.name, plot.section, plot.title, plot.how, plot.alt, plot.lead, plot.spec})) {
      EXPECT_FALSE(std::regex_search(text, kPlaceholder)) << plot.name << ": " << text;
    }
  }
}

// Words of our own that readers had to decode: "example" instead of "row", and so on.
TEST(Templates, SpeakTheVocabulary) {
  const std::regex old(
      "\\b(rows?|items?|floor|ceiling|arms?|strip|probes?|room|twins?|sureness)\\b",
      std::regex::icase);
  for (const auto& [kind, parts] : plot_templates().items()) {
    for (const char* part : {"section", "title", "how", "alt", "words"}) {
      for (const std::string& text : texts_in(parts.value(part, Json()))) {
        const std::string plain = std::regex_replace(text, kPlaceholder, "");
        EXPECT_FALSE(std::regex_search(plain, old)) << kind << ": " << text;
      }
    }
  }
}

TEST(Templates, EveryRoleHasALook) {
  using metrics::Control;
  for (const Control control : {Control::none, Control::retrained, Control::original,
                                Control::constant, Control::graded, Control::checkpoint}) {
    EXPECT_TRUE(plot_templates()["looks"]["roles"].contains(role_of(control))) << role_of(control);
  }
}

}  // namespace
}  // namespace vestige::report
