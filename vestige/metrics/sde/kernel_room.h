// Room for the lower triangles of large kernel matrices, one for each of several models.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

namespace vestige::metrics {

/// Memory that is given back would be cleared by the system each time: it is kept for the next
/// split. Pages are touched by whoever writes them first, and are large where the system allows it,
/// because sets gather from all over the matrix.
class KernelRoom {
 public:
  /// The lower triangle of a matrix of so many rows: entry (i, j), j <= i, is at i (i + 1) / 2 + j.
  /// Ends what was at this index before.
  std::span<double> triangle(std::size_t index, std::size_t rows);

 private:
  struct Free {
    void operator()(double* values) const { std::free(values); }
  };
  struct Piece {
    std::size_t size = 0;
    std::unique_ptr<double[], Free> values;
  };
  std::vector<Piece> pieces_;
};

}  // namespace vestige::metrics
