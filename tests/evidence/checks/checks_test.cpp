// The two fast scans against plain loops, on random data.
#include "vestige/evidence/checks/checks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/evidence/support.h"
#include "tests/support/evidence_folder.h"
#include "vestige/base/seed.h"

namespace vestige::evidence {
namespace {

using testing::array_of;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

NonFinite plain_scan(const Array& array, bool allow_minus_infinity) {
  NonFinite result;
  const std::vector<double> values = array.doubles();
  for (std::size_t item = 0; item < values.size(); ++item) {
    if (std::isfinite(values[item])) continue;
    if (allow_minus_infinity && values[item] == -kInfinity) continue;
    ++result.items;
    const std::size_t row = item / array.cols();
    if (result.first_rows.size() < 3 &&
        (result.first_rows.empty() || result.first_rows.back() != row)) {
      result.first_rows.push_back(row);
    }
  }
  return result;
}

class Scans : public ::testing::TestWithParam<DType> {};

TEST_P(Scans, NonFiniteAsAPlainLoop) {
  for (std::uint64_t trial = 0; trial < 40; ++trial) {
    Stream stream(trial, "scan");
    const std::size_t rows = 1 + stream.below(60), cols = 1 + stream.below(5);
    std::vector<double> values(rows * cols);
    // From no bad value to mostly bad ones.
    const double share = static_cast<double>(trial % 4) / 4;
    for (double& value : values) {
      value = 100 * stream.normal();
      if (stream.uniform() >= share) continue;
      const double bad[] = {std::nan(""), -std::nan(""), kInfinity, -kInfinity};
      value = bad[stream.below(4)];
    }
    const Array array = array_of(GetParam(), values, {rows, cols});
    for (const bool allow : {false, true}) {
      const NonFinite fast = find_non_finite(array, allow);
      const NonFinite plain = plain_scan(array, allow);
      EXPECT_EQ(fast.items, plain.items);
      EXPECT_EQ(fast.first_rows, plain.first_rows);
    }
  }
}

// The largest finite number has all exponent bits but one; the smallest has none.
TEST_P(Scans, ExtremesAreFinite) {
  const double largest = GetParam() == DType::float16   ? 65504
                         : GetParam() == DType::float32 ? std::numeric_limits<float>::max()
                                                        : std::numeric_limits<double>::max();
  const Array array = array_of(GetParam(), {largest, -largest, 0.0, -0.0, 6e-8}, {5, 1});
  EXPECT_EQ(find_non_finite(array).items, 0U);
}

TEST_P(Scans, RowsEqualAsAPlainLoop) {
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    Stream stream(trial, "equal");
    const std::size_t rows = 1 + stream.below(4), cols = 1 + stream.below(3);
    std::vector<double> values(rows * cols);
    for (double& value : values) value = static_cast<double>(stream.below(2));
    bool equal = rows >= 2;
    for (std::size_t item = cols; item < values.size(); ++item) {
      equal = equal && values[item] == values[item % cols];
    }
    EXPECT_EQ(all_rows_equal(array_of(GetParam(), values, {rows, cols})), equal);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Scans,
                         ::testing::Values(DType::float16, DType::float32, DType::float64),
                         [](const auto& test) { return std::string(name(test.param)); });

// Longer than one task of the parallel scan (2^18 items), with the bad ones in several tasks.
TEST(NonFinite, AcrossTasks) {
  std::vector<double> values(700001, 1.0);
  values[262143] = std::nan("");
  values[262144] = kInfinity;
  values[700000] = -kInfinity;
  const NonFinite found = find_non_finite(array_of(DType::float32, values, {700001, 1}));
  EXPECT_EQ(found.items, 3U);
  EXPECT_EQ(found.first_rows, (std::vector<std::size_t>{262143, 262144, 700000}));
}

TEST(NonFinite, IntegersAreAlwaysFinite) {
  EXPECT_EQ(find_non_finite(array_of(DType::int64, {-1, 1}, {2})).items, 0U);
}

TEST(AllRowsEqual, OneRowOrNoneIsNotConstant) {
  EXPECT_FALSE(all_rows_equal(array_of(DType::float32, {1, 2}, {1, 2})));
  EXPECT_FALSE(all_rows_equal(array_of(DType::float32, {}, {0, 2})));
}

TEST(Checks, EvidenceWithoutModelsSaysWhatToAdd) {
  Evidence evidence;
  evidence.path = "some/folder";
  const Findings findings = check(evidence);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].severity, Severity::error);
  EXPECT_EQ(findings[0].reason, reason(Code::no_model_outputs, "some/folder", testing::Texts{}));
  EXPECT_EQ(testing::said(findings[0]),
            "some/folder holds no model outputs. Add them, for example original/0/forget.npy of "
            "shape [examples, classes]");
}

TEST(Finding, NamesItsFileAndIsCounted) {
  const Findings findings = {{Severity::error, "labels/a.npy", reason(Code::no_values, "[0]")},
                             {Severity::warning, "", reason(Code::message, "all is well")},
                             {Severity::error, "b", Code::one_column}};
  EXPECT_EQ(testing::said(findings[0]),
            "labels/a.npy has shape [0] and holds no values. Export it again");
  EXPECT_EQ(testing::said(findings[1]), "all is well");
  EXPECT_EQ(result::name(findings[1].severity), "warning");
  EXPECT_EQ(count(findings, Severity::error), 2U);
  EXPECT_EQ(count(findings, Severity::note), 0U);
}

}  // namespace
}  // namespace vestige::evidence
