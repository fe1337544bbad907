// mmap, madvise, the C library's malloc, and what Linux says in /proc.
#include "vestige/base/platform/memory.h"

#include <sys/mman.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace vestige::platform {

std::size_t own_bytes() {
  constexpr std::string_view kOwnBytes = "RssAnon:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(kOwnBytes)) continue;
    return std::size_t{1024} * std::strtoull(line.c_str() + kOwnBytes.size(), nullptr, 10);
  }
  return 0;
}

void return_free_blocks() {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

void keep_freed_blocks(int mapped_apart, int kept) {
#if defined(__GLIBC__)
  ::mallopt(M_MMAP_THRESHOLD, mapped_apart);
  ::mallopt(M_TRIM_THRESHOLD, kept);
#else
  static_cast<void>(mapped_apart);
  static_cast<void>(kept);
#endif
}

void prefer_large_pages(void* pages, std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  ::madvise(pages, bytes, MADV_HUGEPAGE);
#else
  static_cast<void>(pages);
  static_cast<void>(bytes);
#endif
}

std::shared_ptr<const void> map(int descriptor, std::size_t size) {
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) return nullptr;
  return {address, [size](const void* pages) { ::munmap(const_cast<void*>(pages), size); }};
}

}  // namespace vestige::platform
