// Large pieces of memory, kept.
#include "vestige/metrics/sde/kernel_room.h"

#include <new>

#include "vestige/base/platform/memory.h"

namespace vestige::metrics {

std::span<double> KernelRoom::triangle(std::size_t index, std::size_t rows) {
  constexpr std::size_t kPage = std::size_t{1} << 21U;
  const std::size_t size = rows * (rows + 1) / 2;
  if (pieces_.size() <= index) pieces_.resize(index + 1);
  Piece& piece = pieces_[index];
  if (piece.size < size) {
    const std::size_t bytes = (size * sizeof(double) + kPage - 1) / kPage * kPage;
    piece = {};  // before the next is asked for
    piece.values.reset(static_cast<double*>(std::aligned_alloc(kPage, bytes)));
    if (piece.values == nullptr) throw std::bad_alloc();
    piece.size = size;
    platform::prefer_large_pages(piece.values.get(), bytes);
  }
  return {piece.values.get(), size};
}

}  // namespace vestige::metrics
