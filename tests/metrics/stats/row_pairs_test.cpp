// Vectorised sums over classes against the C library's exponentials and logarithms.
#include "vestige/metrics/stats/row_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

/// Logits from tame to such that most probabilities underflow, of many lengths modulo eight.
std::vector<std::vector<double>> logits() {
  std::vector<std::vector<double>> rows;
  for (const double spread : {0.01, 3.0, 60.0, 900.0}) {
    for (const std::size_t classes : {1UL, 2UL, 3UL, 4UL, 5UL, 7UL, 10UL, 100UL, 1001UL}) {
      Stream stream(1, "row_pairs_test", rows.size());
      std::vector<double>& row = rows.emplace_back(classes);
      for (double& value : row) value = spread * stream.normal();
    }
  }
  return rows;
}

/// The distance to the largest is rounded to a double, as in evidence::log_probabilities.
std::vector<long double> plain_softmax(const std::vector<double>& row) {
  const double largest = *std::max_element(row.begin(), row.end());
  long double sum = 0;
  std::vector<long double> result;
  for (const double value : row) {
    result.push_back(std::exp(static_cast<long double>(value - largest)));
    sum += result.back();
  }
  for (long double& value : result) value /= sum;
  return result;
}

long double plain_negentropy(const std::vector<long double>& p) {
  long double sum = 0;
  for (const long double value : p) sum += value > 0 ? value * std::log(value) : 0;
  return sum;
}

TEST(RowPairs, SoftmaxAndNegentropy) {
  for (const std::vector<double>& row : logits()) {
    std::vector<double> p = row;
    softmax(p);
    const SaidRow said = said_row(p);
    const std::vector<long double> plain = plain_softmax(row);
    for (std::size_t k = 0; k < p.size(); ++k) {
      EXPECT_NEAR(p[k], static_cast<double>(plain[k]),
                  1e-14 * static_cast<double>(plain[k]) + 1e-300);
    }
    EXPECT_NEAR(said.negentropy, static_cast<double>(plain_negentropy(plain)), 1e-13);
    EXPECT_EQ(said.largest,
              static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin()));
  }
}

TEST(RowPairs, SumsOfPairs) {
  for (const std::vector<double>& row : logits()) {
    std::vector<double> p = row, q(row.rbegin(), row.rend());
    softmax(p);
    softmax(q);
    const SaidRow ours = said_row(p), theirs = said_row(q);
    const RowPair sums = row_pair(p, q);
    long double squares = 0, divergence = 0, variation = 0;
    for (std::size_t k = 0; k < p.size(); ++k) {
      const long double left = p[k], right = q[k], middle = (left + right) / 2;
      squares += (left - right) * (left - right);
      variation += std::abs(left - right) / 2;
      if (left > 0) divergence += left * std::log(left / middle) / 2;
      if (right > 0) divergence += right * std::log(right / middle) / 2;
    }
    EXPECT_NEAR(sums.squared_distance, static_cast<double>(squares), 1e-14);
    EXPECT_NEAR(total_variation(p, q), static_cast<double>(variation), 1e-14);
    EXPECT_NEAR(0.5 * (ours.negentropy + theirs.negentropy) - sums.negentropy,
                static_cast<double>(divergence), 1e-13);
  }
}

// The middle of equal rows is the row itself, and goes the same way.
TEST(RowPairs, EqualRowsAreExactlyEqual) {
  for (std::vector<double> row : logits()) {
    softmax(row);
    EXPECT_EQ(row_pair(row, row).negentropy, said_row(row).negentropy);
    EXPECT_EQ(row_pair(row, row).squared_distance, 0);
  }
}

TEST(RowPairs, SameBytesOnEveryProcessor) {
  for (const std::vector<double>& row : logits()) {
    std::vector<double> p = row;
    softmax(p);
    const std::vector<double> q(p.rbegin(), p.rend());
    for (const Instructions which : {Instructions::avx2, Instructions::baseline}) {
      EXPECT_EQ(said_row(p).negentropy, said_row(p, which).negentropy);
      EXPECT_EQ(row_pair(p, q).negentropy, row_pair(p, q, which).negentropy);
      EXPECT_EQ(row_pair(p, q).squared_distance, row_pair(p, q, which).squared_distance);
    }
  }
}

// By hand: a quarter and three quarters as they were exported, doubled; the zero counts as 1e-45.
TEST(RowPairs, ExportedProbabilities) {
  std::vector<double> p = {0.5, 0, 1.5};
  scale_row(p);
  const SaidRow said = said_row(p);
  EXPECT_DOUBLE_EQ(p[0], 0.25);
  EXPECT_DOUBLE_EQ(p[1], 0.5e-45);
  EXPECT_DOUBLE_EQ(p[2], 0.75);
  EXPECT_EQ(said.largest, 2U);
  EXPECT_DOUBLE_EQ(said.negentropy, 0.25 * std::log(0.25) + 0.75 * std::log(0.75));
}

// A log-probability of -infinity is a probability of 0; of equal ones the first is the largest.
TEST(RowPairs, ImpossibleClassesAndTies) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  std::vector<double> p = {kNever, std::log(0.5), std::log(0.5)};
  softmax(p);
  const SaidRow said = said_row(p);
  EXPECT_EQ(p, (std::vector<double>{0, 0.5, 0.5}));
  EXPECT_EQ(said.largest, 1U);
  EXPECT_DOUBLE_EQ(said.negentropy, -std::log(2.0));
  std::vector<double> nothing = {kNever, kNever};
  softmax(nothing);
  EXPECT_TRUE(std::isnan(nothing[0]) && std::isnan(nothing[1]));
}

}  // namespace
}  // namespace vestige::metrics
