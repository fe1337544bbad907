// Philox4x32-10 and the draws built on it.
#include "vestige/base/seed.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>

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

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = 0xD2511F53ULL * counter[0];
    const std::uint64_t second = 0xCD9E8D57ULL * counter[2];
    counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(first)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

Stream::Stream(std::uint64_t seed, std::string_view purpose, std::uint64_t index) {
  const std::uint64_t key = mix(seed + 0x9e3779b97f4a7c15ULL) ^ mix(hash_name(purpose));
  key_ = {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)};
  // The upper half of the counter names the stream's index, the lower half counts blocks.
  counter_ = {0, 0, static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32)};
}

Stream::result_type Stream::operator()() {
  if (used_ == 4) {
    block_ = philox4x32(counter_, key_);
    if (++counter_[0] == 0) ++counter_[1];
    used_ = 0;
  }
  const auto place = static_cast<std::size_t>(used_);
  used_ += 2;
  return (static_cast<std::uint64_t>(block_[place + 1]) << 32) | block_[place];
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
  order.resize(count);
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace vestige
