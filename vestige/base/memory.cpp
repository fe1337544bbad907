// One count of what is held, and who waits for it.
#include "vestige/base/memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>

#include "vestige/base/error.h"

namespace vestige {
namespace {

std::atomic<std::size_t> allowed_bytes{static_cast<std::size_t>(kDefaultMemory * 1e9)};

/// A process that has less is not worth a walk through its free blocks.
constexpr std::size_t kLittle = std::size_t{256} << 20U;

struct Held {
  std::mutex mutex;
  std::condition_variable less;
  std::size_t bytes = 0;
  std::size_t others = 0;  ///< what the process had when nothing was held
};

Held& held() {
  static Held one;
  return one;
}

/// What the process has of its own, without mapped files (RssAnon); 0 where the system does not
/// say.
std::size_t own_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("RssAnon:")) continue;
    return 1024 * std::strtoull(line.c_str() + std::strlen("RssAnon:"), nullptr, 10);
  }
  return 0;
}

}  // namespace

void set_memory(double gigabytes) {
  require(std::isfinite(gigabytes) && gigabytes > 0 && gigabytes < 1e6,
          "--memory {}: give gigabytes above 0, for example 4", gigabytes);
  allowed_bytes = static_cast<std::size_t>(gigabytes * 1e9);
}

std::size_t memory() { return allowed_bytes; }

void return_free_memory() {
#ifdef __GLIBC__
  if (own_bytes() <= kLittle) return;
  // One at a time: where another allocator took malloc's place (a sanitizer's, jemalloc), the first
  // call sets up the C library's own, and a second one beside it would read what is half set up.
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  ::malloc_trim(0);
#endif
}

HeldMemory::HeldMemory(std::size_t bytes) : bytes_(bytes) {
  Held& all = held();
  std::unique_lock lock(all.mutex);
  all.less.wait(lock, [&] {
    if (all.bytes == 0) all.others = own_bytes();
    return all.bytes == 0 || all.others + all.bytes + bytes_ <= memory();
  });
  all.bytes += bytes_;
}

HeldMemory::~HeldMemory() {
  Held& all = held();
  {
    const std::lock_guard lock(all.mutex);
    all.bytes -= bytes_;
  }
  all.less.notify_all();
}

}  // namespace vestige
