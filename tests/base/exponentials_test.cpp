// Exponentials and logarithms in vector instructions against long double, and the same bytes on
// every processor.
#include "vestige/base/exponentials.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "vestige/base/seed.h"

namespace vestige {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// How far `got` lies from `wanted`, in units of the last place of a double there.
double units(double got, long double wanted) {
  const auto nearest = static_cast<double>(wanted);
  if (std::isnan(nearest)) return std::isnan(got) ? 0 : kInfinity;
  if (std::isinf(nearest) || std::isinf(got)) return got == nearest ? 0 : kInfinity;
  int exponent = 0;
  std::frexp(nearest, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent - 53, -1074));
  return static_cast<double>(std::abs(static_cast<long double>(got) - wanted) / unit);
}

std::vector<std::uint64_t> bits(const std::vector<double>& values) {
  std::vector<std::uint64_t> result;
  for (const double value : values) result.push_back(std::bit_cast<std::uint64_t>(value));
  return result;
}

/// Where results are 0, subnormal, ordinary and infinite, and the points where that changes.
std::vector<double> exponents() {
  std::vector<double> values = {0.0,
                                -0.0,
                                kInfinity,
                                -kInfinity,
                                kNoNumber,
                                1e300,
                                -1e300,
                                1e-300,
                                -5e-324,
                                709.782712893384,
                                709.7827128933841,
                                -708.3964185322641,
                                -745.1332191019411,
                                -745.1332191019412,
                                -745.1332191019413};
  Stream stream(1, "exponentials_test");
  const auto add = [&](int count, double least, double most) {
    for (int i = 0; i < count; ++i) values.push_back(least + (most - least) * stream.uniform());
  };
  add(100000, -746, 711);
  add(50000, -1, 1);
  add(10000, -745.2, -708);
  add(10000, 709.5, 709.8);
  return values;
}

/// Of every magnitude, subnormal ones and those near 1 among them.
std::vector<double> positive_numbers() {
  std::vector<double> values = {
      0.0,   -0.0, kInfinity, -kInfinity, kNoNumber,
      1.0,   2.0,  5e-324,    -5e-324,    std::numeric_limits<double>::min(),
      1e300, -1.0};
  Stream stream(2, "exponentials_test");
  for (int i = 0; i < 100000; ++i) {
    const double value = std::bit_cast<double>(stream() >> 1U);
    if (!std::isnan(value)) values.push_back(value);
    values.push_back(3 * stream.uniform());
    values.push_back(1 + std::ldexp(stream.uniform() - 0.5, -static_cast<int>(stream.below(50))));
    values.push_back(std::bit_cast<double>(stream() >> (12U + stream.below(50))));
  }
  return values;
}

TEST(Exponentials, AreThoseOfLongDouble) {
  const std::vector<double> values = exponents();
  std::vector<double> out(values.size());
  exponentials(values, out);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_LE(units(out[i], std::exp(static_cast<long double>(values[i]))), 1.1) << values[i];
  }
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[3], 0);
}

TEST(Exponentials, LogarithmsAreThoseOfLongDouble) {
  const std::vector<double> values = positive_numbers();
  std::vector<double> out(values.size());
  logarithms(values, out);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_LE(units(out[i], std::log(static_cast<long double>(values[i]))), 1.0) << values[i];
  }
}

TEST(Exponentials, SameBytesOnEveryProcessor) {
  for (const Instructions which : {Instructions::avx2, Instructions::baseline}) {
    std::vector<double> values = exponents();
    std::vector<double> best(values.size()), other(values.size());
    exponentials(values, best);
    exponentials(values, other, which);
    EXPECT_EQ(bits(best), bits(other));
    values = positive_numbers();
    best.resize(values.size());
    other.resize(values.size());
    logarithms(values, best);
    logarithms(values, other, which);
    EXPECT_EQ(bits(best), bits(other));
    for (std::size_t length = 1; length < 40; ++length) {
      Stream stream(length, "exponentials_test");
      std::vector<double> row(length);
      for (double& value : row) value = 10 * stream.normal();
      EXPECT_EQ(largest(row), largest(row, which));
      EXPECT_EQ(exponential_sum(row, 3), exponential_sum(row, 3, which));
      EXPECT_EQ(softmax_entropy(row), softmax_entropy(row, which));
      std::vector<double> p = row, q = row;
      softmax(p);
      softmax(q, which);
      EXPECT_EQ(p, q);
    }
  }
}

// In place, and numbers past the end are not touched.
TEST(Exponentials, InPlaceOfAnyLength) {
  for (std::size_t length = 0; length < 20; ++length) {
    std::vector<double> values(length + 1, 1.0);
    const std::span<double> part(values.data(), length);
    exponentials(part, part);
    EXPECT_EQ(values.back(), 1);
    logarithms(part, part);
    for (const double value : values) EXPECT_DOUBLE_EQ(value, 1);
  }
}

TEST(Exponentials, SumsOfARow) {
  for (const double spread : {0.01, 3.0, 60.0, 900.0}) {
    for (const std::size_t classes : {1UL, 2UL, 7UL, 8UL, 9UL, 10UL, 100UL, 1001UL}) {
      Stream stream(classes, "exponentials_test/rows");
      std::vector<double> row(classes);
      for (double& value : row) value = spread * stream.normal();
      const double most = *std::max_element(row.begin(), row.end());
      EXPECT_EQ(largest(row), most);
      long double sum = 0, entropy = 0;
      for (const double value : row) sum += std::exp(static_cast<long double>(value - most));
      for (const double value : row) {
        const long double p = std::exp(static_cast<long double>(value - most)) / sum;
        if (p > 0) entropy -= p * std::log(p);
      }
      const auto wanted = static_cast<double>(sum);
      EXPECT_NEAR(exponential_sum(row, most), wanted, 1e-15 * wanted);
      EXPECT_NEAR(log_sum_exp(row), most + std::log(wanted), 1e-15 * (1 + std::abs(most)));
      EXPECT_NEAR(softmax_entropy(row), static_cast<double>(entropy),
                  1e-15 + 1e-13 * static_cast<double>(entropy));
      std::vector<double> p = row;
      softmax(p);
      for (std::size_t k = 0; k < classes; ++k) {
        const long double exact = std::exp(static_cast<long double>(row[k] - most)) / sum;
        EXPECT_NEAR(p[k], static_cast<double>(exact), 1e-14 * static_cast<double>(exact) + 1e-300);
      }
    }
  }
}

// A class of log-probability -infinity is impossible and has no part in the entropy; a row without
// a possible class and one with a NaN have no probabilities.
TEST(Exponentials, ImpossibleClasses) {
  std::vector<double> row = {-kInfinity, std::log(0.5), std::log(0.5)};
  EXPECT_DOUBLE_EQ(softmax_entropy(row), std::log(2.0));
  EXPECT_NEAR(log_sum_exp(row), 0, 1e-16);
  softmax(row);
  EXPECT_EQ(row, (std::vector<double>{0, 0.5, 0.5}));
  for (std::vector<double> none :
       {std::vector<double>{-kInfinity, -kInfinity}, std::vector<double>{0, kNoNumber}}) {
    EXPECT_TRUE(std::isnan(log_sum_exp(none)));
    EXPECT_TRUE(std::isnan(softmax_entropy(none)));
    softmax(none);
    EXPECT_TRUE(std::isnan(none[0]) && std::isnan(none[1]));
  }
  EXPECT_EQ(largest({}), -kInfinity);
}

}  // namespace
}  // namespace vestige
