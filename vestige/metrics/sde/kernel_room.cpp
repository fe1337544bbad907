// Large pieces of memory, kept.
#include "vestige/metrics/sde/kernel_room.h"

#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

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
#if defined(__linux__)
    madvise(piece.values.get(), bytes, MADV_HUGEPAGE);
#endif
  }
  return {piece.values.get(), size};
}

}  // namespace vestige::metrics
