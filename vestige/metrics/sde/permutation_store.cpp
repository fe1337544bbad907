// Permutations by the stream that they are drawn from.
#include "vestige/metrics/sde/permutation_store.h"

#include <utility>

#include "vestige/base/seed.h"
#include "vestige/metrics/kernels/hsic.h"

namespace vestige::metrics {

std::shared_ptr<const Permutations> PermutationStore::get(std::size_t size, std::size_t count,
                                                          std::uint64_t seed,
                                                          std::string_view purpose,
                                                          std::size_t index) {
  Key key{std::string(purpose), index, size, count, seed};
  {
    const std::scoped_lock lock(mutex_);
    const auto found = kept_.find(key);
    if (found != kept_.end()) return found->second;
  }
  // Drawn outside the lock: two threads may draw the same, which costs time and changes nothing.
  Stream stream(seed, purpose, index);
  auto drawn = std::make_shared<const Permutations>(random_permutations(size, count, stream));
  const std::size_t bytes = drawn->values.size() * sizeof(std::uint32_t);
  const std::scoped_lock lock(mutex_);
  if (bytes > room_) return drawn;
  const auto [place, added] = kept_.emplace(std::move(key), std::move(drawn));
  if (added) room_ -= bytes;
  return place->second;
}

}  // namespace vestige::metrics
