// How much memory may be taken for matrices that must be held as a whole. Mapped files do not
// count: the kernel takes their pages back when it needs them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>

namespace vestige {

inline constexpr double kDefaultMemory = 4;  ///< gigabytes (10^9 bytes)

class Context;

/// A limit, and what is held against it now.
class MemoryLimit {
 public:
  /// InputError unless positive.
  explicit MemoryLimit(double gigabytes);

  std::size_t bytes() const { return bytes_; }

 private:
  friend class HeldMemory;
  const std::size_t bytes_;
  std::mutex mutex_;
  std::condition_variable less_;
  std::size_t held_ = 0;
  std::size_t others_ = 0;  ///< what the process had when nothing was held
};

/// Hands free memory back to the system, which the C library would keep for later: what is freed
/// between blocks in use stays the process's own otherwise. Nothing is done while it has little.
void return_free_memory();

/// A large matrix that is about to be made: while it lives, others of the same context wait whose
/// sum with it and with what the process had before would exceed the context's memory. One alone
/// never waits, so that results do not depend on it. Not to be nested within one thread.
class HeldMemory {
 public:
  HeldMemory(const Context& context, std::size_t bytes);
  ~HeldMemory();
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;

 private:
  std::shared_ptr<MemoryLimit> limit_;
  std::size_t bytes_;
};

}  // namespace vestige
