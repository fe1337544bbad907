// Philox4x32-10 and the draws built on it.
#include "vestige/base/seed.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>

#include "vestige/base/platform/processor.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace vestige {
namespace {

// SplitMix64's finaliser (Steele, Lea and Flood 2014): spreads related inputs over all bits.
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

// FNV-1a: the purpose's name as a number, the same on every platform (std::hash is not).
std::uint64_t hash_name(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char character : name) {
    hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3ULL;
  }
  return hash;
}

constexpr std::uint32_t kFirstFactor = 0xD2511F53U, kSecondFactor = 0xCD9E8D57U;
constexpr std::uint32_t kFirstStep = 0x9E3779B9U, kSecondStep = 0xBB67AE85U;

/// The words of `blocks` blocks, two of each. The lower half of the counter counts blocks, the
/// upper half names the stream's index.
void blocks_portable(std::uint64_t first, std::uint64_t index, std::array<std::uint32_t, 2> key,
                     std::size_t blocks, std::uint64_t* words) {
  for (std::uint64_t block = first; block < first + blocks; ++block) {
    const auto made =
        philox4x32({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                    static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32)},
                   key);
    for (const std::size_t place : {0U, 2U}) {
      *words++ = (static_cast<std::uint64_t>(made[place + 1]) << 32) | made[place];
    }
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) inline __m256i all_lanes(std::uint64_t value) {
  return _mm256_set1_epi64x(static_cast<long long>(value));
}

/// Eight blocks side by side, four to a vector: a lane holds one of a block's four numbers in its
/// lower half; what is above it is never read.
__attribute__((target("avx2"))) void blocks_avx2(std::uint64_t first, std::uint64_t index,
                                                 std::array<std::uint32_t, 2> key,
                                                 std::uint64_t* words) {
  constexpr std::size_t kVectors = 2;
  __m256i x0[kVectors], x1[kVectors], x2[kVectors], x3[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    x0[v] = _mm256_add_epi64(all_lanes(first + 4 * v), _mm256_set_epi64x(3, 2, 1, 0));
    x1[v] = _mm256_srli_epi64(x0[v], 32);
    x2[v] = all_lanes(index);
    x3[v] = all_lanes(index >> 32);
  }
  for (int round = 0; round < 10; ++round) {
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) {
      const __m256i left = _mm256_mul_epu32(all_lanes(kFirstFactor), x0[v]);
      const __m256i right = _mm256_mul_epu32(all_lanes(kSecondFactor), x2[v]);
      x0[v] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(right, 32), x1[v]),
                               all_lanes(key[0]));
      x1[v] = right;
      x2[v] =
          _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(left, 32), x3[v]), all_lanes(key[1]));
      x3[v] = left;
    }
    key[0] += kFirstStep;
    key[1] += kSecondStep;
  }
  const __m256i lower = all_lanes(0xFFFFFFFFU);
  for (std::size_t v = 0; v < kVectors; ++v) {
    // Words 0 and 1 of each block: a0 a1 a2 a3 and b0 b1 b2 b3 become a0 b0 a1 b1, a2 b2 a3 b3.
    const __m256i a = _mm256_or_si256(_mm256_slli_epi64(x1[v], 32), _mm256_and_si256(x0[v], lower));
    const __m256i b = _mm256_or_si256(_mm256_slli_epi64(x3[v], 32), _mm256_and_si256(x2[v], lower));
    const __m256i even = _mm256_unpacklo_epi64(a, b), odd = _mm256_unpackhi_epi64(a, b);
    auto* out = reinterpret_cast<__m256i*>(words + 8 * v);
    _mm256_storeu_si256(out, _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_storeu_si256(out + 1, _mm256_permute2x128_si256(even, odd, 0x31));
  }
}
#endif

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{kFirstFactor} * counter[0];
    const std::uint64_t second = std::uint64_t{kSecondFactor} * counter[2];
    counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(first)};
    key[0] += kFirstStep;
    key[1] += kSecondStep;
  }
  return counter;
}

Stream::Stream(std::uint64_t seed, std::string_view purpose, std::uint64_t index) : index_(index) {
  const std::uint64_t key = mix(seed + 0x9e3779b97f4a7c15ULL) ^ mix(hash_name(purpose));
  key_ = {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)};
}

void Stream::refill() {
  const std::size_t blocks = next_block_ == 0 ? 1 : kBlocks;
#if defined(__x86_64__)
  if (blocks == 8 && platform::processor().avx2) {
    blocks_avx2(next_block_, index_, key_, words_.data());
  } else {
    blocks_portable(next_block_, index_, key_, blocks, words_.data());
  }
#else
  blocks_portable(next_block_, index_, key_, blocks, words_.data());
#endif
  next_block_ += blocks;
  used_ = 0;
  filled_ = 2 * blocks;
}

double Stream::uniform() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

std::uint64_t Stream::below(std::uint64_t bound) {
  assert(bound > 0);
  // Lemire, "Fast random integer generation in an interval", 2019.
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>((*this)()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < threshold) {
      product = static_cast<Wide>((*this)()) * bound;
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double Stream::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

std::vector<std::size_t> Stream::permutation(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(std::span<std::size_t>(order));
  return order;
}

std::vector<std::size_t> Stream::sample(std::size_t population, std::size_t count) {
  assert(count <= population);
  std::vector<std::size_t> order = permutation(population);
  // Ascending by a mark for each: fewer steps than comparisons, and no branch to guess wrong.
  std::vector<unsigned char> drawn(population);
  for (std::size_t place = 0; place < count; ++place) drawn[order[place]] = 1;
  std::size_t next = 0;
  for (std::size_t value = 0; value < population; ++value) {
    order[next] = value;
    next += drawn[value];
  }
  order.resize(count);
  return order;
}

}  // namespace vestige
