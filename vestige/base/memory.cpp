// What is held, and who waits for it.
#include "vestige/base/memory.h"

#include <cmath>

#include "vestige/base/context.h"
#include "vestige/base/error.h"
#include "vestige/base/platform/memory.h"

namespace vestige {
namespace {

/// A process that has less is not worth a walk through its free blocks.
constexpr std::size_t kLittle = std::size_t{256} << 20U;

std::size_t checked_bytes(double gigabytes) {
  require(std::isfinite(gigabytes) && gigabytes > 0 && gigabytes < 1e6,
          "--memory {}: give gigabytes above 0, for example 4", gigabytes);
  return static_cast<std::size_t>(gigabytes * 1e9);
}

}  // namespace

MemoryLimit::MemoryLimit(double gigabytes) : bytes_(checked_bytes(gigabytes)) {}

void return_free_memory() {
  if (platform::own_bytes() <= kLittle) return;
  // One at a time: where another allocator took malloc's place (a sanitizer's, jemalloc), the first
  // call sets up the C library's own, and a second one beside it would read what is half set up.
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  platform::return_free_blocks();
}

HeldMemory::HeldMemory(const Context& context, std::size_t bytes)
    : limit_(context.limit()), bytes_(bytes) {
  MemoryLimit& all = *limit_;
  std::unique_lock lock(all.mutex_);
  all.less_.wait(lock, [&] {
    if (all.held_ == 0) all.others_ = platform::own_bytes();
    return all.held_ == 0 || all.others_ + all.held_ + bytes_ <= all.bytes_;
  });
  all.held_ += bytes_;
}

HeldMemory::~HeldMemory() {
  {
    const std::lock_guard lock(limit_->mutex_);
    limit_->held_ -= bytes_;
  }
  limit_->less_.notify_all();
}

}  // namespace vestige
