// Random permutations that several models ask for again: sets and shuffles depend on the seed
// alone, so that drawing them once serves every comparison.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "vestige/metrics/kernels/permuted_trace.h"

namespace vestige::metrics {

class PermutationStore {
 public:
  /// Keeps up to so many bytes; what has no room is drawn again each time.
  static constexpr std::size_t kBytes = std::size_t{64} << 20U;

  explicit PermutationStore(std::size_t bytes = kBytes) : room_(bytes) {}

  /// `count` permutations of `size` rows from Stream(seed, purpose, index). May be called from
  /// several threads at once.
  std::shared_ptr<const Permutations> get(std::size_t size, std::size_t count, std::uint64_t seed,
                                          std::string_view purpose, std::size_t index);

 private:
  using Key = std::tuple<std::string, std::size_t, std::size_t, std::size_t, std::uint64_t>;
  std::mutex mutex_;
  std::size_t room_;
  std::map<Key, std::shared_ptr<const Permutations>> kept_;
};

}  // namespace vestige::metrics
