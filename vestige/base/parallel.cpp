// Parallel loops on oneTBB.
#include "vestige/base/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"

namespace vestige {
namespace {

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

Arena::Arena(int threads) : threads_(threads) {
  require(threads >= 0, "--threads is {}: give 0 for all cores, or a positive number", threads);
  if (threads_ == 0) threads_ = tbb::info::default_concurrency();
}

void Arena::run(const std::function<void()>& body) const {
  // A new one for every call. In one that several callers share, a thread that waits for a loop of
  // the first could take the body of the second, and wait for a lock that it holds itself.
  // Not more threads than cores: TBB has no more, and would say so on stderr.
  tbb::task_arena own(std::min(threads_, tbb::info::default_concurrency()));
  own.execute(body);
}

int threads() { return tbb::this_task_arena::max_concurrency(); }

void parallel_ranges(std::size_t count, std::size_t grain,
                     const std::function<void(std::size_t, std::size_t)>& body) {
  if (grain == 0) grain = 1;
  char loop = 0;
  released(&loop);
  const AtExit end{acquired, &loop};
  tbb::task_group_context group;
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, count, grain),
      [&body, &loop](const tbb::blocked_range<std::size_t>& range) {
        acquired(&loop);
        const AtExit done{released, &loop};
        check_interrupt();
        body(range.begin(), range.end());
      },
      group);
  // A loop around this one has ended with an exception, and TBB has given this one up: its results
  // are not all there. The caller gets the first exception; this one only ends the body.
  if (group.is_group_execution_cancelled()) throw Interrupted();
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
