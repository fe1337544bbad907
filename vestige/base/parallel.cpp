// Parallel loops on oneTBB.
#include "vestige/base/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <memory>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"

namespace vestige {
namespace {

std::unique_ptr<tbb::global_control> limit;

// Debian's oneTBB is not built with ThreadSanitizer, which therefore cannot see that a loop's start
// happens before its bodies and they before its end. Both are told here; other builds do nothing.
#if defined(__SANITIZE_THREAD__)
void released(void* loop) { __tsan_release(loop); }
void acquired(void* loop) { __tsan_acquire(loop); }
#else
void released(void*) {}
void acquired(void*) {}
#endif

/// Also on the way out of an exception.
struct AtExit {
  void (*tell)(void*);
  void* loop;
  ~AtExit() { tell(loop); }
};

}  // namespace

void set_threads(int threads) {
  require(threads >= 0, "--threads is {}: give 0 for all cores, or a positive number", threads);
  const int count = threads == 0 ? tbb::info::default_concurrency() : threads;
  limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                static_cast<std::size_t>(count));
}

int threads() {
  return static_cast<int>(
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
}

void parallel_ranges(std::size_t count, std::size_t grain,
                     const std::function<void(std::size_t, std::size_t)>& body) {
  if (grain == 0) grain = 1;
  char loop = 0;
  released(&loop);
  const AtExit end{acquired, &loop};
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain),
                    [&body, &loop](const tbb::blocked_range<std::size_t>& range) {
                      acquired(&loop);
                      const AtExit done{released, &loop};
                      check_interrupt();
                      body(range.begin(), range.end());
                    });
}

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  parallel_ranges(count, 1, [&body](std::size_t first, std::size_t last) {
    for (std::size_t index = first; index < last; ++index) body(index);
  });
}

void parallel_tasks(std::size_t count, const std::function<void(std::size_t)>& body) {
  parallel_ranges(count, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t index = first; index < last; ++index) {
      tbb::this_task_arena::isolate([&] { body(index); });
    }
  });
}

}  // namespace vestige
