// Detection of the kind of outputs, and outputs as log-probabilities.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/evidence_folder.h"
#include "vestige/base/seed.h"
#include "vestige/evidence/evidence.h"

namespace vestige::evidence {
namespace {

using testing::array_of;

std::vector<double> softmax(std::vector<double> logits, std::size_t classes, bool logs) {
  for (std::size_t start = 0; start < logits.size(); start += classes) {
    double sum = 0;
    for (std::size_t c = 0; c < classes; ++c) sum += std::exp(logits[start + c]);
    for (std::size_t c = 0; c < classes; ++c) {
      const double log_probability = logits[start + c] - std::log(sum);
      logits[start + c] = logs ? log_probability : std::exp(log_probability);
    }
  }
  return logits;
}

std::vector<double> random_logits(std::size_t rows, std::size_t classes, double scale) {
  Stream stream(7, "logits", classes);
  std::vector<double> values(rows * classes);
  for (double& value : values) value = scale * stream.normal();
  return values;
}

class Kinds : public ::testing::TestWithParam<DType> {};

// Rounding to float16 moves a row's sum by up to C half units in the last place.
TEST_P(Kinds, AreDetectedInEveryFloatType) {
  for (const std::size_t classes : {2UL, 10UL, 100UL, 1000UL}) {
    for (const double scale : {0.01, 1.0, 5.0}) {
      SCOPED_TRACE(fmt::format("{} classes, scale {}", classes, scale));
      const auto logits = random_logits(300, classes, scale);
      const std::vector<std::size_t> shape = {300, classes};
      EXPECT_EQ(detect_kind(array_of(GetParam(), logits, shape)), OutputKind::logits);
      EXPECT_EQ(detect_kind(array_of(GetParam(), softmax(logits, classes, false), shape)),
                OutputKind::probabilities);
      EXPECT_EQ(detect_kind(array_of(GetParam(), softmax(logits, classes, true), shape)),
                OutputKind::log_probabilities);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Kinds,
                         ::testing::Values(DType::float16, DType::float32, DType::float64),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST(DetectKind, SaturatedRows) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(detect_kind(array_of(DType::float32, {1, 0, 0, 1}, {2, 2})), OutputKind::probabilities);
  EXPECT_EQ(detect_kind(array_of(DType::float32, {0, -infinity, -infinity, 0}, {2, 2})),
            OutputKind::log_probabilities);
  // Sums to 1, but a value is negative.
  EXPECT_EQ(detect_kind(array_of(DType::float32, {1.5, -0.5}, {1, 2})), OutputKind::logits);
}

// One spoilt row must not turn probabilities into logits: the checks report the row.
TEST(DetectKind, PassesOverRowsThatAreNotNumbers) {
  const double nan = std::nan("");
  EXPECT_EQ(detect_kind(array_of(DType::float64, {nan, 0.5, 0.25, 0.75}, {2, 2})),
            OutputKind::probabilities);
  EXPECT_EQ(detect_kind(array_of(DType::float64, {nan, nan}, {1, 2})), OutputKind::logits);
}

TEST(DetectKind, LooksBeyondTheFirstRows) {
  std::vector<double> values(2 * 1000, 0.5);
  values[2 * 999] = 3;  // the last row of 1000 is visited: step 3 from 0
  EXPECT_EQ(detect_kind(array_of(DType::float64, values, {1000, 2})), OutputKind::logits);
}

TEST(LogProbabilities, TheThreeKindsAgree) {
  const auto logits = random_logits(50, 10, 3);
  const std::vector<std::size_t> shape = {50, 10};
  const Matrix from_logits =
      log_probabilities(array_of(DType::float64, logits, shape), OutputKind::logits);
  const Matrix from_probabilities = log_probabilities(
      array_of(DType::float64, softmax(logits, 10, false), shape), OutputKind::probabilities);
  const Matrix from_logs = log_probabilities(
      array_of(DType::float64, softmax(logits, 10, true), shape), OutputKind::log_probabilities);
  const auto oracle = softmax(logits, 10, true);
  for (std::size_t i = 0; i < oracle.size(); ++i) {
    // 1e-12: about a hundred roundings of values around 20.
    EXPECT_NEAR(from_logits.values()[i], oracle[i], 1e-12);
    EXPECT_NEAR(from_probabilities.values()[i], oracle[i], 1e-12);
    EXPECT_NEAR(from_logs.values()[i], oracle[i], 1e-12);
  }
}

TEST(LogProbabilities, StaysFiniteWhereSoftmaxOverflows) {
  std::vector<double> row(2);
  log_probabilities(array_of(DType::float64, {10000, 0}, {1, 2}), OutputKind::logits, 0, row);
  EXPECT_EQ(row[0], 0);
  EXPECT_EQ(row[1], -10000);
  // An exported probability of 0 means "below the smallest float", 1e-45, not ln 0.
  log_probabilities(array_of(DType::float32, {1, 0}, {1, 2}), OutputKind::probabilities, 0, row);
  EXPECT_EQ(row[0], 0);
  EXPECT_NEAR(row[1], std::log(1e-45), 1e-9);
}

TEST(LogProbabilities, RoundedProbabilitiesSumToOne) {
  const Matrix rounded = probabilities(array_of(DType::float16, {0.333, 0.333, 0.333}, {1, 3}),
                                       OutputKind::probabilities);
  for (const double value : rounded.values()) EXPECT_NEAR(value, 1.0 / 3, 1e-15);
}

TEST(Matrix, FlattensHigherRanksAndRefusesOneDimension) {
  const Array array = array_of(DType::float32, {1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2});
  const Matrix flat = matrix(array);
  EXPECT_EQ(flat.rows(), 2U);
  EXPECT_EQ(flat.cols(), 4U);
  EXPECT_EQ(flat(1, 0), 5);
  EXPECT_TRUE(testing::holds(testing::error_of([] {
                               matrix(array_of(DType::float32, {1, 2}, {2}));
                             }),
                             {"[2]", "row"}));
}

}  // namespace
}  // namespace vestige::evidence
