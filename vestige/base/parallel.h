// Parallel loops. Bodies write to places that depend only on the index, so that results are the
// same bytes for any number of threads; sums are formed afterwards, in order.
#pragma once

#include <cstddef>
#include <functional>

namespace vestige {

/// Limits all parallel loops of the process to `threads` (0: as many as the machine has cores).
void set_threads(int threads);

/// The number of threads that loops use now.
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
