// Named random streams: every draw comes from a stream derived from (seed, purpose, index) with the
// counter-based generator Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011), so that results do not depend on the number of threads or on call order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace vestige {

/// Philox4x32 with 10 rounds: the block cipher behind Stream, exposed for its known-answer tests.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

/// A stream of random numbers; satisfies UniformRandomBitGenerator.
class Stream {
 public:
  using result_type = std::uint64_t;

  Stream(std::uint64_t seed, std::string_view purpose, std::uint64_t index = 0);

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  /// 64 uniform bits.
  result_type operator()() {
    if (used_ == filled_) refill();
    return words_[used_++];
  }

  /// Uniform in [0, 1), 53 bits.
  double uniform();

  /// Uniform in {0, ..., bound - 1} without bias (Lemire's method); bound must be positive.
  std::uint64_t below(std::uint64_t bound);

  /// Standard normal (Box-Muller, one value per two uniforms).
  double normal();

  /// Fisher-Yates.
  template <typename T>
  void shuffle(std::span<T> values) {
    for (std::size_t remaining = values.size(); remaining > 1; --remaining) {
      using std::swap;
      swap(values[remaining - 1], values[below(remaining)]);
    }
  }

  /// 0, ..., count - 1 in random order.
  std::vector<std::size_t> permutation(std::size_t count);

  /// `count` distinct indices of {0, ..., population - 1}, in ascending order.
  std::vector<std::size_t> sample(std::size_t population, std::size_t count);

 private:
  /// Blocks that are made at once, but for the first of a stream, which many draws never get past.
  static constexpr std::size_t kBlocks = 8;

  void refill();

  std::array<std::uint32_t, 2> key_;
  std::uint64_t index_;
  std::uint64_t next_block_ = 0;
  std::array<std::uint64_t, 2 * kBlocks> words_;
  std::size_t used_ = 0;
  std::size_t filled_ = 0;
};

}  // namespace vestige
