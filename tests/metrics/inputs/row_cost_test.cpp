// What families say that they will take grows with rows, classes and models.
#include "vestige/metrics/inputs/row_cost.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/evidence_folder.h"
#include "vestige/audit/metric_options.h"
#include "vestige/evidence/reader.h"

namespace vestige::metrics {
namespace {

using testing::EvidenceFolder;
using testing::EvidenceShape;

evidence::Evidence of_shape(const EvidenceShape& shape) {
  return evidence::load(EvidenceFolder(shape).path()).evidence;
}

// Six models of 40 + 50 rows and 10 classes: 540 rows and 5,400 outputs.
TEST(RowCost, CountsByHand) {
  const evidence::Evidence evidence = of_shape({.methods = {"finetune"}});
  const std::optional<Cost> cost =
      row_cost(evidence, compared_roles(), {"forget", "test"}, {.output = 2, .row = 100});
  ASSERT_TRUE(cost);
  EXPECT_DOUBLE_EQ(cost->seconds, 1e-9 * (2 * 5400 + 100 * 540));
  EXPECT_EQ(cost->work, reason(Code::work_of_models, 6, 90, 10));
  EXPECT_FALSE(row_cost(evidence, {"partial"}, {"forget"}, {.row = 1}));
  EXPECT_FALSE(row_cost(evidence, compared_roles(), {"nowhere"}, {.row = 1}));
  EXPECT_EQ(models_of(evidence, attacked_roles()), 7U);
}

// Those that read all rows say so, and more for more rows, classes and models.
TEST(RowCost, FamiliesThatGrowWithRowsSayIt) {
  const EvidenceShape small{.untrained = true};
  const EvidenceShape larger{
      .classes = 20, .models = 4, .forget = 80, .retain = 160, .test = 100, .untrained = true};
  const evidence::Evidence few = of_shape(small), many = of_shape(larger);
  const Json options = audit::checked_options(Json::object(), "test");
  for (const std::string_view name : {"closeness", "epsilon", "klom", "ulira", "mia_gap", "miau",
                                      "mia", "zrf", "conformal", "attacks", "iam", "kernel_test"}) {
    const auto family = std::find_if(families().begin(), families().end(),
                                     [&](const Family& one) { return one.name == name; });
    ASSERT_NE(family, families().end()) << name;
    ASSERT_NE(family->cost, nullptr) << name;
    const std::optional<Cost> less = family->cost(few, options), more = family->cost(many, options);
    ASSERT_TRUE(less && more) << name;
    EXPECT_GT(less->seconds, 0) << name;
    EXPECT_GT(more->seconds, 2 * less->seconds) << name;
    EXPECT_FALSE(less->work.empty()) << name;
  }
}

}  // namespace
}  // namespace vestige::metrics
