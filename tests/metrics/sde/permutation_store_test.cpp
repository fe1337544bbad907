// Kept permutations are those that the stream gives, whether there is room for them or not.
#include "vestige/metrics/sde/permutation_store.h"

#include <gtest/gtest.h>

#include "vestige/base/seed.h"
#include "vestige/metrics/kernels/hsic.h"

namespace vestige::metrics {
namespace {

std::vector<std::uint32_t> drawn(std::uint64_t seed, const char* purpose, std::size_t index) {
  Stream stream(seed, purpose, index);
  return random_permutations(10, 4, stream).values;
}

TEST(PermutationStore, GivesWhatTheStreamGives) {
  // 10 x 4 x 4 bytes each: room for two.
  PermutationStore store(2 * 160);
  for (int round = 0; round < 2; ++round) {
    for (const std::uint64_t seed : {1U, 2U}) {
      for (const std::size_t index : {0U, 1U}) {
        EXPECT_EQ(store.get(10, 4, seed, "a", index)->values, drawn(seed, "a", index));
        EXPECT_EQ(store.get(10, 4, seed, "b", index)->values, drawn(seed, "b", index));
      }
    }
  }
}

TEST(PermutationStore, KeepsWhatHasRoom) {
  PermutationStore store(160);
  const auto first = store.get(10, 4, 1, "a", 0);
  EXPECT_EQ(store.get(10, 4, 1, "a", 0), first);
  const auto second = store.get(10, 4, 1, "a", 1);
  EXPECT_NE(store.get(10, 4, 1, "a", 1), second);
  EXPECT_EQ(store.get(10, 4, 1, "a", 0), first);
  EXPECT_NE(store.get(10, 3, 1, "a", 0), first);
}

}  // namespace
}  // namespace vestige::metrics
