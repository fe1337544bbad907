// Remarks by cause and metric group.
#include "vestige/report/remarks.h"

#include <gtest/gtest.h>

namespace vestige::report {
namespace {

result::Reason message(const char* text) { return result::reason(result::Code::message, text); }

TEST(Remarks, StandByCauseThenGroupAndAreCounted) {
  using result::Cause;
  Results results;
  results.remarks = {
      {Cause::unreliable, {"miau.score"}, message("miau.score is noise")},
      {Cause::other, {}, message("an older sentence")},
      {Cause::evidence, {}, message("no unlearned model")},
      {Cause::unreliable, {"iam.online.auc"}, message("iam.online.auc is noise")},
      {Cause::unreliable, {"miau.mia.train_test"}, message("miau.mia.train_test is noise")},
      {Cause::unreliable,
       {"miau.score", "miau.mus.retain_test"},
       message("both are noise at another setting")},
      {Cause::evidence, {"sde"}, message("20 examples are few")}};
  const std::vector<RemarkGroup> groups = grouped_remarks(results);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].heading(),
            "Unreliable, as the metric itself found (miau, 3 metrics; iam, 1 metric)");
  EXPECT_EQ(
      groups[0].texts,
      (std::vector<std::string>{"miau.score is noise.", "miau.mia.train_test is noise.",
                                "Both are noise at another setting.", "iam.online.auc is noise."}));
  EXPECT_EQ(groups[1].heading(), "About the evidence (sde)");
  EXPECT_EQ(groups[1].texts,
            (std::vector<std::string>{"No unlearned model.", "20 examples are few."}));
  EXPECT_EQ(groups[2].heading(), "");
  EXPECT_EQ(groups[2].texts, (std::vector<std::string>{"An older sentence."}));
  EXPECT_TRUE(grouped_remarks({}).empty());
}

}  // namespace
}  // namespace vestige::report
