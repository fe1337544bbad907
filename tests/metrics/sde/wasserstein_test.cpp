// Wasserstein distances by hand and by properties, and all sets at once against the plain twin.
#include "vestige/metrics/sde/wasserstein.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

#include "vestige/base/context.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/sde/sorted_distances.h"
#include "vestige/metrics/sde/sorted_sets.h"

namespace vestige::metrics {
namespace {

Matrix normal_points(std::size_t rows, std::size_t cols, std::uint64_t index) {
  Stream stream(41, "test.wasserstein", index);
  Matrix matrix(rows, cols);
  for (double& value : matrix.values()) value = stream.normal();
  return matrix;
}

RowSet sample(std::size_t rows, std::size_t size, std::uint64_t index) {
  Stream stream(42, "test.wasserstein.set", index);
  RowSet set;
  for (const std::size_t row : stream.sample(rows, size)) {
    set.push_back(static_cast<std::uint32_t>(row));
  }
  return set;
}

Matrix picked(MatrixView values, const RowSet& rows) {
  Matrix result(rows.size(), values.cols);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::copy_n(values.row(rows[row]).begin(), values.cols, result.row(row).begin());
  }
  return result;
}

TEST(Wasserstein, ByHand) {
  EXPECT_DOUBLE_EQ(wasserstein_sorted(std::vector<double>{0, 1, 5}, std::vector<double>{1, 2, 3}),
                   (1.0 + 1 + 2) / 3);
  // {0} against {0, 3}: half of the mass moves by 3.
  EXPECT_DOUBLE_EQ(wasserstein_sorted(std::vector<double>{0}, std::vector<double>{0, 3}), 1.5);
  // {0, 1, 3} against {5, 6, 8} is 5 (scipy.stats.wasserstein_distance's own example).
  EXPECT_DOUBLE_EQ(wasserstein_sorted(std::vector<double>{0, 1, 3}, std::vector<double>{5, 6, 8}),
                   5);
  EXPECT_TRUE(std::isnan(wasserstein_sorted({}, std::vector<double>{1})));
}

TEST(Wasserstein, UnequalSizesEqualRepeatedSamples) {
  // Repeating every value k times changes no distribution: 3 and 4 values become 12 and 12.
  Stream stream(43, "test.wasserstein.sizes");
  for (int round = 0; round < 30; ++round) {
    std::vector<double> x(3), y(4), x12, y12;
    for (double& value : x) value = static_cast<double>(stream.below(6));
    for (double& value : y) value = static_cast<double>(stream.below(6));
    std::sort(x.begin(), x.end());
    std::sort(y.begin(), y.end());
    for (const double value : x) x12.insert(x12.end(), 4, value);
    for (const double value : y) y12.insert(y12.end(), 3, value);
    EXPECT_NEAR(wasserstein_sorted(x, y), wasserstein_sorted(x12, y12), 1e-14);
  }
}

TEST(SlicedWasserstein, ShiftIsTheMeanProjectedShift) {
  // Every slice of a sample moved by c moves by direction . c.
  const Matrix x = normal_points(30, 4, 1);
  Matrix y = x;
  for (std::size_t row = 0; row < 30; ++row) y(row, 2) += 3;
  const Matrix directions = slice_directions(200, 4);
  double expected = 0;
  for (std::size_t slice = 0; slice < 200; ++slice) expected += std::abs(3 * directions(slice, 2));
  EXPECT_NEAR(sliced_wasserstein(x, y), expected / 200, 1e-12);
}

TEST(SlicedWasserstein, DirectionsAreFixedUnitVectors) {
  const Matrix directions = slice_directions(200, 7);
  for (std::size_t row = 0; row < 200; ++row) {
    double squares = 0;
    for (const double value : directions.row(row)) squares += value * value;
    EXPECT_NEAR(squares, 1, 1e-14);
  }
  const Matrix again = slice_directions(200, 7);
  EXPECT_TRUE(
      std::equal(directions.values().begin(), directions.values().end(), again.values().begin()));
}

TEST(SlicedWasserstein, AllSetsAtOnceMatchThePlainTwin) {
  const Matrix x = normal_points(60, 5, 2);
  const Matrix y = normal_points(80, 5, 3);
  const std::vector<RowSet> x_sets{sample(60, 25, 1), sample(60, 25, 2)};
  const std::vector<RowSet> y_sets{sample(80, 25, 3), sample(80, 25, 4), sample(80, 11, 5)};
  const Matrix all = sliced_wasserstein_between(x, x_sets, y, y_sets, 50);
  for (std::size_t i = 0; i < x_sets.size(); ++i) {
    for (std::size_t j = 0; j < y_sets.size(); ++j) {
      EXPECT_NEAR(all(i, j), sliced_wasserstein(picked(x, x_sets[i]), picked(y, y_sets[j]), 50),
                  1e-13);
    }
  }
}

TEST(SlicedWasserstein, SameBytesForOneAndTwoThreads) {
  const Matrix x = normal_points(100, 6, 4);
  const std::vector<RowSet> sets{sample(100, 40, 1), sample(100, 40, 2)};
  const Matrix one =
      Context({.threads = 1}).run([&] { return sliced_wasserstein_between(x, sets, x, sets); });
  const Matrix two =
      Context({.threads = 2}).run([&] { return sliced_wasserstein_between(x, sets, x, sets); });
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(one.values()[k], two.values()[k]);
  EXPECT_EQ(one(0, 0), 0);
}

TEST(SlicedWasserstein, Refuses) {
  const Matrix x = normal_points(5, 2, 5);
  EXPECT_THROW(sliced_wasserstein(x, normal_points(5, 3, 6)), InputError);
  EXPECT_THROW(sliced_wasserstein(x, x, 0), InputError);
  EXPECT_THROW(sliced_wasserstein_between(x, std::vector<RowSet>{{}}, x, std::vector<RowSet>{{0}}),
               InputError);
  EXPECT_THROW(sliced_wasserstein_between(x, std::vector<RowSet>{{9}}, x, std::vector<RowSet>{{0}}),
               InputError);
  EXPECT_TRUE(std::isnan(sliced_wasserstein(Matrix(0, 2), x)));
}

// Groups of one sample share its projections and sorts; sets of 25 are compared four at a time, the
// seventh and the one of 13 alone.
TEST(SlicedWasserstein, SeveralGroupsAtOnce) {
  const Matrix x = normal_points(60, 5, 12), y = normal_points(80, 5, 13),
               z = normal_points(70, 5, 14);
  std::vector<RowSet> x_sets;
  for (std::uint64_t index = 0; index < 7; ++index) x_sets.push_back(sample(60, 25, index));
  const std::vector<RowSet> others{sample(60, 25, 8), sample(60, 25, 9)};
  const std::vector<RowSet> y_sets{sample(80, 25, 3)}, z_sets{sample(70, 25, 4), sample(70, 13, 5)};
  const SampleSets groups[] = {{x, x_sets}, {y, y_sets}, {z, z_sets}, {x, others}};
  const GroupPair pairs[] = {{0, 1}, {0, 2}, {2, 3}, {0, 3}};
  const std::vector<Matrix> all = sliced_wasserstein_of(groups, pairs, 40);
  ASSERT_EQ(all.size(), std::size(pairs));
  for (std::size_t pair = 0; pair < all.size(); ++pair) {
    const SampleSets &left = groups[pairs[pair].left], &right = groups[pairs[pair].right];
    for (std::size_t i = 0; i < left.sets.size(); ++i) {
      for (std::size_t j = 0; j < right.sets.size(); ++j) {
        EXPECT_NEAR(all[pair](i, j),
                    sliced_wasserstein(picked(left.values, left.sets[i]),
                                       picked(right.values, right.sets[j]), 40),
                    1e-13);
      }
    }
  }
}

// Values that differ in the last bits only, of both signs: the row number takes the place of these
// bits in the sort.
TEST(AscendingRows, TellsTheLastBitsApart) {
  std::vector<double> values;
  for (int step = 40; step > -40; --step) {
    values.push_back(1 + step * std::numeric_limits<double>::epsilon());
    values.push_back(-1 - step * std::numeric_limits<double>::epsilon());
    values.push_back(step % 2 == 0 ? 0.0 : -0.0);
  }
  std::vector<std::uint64_t> rows;
  ascending_rows(values, rows);
  std::vector<double> sorted = values, found;
  std::sort(sorted.begin(), sorted.end());
  for (const std::uint64_t row : rows) found.push_back(values[row]);
  EXPECT_EQ(found, sorted);
  std::sort(rows.begin(), rows.end());
  for (std::size_t row = 0; row < rows.size(); ++row) EXPECT_EQ(rows[row], row);
}

/// Sets of a sample: of 40 rows, one of 7, and more of 40 than one word has bits.
std::vector<RowSet> many_sets(std::size_t rows) {
  std::vector<RowSet> sets;
  for (std::uint64_t index = 0; index < 70; ++index) {
    sets.push_back(sample(rows, index == 9 ? 7 : 40, index));
  }
  return sets;
}

constexpr Instructions kEvery[] = {Instructions::best, Instructions::avx2, Instructions::baseline};

// Every set by a sort of its own; 101 rows are no multiple of eight, and many values are the same.
TEST(SetMembers, SortsEverySetAtEveryWidth) {
  const std::vector<RowSet> sets = many_sets(101);
  const SetMembers members(sets, 101);
  Stream stream(44, "test.wasserstein.members");
  std::vector<double> values(101);
  for (double& value : values) value = std::round(10 * stream.normal()) / 4;
  for (const Instructions instructions : kEvery) {
    SortedSets sorted(members, instructions);
    SortRoom room;
    sorted.sort(values, room);
    for (std::size_t set = 0; set < sets.size(); ++set) {
      std::vector<double> expected;
      for (const std::uint32_t row : sets[set]) expected.push_back(values[row]);
      std::sort(expected.begin(), expected.end());
      const auto found = sorted.set(set);
      EXPECT_EQ(std::vector<double>(found.begin(), found.end()), expected);
      EXPECT_NEAR(sorted.sum(set), std::accumulate(expected.begin(), expected.end(), 0.0), 1e-12);
    }
  }
}

TEST(FillDistances, MatchesOnePairAtATimeAtEveryWidth) {
  const std::vector<RowSet> sets = many_sets(90);
  const SetMembers members(sets, 90);
  const Matrix values = normal_points(2, 90, 15);
  Matrix first;
  for (const Instructions instructions : kEvery) {
    SortRoom room;
    SortedSets left(members, instructions), right(members, instructions);
    left.sort(values.row(0), room);
    right.sort(values.row(1), room);
    Matrix found(13, 30), same(13, 30);
    fill_distances({&left, 4, 13}, {&right, 0, 30}, found, instructions);
    fill_distances({&left, 4, 13}, {&left, 0, 30}, same, instructions);
    for (std::size_t i = 0; i < 13; ++i) {
      for (std::size_t j = 0; j < 30; ++j) {
        EXPECT_NEAR(found(i, j), wasserstein_sorted(left.set(4 + i), right.set(j)), 1e-14);
      }
      EXPECT_EQ(same(i, 4 + i), 0);
    }
    if (first.rows() == 0) first = found;
    EXPECT_TRUE(std::ranges::equal(first.values(), found.values()));
  }
}

// A collapsed model says the same of every row: nothing is projected.
TEST(SlicedWasserstein, RowsAllAlikeAreAtDistanceZero) {
  Matrix x(20, 3), y(30, 3);
  std::ranges::fill(x.values(), 0.1);
  std::ranges::fill(y.values(), 0.1);
  const std::vector<RowSet> sets{sample(20, 8, 1), sample(20, 8, 2), sample(20, 5, 3)};
  const Matrix all = sliced_wasserstein_between(x, sets, y, sets);
  EXPECT_EQ(all.rows(), 3U);
  EXPECT_EQ(all.cols(), 3U);
  EXPECT_TRUE(std::ranges::all_of(all.values(), [](double value) { return value == 0; }));
  y(29, 2) = 0.2;  // in none of the sets
  const Matrix again = sliced_wasserstein_between(x, sets, y, sets);
  EXPECT_TRUE(std::ranges::equal(all.values(), again.values()));
}

}  // namespace
}  // namespace vestige::metrics
