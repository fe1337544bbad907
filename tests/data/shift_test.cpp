// Changed and borrowed rows, by hand.
#include "vestige/data/shift.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support.h"

namespace vestige::data {
namespace {

using testing::error_of;
using testing::holds;

Dataset images(std::vector<std::uint8_t> bytes, std::int64_t side) {
  Dataset dataset;
  dataset.name = "images";
  dataset.shape = {1, side, side};
  dataset.bytes = std::move(bytes);
  dataset.classes = 2;
  dataset.labels.assign(dataset.bytes.size() / static_cast<std::size_t>(side * side), 1);
  dataset.train_rows = dataset.labels.size();
  finish(dataset);
  return dataset;
}

void shift(Dataset& dataset, const Rows& rows, const Json& table) {
  Options options(table, "[shift]");
  shift_rows(dataset, rows, options, 1);
}

TEST(Shift, CoarseBlocksAreTheirMeans) {
  // 3 x 3: blocks of 2 leave a last column, a last row and a corner.
  Dataset dataset = images({0, 4, 9, 8, 12, 11, 1, 3, 7, 5, 5, 5, 5, 5, 5, 5, 5, 5}, 3);
  const std::string hash = dataset.sha256;
  shift(dataset, {0}, {{"kind", "coarse"}, {"amount", 2}});
  EXPECT_EQ(dataset.bytes, (std::vector<std::uint8_t>{6, 6, 10, 6, 6, 10, 2, 2, 7,  //
                                                      5, 5, 5, 5, 5, 5, 5, 5, 5}));
  EXPECT_EQ(dataset.sha256, hash);
}

TEST(Shift, ContrastMovesTowardsMidGrey) {
  Dataset dataset = images({0, 255, 127, 100}, 2);
  shift(dataset, {0}, {{"kind", "contrast"}, {"amount", 0.5}});
  // 127.5 + 0.5 (v - 127.5) = 63.75, 191.25, 127.25, 113.75.
  EXPECT_EQ(dataset.bytes, (std::vector<std::uint8_t>{64, 191, 127, 114}));
}

TEST(Shift, NoiseHasItsDeviationAndLeavesOthersAlone) {
  Dataset dataset = images(std::vector<std::uint8_t>(2 * 100 * 100, 128), 100);
  shift(dataset, {1}, {{"kind", "noise"}, {"amount", 0.1}});
  double sum = 0, squares = 0;
  for (std::size_t pixel = 0; pixel < 10000; ++pixel) {
    EXPECT_EQ(dataset.bytes[pixel], 128);
    const double difference = static_cast<double>(dataset.bytes[10000 + pixel]) - 128;
    sum += difference;
    squares += difference * difference;
  }
  // 25.5 of 255; standard error of the mean 0.26, of the deviation 0.18.
  EXPECT_NEAR(sum / 10000, 0, 1);
  EXPECT_NEAR(std::sqrt(squares / 10000), 25.5, 0.8);
}

TEST(Shift, BorrowedRowsComeBehind) {
  Dataset dataset = images({1, 2, 3, 4}, 2);
  const Dataset other = images({10, 11, 12, 13, 20, 21, 22, 23}, 2);
  EXPECT_EQ(append_rows(dataset, other, {1}), Rows{1});
  EXPECT_EQ(dataset.bytes, (std::vector<std::uint8_t>{1, 2, 3, 4, 20, 21, 22, 23}));
  EXPECT_EQ(dataset.rows(), 2U);
  EXPECT_EQ(dataset.train_rows, 1U);
  EXPECT_TRUE(holds(error_of([&] { append_rows(dataset, images({1}, 1), {0}); }), "one shape"));
}

// A set for plans: rows are there, inputs of the first alone; whoever borrows them gets those.
TEST(Shift, RowsWithoutInputsOfTheirOwnShowHeldOnes) {
  Dataset plan = images({1, 2, 3, 4}, 2);
  plan.labels.assign(3, 1);
  plan.held_rows = 1;
  const Dataset other = images({10, 11, 12, 13, 20, 21, 22, 23}, 2);
  EXPECT_EQ(append_rows(plan, other, {0, 1}), (Rows{3, 4}));
  EXPECT_EQ(plan.rows(), 5U);
  EXPECT_EQ(plan.bytes, (std::vector<std::uint8_t>{1, 2, 3, 4}));
  shift(plan, {4}, {{"kind", "contrast"}, {"amount", 0}});
  EXPECT_EQ(plan.bytes, (std::vector<std::uint8_t>(4, 128)));
  Dataset dataset = images({5, 6, 7, 8}, 2);
  append_rows(dataset, plan, {2});
  EXPECT_EQ(dataset.bytes, (std::vector<std::uint8_t>{5, 6, 7, 8, 128, 128, 128, 128}));
}

TEST(Shift, RefusesWhatItCannotDo) {
  Dataset dataset = images({1, 2, 3, 4}, 2);
  EXPECT_TRUE(holds(error_of([&] {
                      shift(dataset, {0}, {{"kind", "coarse"}, {"amount", 1.5}});
                    }),
                    "whole pixels"));
  EXPECT_TRUE(holds(error_of([&] { shift(dataset, {0}, {{"kind", "nois"}}); }), "noise"));
  EXPECT_TRUE(holds(error_of([&] { shift(dataset, {0}, {{"amout", 1}}); }), "amount"));
}

}  // namespace
}  // namespace vestige::data
