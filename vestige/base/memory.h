// How much memory of its own the process may take for matrices that must be held as a whole. Mapped
// files do not count: the kernel takes their pages back when it needs them.
#pragma once

#include <cstddef>

namespace vestige {

inline constexpr double kDefaultMemory = 4;  ///< gigabytes (10^9 bytes)

/// Sets what memory() answers. InputError unless positive.
void set_memory(double gigabytes);

/// In bytes. What needs more at once is refused before it begins; the answer must not depend on the
/// machine or on threads, so that the same evidence gives the same results everywhere.
std::size_t memory();

/// Hands free memory back to the system, which the C library would keep for later: what is freed
/// between blocks in use stays the process's own otherwise. Nothing is done while it has little.
void return_free_memory();

/// A large matrix that is about to be made: while it lives, others wait whose sum with it and with
/// what the process had before would exceed memory(). One alone never waits, so that results do not
/// depend on it. Not to be nested within one thread.
class HeldMemory {
 public:
  explicit HeldMemory(std::size_t bytes);
  ~HeldMemory();
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;

 private:
  std::size_t bytes_;
};

}  // namespace vestige
