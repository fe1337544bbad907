// Parallel loops on oneTBB.
#include "vestige/base/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include <memory>

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"

namespace vestige {
namespace {

std::unique_ptr<tbb::global_control> limit;

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
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain),
                    [&body](const tbb::blocked_range<std::size_t>& range) {
                      check_interrupt();
                      body(range.begin(), range.end());
                    });
}

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  parallel_ranges(count, 1, [&body](std::size_t first, std::size_t last) {
    for (std::size_t index = first; index < last; ++index) body(index);
  });
}

}  // namespace vestige
