// What sampling would extract, from token probabilities, by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/metrics/support/measured.h"
#include "vestige/metrics/lm/lm_family.h"

namespace vestige::metrics {

TEST(extraction, rows_by_hand) {
  // Four sequences of two tokens; the first two have probabilities 1/4 and 1/2, the others e^-100.
  const double half = std::log(0.5);
  evidence::Evidence evidence;
  evidence::Model model;
  model.role = "original";
  model.name = "0";
  for (const char* split : {"forget", "retain"}) {
    model.tokens[split] =
        evidence::Array::from_doubles({half, half, half, 0, -50, -50, -50, -50}, {8});
    model.tokens[std::string(split) + ".offsets"] =
        evidence::Array::from_integers({0, 2, 4, 6, 8}, {5});
  }
  evidence.groups.push_back({"original", "", {model}});
  Comparison comparison;
  comparison.evidence = &evidence;
  comparison.candidate = {&evidence.groups[0].models[0]};
  Request request;
  request.options = {{"lm.queries", 2}, {"lm.extractable", 0.5}};
  const Measurements out = measured(lm_family(), comparison, request);
  const auto row = [&](std::string_view id) {
    const auto found = std::find_if(out.rows.begin(), out.rows.end(),
                                    [&](const Row& one) { return one.metric == id; });
    EXPECT_NE(found, out.rows.end()) << id;
    return found == out.rows.end() ? Row{} : *found;
  };
  // 1 - (3/4)^2 = 7/16 and 1 - (1/2)^2 = 3/4; the others are below 1e-43.
  const Row chance = row("lm.extraction_probability.forget");
  EXPECT_NEAR(chance.value, (7.0 / 16 + 3.0 / 4) / 4, 1e-15);
  EXPECT_EQ(chance.settings["queries"], 2);
  EXPECT_NEAR(chance.facts["log10_largest_probability"].get<double>(), std::log10(0.5), 1e-12);
  // Only 3/4 is at least one half.
  EXPECT_EQ(row("lm.extractable.forget").value, 0.25);
}

}  // namespace vestige::metrics
