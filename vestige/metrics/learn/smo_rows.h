// Rows of an RBF kernel matrix as the support vector machine's solver asks for them: computed when
// needed, kept while there is room.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"

namespace vestige::metrics {

class SmoRows {
 public:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  /// `rows` [n, d] in the order of `order`; at most `cache_mb` MiB of kernel values are kept, but
  /// always three rows.
  SmoRows(MatrixView rows, std::span<const std::size_t> order, double gamma, double cache_mb);

  /// exp(-gamma |x_i - x_t|^2) for t in [0, length), as LIBSVM computes and rounds it. Valid until
  /// the next call, and through it for the row that is named as `keep`.
  std::span<const float> row(std::size_t index, std::size_t length, std::size_t keep = kNone);

  /// Exchanges two rows. Kept values are of no more use: computing a row again is as cheap as
  /// reordering it.
  void swap(std::size_t a, std::size_t b);

 private:
  struct Exponents;

  void fill(std::size_t index, std::size_t first, std::size_t last, float* out) const;
  std::size_t take_slot(std::size_t index, std::size_t keep);

  std::size_t count_;
  std::size_t cols_;
  double gamma_;
  std::vector<double> features_;  ///< [d, n]
  std::vector<double> squares_;   ///< |x_t|^2
  std::size_t slots_;
  std::size_t next_ = 0;
  std::vector<std::size_t> owners_;   ///< row of each slot
  std::vector<std::size_t> slot_of_;  ///< of each row
  std::vector<std::size_t> known_;    ///< how many values of each row are in its slot
  bool stale_ = false;
  std::unique_ptr<float[]> values_;  ///< [slots, n]
};

}  // namespace vestige::metrics
