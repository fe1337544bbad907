// Remarks by cause and family.
#include "vestige/report/remarks.h"

#include <gtest/gtest.h>

namespace vestige::report {
namespace {

TEST(Remarks, StandByCauseThenFamilyAndAreCounted) {
  Results results;
  results.remarks = {
      {"noise", {"miau.score"}, "miau.score is noise"},
      {"", {}, "an older sentence"},
      {"evidence", {}, "no unlearned model"},
      {"noise", {"iam.online.auc"}, "iam.online.auc is noise"},
      {"noise", {"miau.mia.train_test"}, "miau.mia.train_test is noise"},
      {"noise", {"miau.score", "miau.mus.retain_test"}, "both are noise at another setting"},
      {"evidence", {"sde"}, "sde: 20 rows are few"}};
  const std::vector<RemarkGroup> groups = grouped_remarks(results);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].heading(), "noise (miau, 3 metrics; iam, 1 metric)");
  EXPECT_EQ(groups[0].texts, (std::vector<std::string>{
                                 "miau.score is noise", "miau.mia.train_test is noise",
                                 "both are noise at another setting", "iam.online.auc is noise"}));
  EXPECT_EQ(groups[1].heading(), "evidence (sde)");
  EXPECT_EQ(groups[1].texts,
            (std::vector<std::string>{"no unlearned model", "sde: 20 rows are few"}));
  EXPECT_EQ(groups[2].heading(), "");
  EXPECT_EQ(groups[2].texts, (std::vector<std::string>{"an older sentence"}));
  EXPECT_TRUE(grouped_remarks({}).empty());
}

}  // namespace
}  // namespace vestige::report
