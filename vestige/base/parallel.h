// Parallel loops. Bodies write to places that depend only on the index, so that results are the
// same bytes for any number of threads; sums are formed afterwards, in order.
#pragma once

#include <cstddef>
#include <functional>

namespace vestige {

/// So many threads for the loops that are run inside. Outside of any, loops have a thread per core.
/// The process has one thread per core for all arenas together: one with more gets no more.
class Arena {
 public:
  /// 0: as many threads as the machine has cores. InputError if negative.
  explicit Arena(int threads);

  int threads() const { return threads_; }
  /// Calls `body` on this thread; throws what it throws. May be nested. Callers in several threads
  /// have so many threads each.
  void run(const std::function<void()>& body) const;

 private:
  int threads_;
};

/// The number of threads that loops have where it is called: those of the arena around it, and not
/// more than there are cores.
int threads();

/// Calls body(first, last) on disjoint ranges that cover [0, count); a range is split in halves
/// only while it holds more than `grain` indices. Throws Interrupted after Ctrl-C, and whatever a
/// body throws.
void parallel_ranges(std::size_t count, std::size_t grain,
                     const std::function<void(std::size_t first, std::size_t last)>& body);

/// parallel_for for long bodies with loops of their own: a thread that waits for an inner loop
/// takes no other body meanwhile, so that no more bodies are begun than there are threads.
void parallel_tasks(std::size_t count, const std::function<void(std::size_t index)>& body);

/// Calls body(i) for every i in [0, count).
void parallel_for(std::size_t count, const std::function<void(std::size_t index)>& body);

}  // namespace vestige
