// Rows that are no examples of their own.
#include "vestige/evidence/checks/repeated_rows.h"

#include "tests/evidence/checks/demo_models.h"

namespace vestige::evidence {
namespace {

using testing::Codes;
using testing::codes_of;

class RepeatedRowsTest : public testing::DemoModels {
 protected:
  Findings found() { return check_repeated_rows(evidence); }

  /// The first `different` examples of the forget set over and over.
  void repeat(std::size_t different) {
    for_each_model([&](Model& one) {
      if (!one.has("forget")) return;
      change(one, "forget", [&](Matrix& values) {
        for (std::size_t row = different; row < values.rows(); ++row) {
          std::copy_n(values.row(row % different).begin(), values.cols(), values.row(row).begin());
        }
      });
    });
  }
};

TEST_F(RepeatedRowsTest, RealExamplesAreDifferent) { EXPECT_EQ(codes_of(found()), Codes{}); }

TEST_F(RepeatedRowsTest, RowsThatNobodyFilled) {
  change(model("retrained/0"), "test", [](Matrix& values) {
    for (std::size_t row = 390; row < values.rows(); ++row) {
      for (double& value : values.row(row)) value = 0;
    }
  });
  const Findings findings = found();
  ASSERT_EQ(codes_of(findings), Codes{"W-REPEATED"});
  EXPECT_EQ(findings[0].model, "retrained/0");
  EXPECT_EQ(std::get<std::int64_t>(result::argument(findings[0].reason, "found")), 10);
  EXPECT_TRUE(findings[0].blocks_verdicts);
}

// Half of the forget examples are copies, so half of those that the models are not sure of are.
TEST_F(RepeatedRowsTest, MoreThanATenthRepeated) {
  repeat(390);
  EXPECT_EQ(codes_of(found()), Codes{}) << "ten copies of 400";
  repeat(200);
  const Findings findings = found();
  ASSERT_EQ(codes_of(findings), Codes{"W-REPEATED"});
  const auto count = [&](const char* name) {
    return std::get<std::int64_t>(result::argument(findings[0].reason, name));
  };
  EXPECT_EQ(count("rows"), 2 * count("distinct"));
}

// Probabilities of sure models are rounded to the same row for many examples.
TEST_F(RepeatedRowsTest, SaturatedProbabilitiesAreNoCopies) {
  evidence.kind = OutputKind::probabilities;
  for_each_model([&](Model& one) {
    if (!one.has("forget")) return;
    change(one, "forget", [&](Matrix& values) {
      for (std::size_t row = 0; row < values.rows(); ++row) {
        for (std::size_t col = 0; col < values.cols(); ++col) values(row, col) = col == row % 3;
      }
    });
  });
  EXPECT_EQ(codes_of(found()), Codes{});
}

}  // namespace
}  // namespace vestige::evidence
