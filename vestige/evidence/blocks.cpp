// Reading blocks and chosen rows.
#include "vestige/evidence/blocks.h"

#include <algorithm>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"

namespace vestige::evidence {
namespace {

void require_columns(const Array& array) {
  require(array.rank() >= 2, "an array of shape {} has no columns: give one row per example",
          shape_text(array.shape()));
}

}  // namespace

void for_row_blocks(std::size_t rows,
                    const std::function<void(std::size_t first, std::size_t last)>& use) {
  parallel_for((rows + kRowsPerBlock - 1) / kRowsPerBlock, [&](std::size_t block) {
    const std::size_t first = block * kRowsPerBlock;
    use(first, std::min(first + kRowsPerBlock, rows));
  });
}

Matrix probabilities(const Array& outputs, OutputKind kind, std::size_t first, std::size_t last) {
  Matrix result(last - first, outputs.cols());
  for (std::size_t row = first; row < last; ++row) {
    probabilities(outputs, kind, row, result.row(row - first));
  }
  return result;
}

Matrix probabilities(const Array& outputs, OutputKind kind, std::span<const std::size_t> rows) {
  Matrix result(rows.size(), outputs.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    probabilities(outputs, kind, rows[i], result.row(i));
  }
  return result;
}

Matrix matrix(const Array& array, std::size_t first, std::size_t last) {
  require_columns(array);
  Matrix result(last - first, array.cols());
  array.read(first * array.cols(), result.values());
  return result;
}

Matrix matrix(const Array& array, std::span<const std::size_t> rows) {
  require_columns(array);
  Matrix result(rows.size(), array.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) array.read_row(rows[i], result.row(i));
  return result;
}

}  // namespace vestige::evidence
