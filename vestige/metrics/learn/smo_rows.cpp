// Kernel rows in slots that are given out in turn.
#include "vestige/metrics/learn/smo_rows.h"

#include <algorithm>
#include <utility>

#include "vestige/base/lanes.h"
#include "vestige/metrics/learn/smo_loops.h"

namespace vestige::metrics {
namespace {

std::size_t slots_for(std::size_t count, double cache_mb) {
  const double rows = cache_mb * 1024 * 1024 / (static_cast<double>(count) * sizeof(float));
  const double most = static_cast<double>(std::max<std::size_t>(count, 3));
  return static_cast<std::size_t>(std::clamp(rows, 3.0, most));
}

}  // namespace

/// values[t] = the exponent of kernel value (index, first + t).
struct SmoRows::Exponents {
  template <std::size_t kWidth>
  VESTIGE_WITHIN static void run(const SmoRows* of, std::size_t index, std::size_t first,
                                 std::size_t count, double* values) {
    const SmoRows& rows = *of;
    const double* features = rows.features_.data();
    std::fill_n(values, count, 0.0);
    for (std::size_t k = 0; k < rows.cols_; ++k) {
      const double own = features[k * rows.count_ + index];
      const double* others = features + k * rows.count_ + first;
      for (std::size_t t = 0; t < count; ++t) values[t] += own * others[t];
    }
    // LIBSVM's expression: |x|^2 + |y|^2 - 2 x.y, with its rounding.
    const double* squares = rows.squares_.data();
    for (std::size_t t = 0; t < count; ++t) {
      values[t] = -rows.gamma_ * (squares[index] + squares[first + t] - 2 * values[t]);
    }
  }
};

SmoRows::SmoRows(MatrixView rows, std::span<const std::size_t> order, double gamma, double cache_mb)
    : count_(rows.rows),
      cols_(rows.cols),
      gamma_(gamma),
      features_(rows.rows * rows.cols),
      squares_(rows.rows),
      slots_(slots_for(rows.rows, cache_mb)),
      owners_(slots_, kNone),
      slot_of_(rows.rows, kNone),
      known_(rows.rows),
      // Not cleared: memory is taken only for the slots that are used.
      values_(std::make_unique_for_overwrite<float[]>(slots_ * rows.rows)) {
  for (std::size_t t = 0; t < count_; ++t) {
    const auto source = rows.row(order[t]);
    for (std::size_t k = 0; k < cols_; ++k) {
      features_[k * count_ + t] = source[k];
      squares_[t] += source[k] * source[k];
    }
  }
}

void SmoRows::fill(std::size_t index, std::size_t first, std::size_t last, float* out) const {
  constexpr std::size_t kColumnsAtOnce = 256;
  double values[kColumnsAtOnce];
  for (; first < last; first += kColumnsAtOnce) {
    const std::size_t block = std::min(kColumnsAtOnce, last - first);
    run_widest<Exponents>(Instructions::best, this, index, first, block, &values[0]);
    float_exponentials({values, block}, {out + first, block});
  }
}

std::size_t SmoRows::take_slot(std::size_t index, std::size_t keep) {
  if (keep != kNone && owners_[next_] == keep) next_ = (next_ + 1) % slots_;
  const std::size_t slot = next_;
  next_ = (next_ + 1) % slots_;
  if (owners_[slot] != kNone) slot_of_[owners_[slot]] = kNone;
  owners_[slot] = index;
  slot_of_[index] = slot;
  known_[index] = 0;
  return slot;
}

std::span<const float> SmoRows::row(std::size_t index, std::size_t length, std::size_t keep) {
  if (stale_) {
    std::fill(known_.begin(), known_.end(), std::size_t{0});
    stale_ = false;
  }
  const std::size_t slot = slot_of_[index] != kNone ? slot_of_[index] : take_slot(index, keep);
  float* values = values_.get() + slot * count_;
  if (known_[index] < length) {
    fill(index, known_[index], length, values);
    known_[index] = length;
  }
  return {values, length};
}

void SmoRows::swap(std::size_t a, std::size_t b) {
  for (std::size_t k = 0; k < cols_; ++k) {
    std::swap(features_[k * count_ + a], features_[k * count_ + b]);
  }
  std::swap(squares_[a], squares_[b]);
  stale_ = true;
}

}  // namespace vestige::metrics
