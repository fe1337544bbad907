// Halving.
#include "vestige/train/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <new>
#include <string_view>
#include <utility>

namespace vestige::train {
namespace {

std::vector<pool::Product> make_in_graphs(std::size_t count, std::size_t size,
                                          const MakeGroup& make) {
  std::vector<pool::Product> all;
  for (std::size_t first = 0; first < count; first += size) {
    std::vector<pool::Product> part = make(first, std::min(size, count - first));
    std::move(part.begin(), part.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace

bool lacks_memory(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return true;
  // CUDA's allocator and the CPU's; an exception class of its own came with later versions only.
  const std::string_view text = error.what();
  return text.find("out of memory") != std::string_view::npos ||
         text.find("can't allocate memory") != std::string_view::npos;
}

std::vector<pool::Product> make_within_memory(std::size_t count, const MakeGroup& make,
                                              std::size_t largest) {
  for (std::size_t size = largest == 0 ? count : std::min(count, largest);;) {
    try {
      std::vector<pool::Product> all = make_in_graphs(count, size, make);
      if (size == count) return all;
      for (pool::Product& product : all) product.facts["graph"] = size;
      return all;
    } catch (const std::exception& error) {
      if (size == 1 || !lacks_memory(error)) throw;
      size = (size + 1) / 2;
    }
    std::fputs(fmt::format("vestige: warning: memory does not suffice for {} models in one graph: "
                           "trying {} at a time ([train] copies = {} asks for no more)\n",
                           count, size, size)
                   .c_str(),
               stderr);
  }
}

}  // namespace vestige::train
