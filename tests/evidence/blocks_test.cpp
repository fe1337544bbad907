// Blocks and chosen rows against the whole matrix, bit for bit.
#include "vestige/evidence/blocks.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/evidence_folder.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::evidence {
namespace {

/// More than two blocks, the last one not full.
constexpr std::size_t kBlockRows = 2 * kRowsPerBlock + 37;

Array random_outputs(DType dtype) {
  std::vector<double> values;
  Stream stream(1, "blocks test");
  for (std::size_t i = 0; i < kBlockRows * 7; ++i) values.push_back(8 * stream.uniform() - 4);
  return testing::array_of(dtype, values, {kBlockRows, 7});
}

bool same_rows(const Matrix& whole, std::size_t first, const Matrix& part) {
  return std::equal(part.values().begin(), part.values().end(),
                    whole.values().begin() + static_cast<std::ptrdiff_t>(first * whole.cols()));
}

TEST(Blocks, CoverEveryRowOnce) {
  for (const std::size_t rows : {std::size_t{0}, std::size_t{1}, kRowsPerBlock, kBlockRows}) {
    std::vector<int> seen(rows);
    for_row_blocks(rows, [&](std::size_t first, std::size_t last) {
      EXPECT_LE(last - first, kRowsPerBlock);
      for (std::size_t row = first; row < last; ++row) ++seen[row];
    });
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(rows));
  }
}

TEST(Blocks, AreTheRowsOfTheWholeMatrix) {
  for (const DType dtype : {DType::float16, DType::float32, DType::float64}) {
    const Array outputs = random_outputs(dtype);
    const Matrix whole = probabilities(outputs, OutputKind::logits);
    const Matrix plain = matrix(outputs);
    for_row_blocks(outputs.rows(), [&](std::size_t first, std::size_t last) {
      EXPECT_TRUE(same_rows(whole, first, probabilities(outputs, OutputKind::logits, first, last)));
      EXPECT_TRUE(same_rows(plain, first, matrix(outputs, first, last)));
    });
  }
}

TEST(Blocks, ChosenRowsComeInTheOrderAskedFor) {
  const Array outputs = random_outputs(DType::float16);
  const Matrix whole = probabilities(outputs, OutputKind::logits);
  const Matrix plain = matrix(outputs);
  const std::vector<std::size_t> rows = {300, 0, kBlockRows - 1};
  const Matrix chosen = probabilities(outputs, OutputKind::logits, rows);
  const Matrix read = matrix(outputs, rows);
  ASSERT_EQ(chosen.rows(), 3U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(chosen.row(i), whole.row(rows[i])));
    EXPECT_TRUE(std::ranges::equal(read.row(i), plain.row(rows[i])));
  }
}

TEST(Blocks, AskForColumnsAndForRowsThatExist) {
  const Array one = testing::array_of(DType::float32, {1, 2, 3}, {3});
  EXPECT_THROW(matrix(one, 0, 1), InputError);
  EXPECT_THROW(matrix(random_outputs(DType::float32), kBlockRows, kBlockRows + 1), InputError);
}

}  // namespace
}  // namespace vestige::evidence
