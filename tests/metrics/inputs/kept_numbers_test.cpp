// What is kept, for how long, and that results do not depend on it.
#include "vestige/metrics/inputs/kept_numbers.h"

#include <gtest/gtest.h>

#include <atomic>

#include "tests/support/evidence_folder.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/inputs/accuracy.h"

namespace vestige::metrics {
namespace {

using evidence::Array;
using evidence::DType;

struct Counted {
  Context context{};
  int made = 0;
  Numbers ask(const Array& outputs, const std::vector<std::int64_t>& labels,
              std::string_view what) {
    return kept_numbers(context, outputs, labels, what, [this] {
      ++made;
      return std::vector<double>{static_cast<double>(made)};
    });
  }
};

TEST(KeptNumbers, AreMadeEachTimeWithoutACache) {
  const Array outputs = testing::array_of(DType::float32, {1, 0, 0, 1}, {2, 2});
  Counted counted;
  EXPECT_EQ(counted.ask(outputs, {0, 1}, "a")->at(0), 1);
  EXPECT_EQ(counted.ask(outputs, {0, 1}, "a")->at(0), 2);
}

TEST(KeptNumbers, AreMadeOnceForACache) {
  const Array outputs = testing::array_of(DType::float32, {1, 0, 0, 1}, {2, 2});
  const Array others = testing::array_of(DType::float32, {1, 0, 0, 1}, {2, 2});
  const Context first = Context().with_cache();
  Counted counted{first};
  EXPECT_EQ(counted.ask(outputs, {0, 1}, "a")->at(0), 1);
  EXPECT_EQ(counted.ask(outputs, {0, 1}, "a")->at(0), 1);
  EXPECT_EQ(counted.ask(outputs, {1, 0}, "a")->at(0), 2) << "other labels";
  EXPECT_EQ(counted.ask(outputs, {0, 1}, "b")->at(0), 3) << "another number";
  EXPECT_EQ(counted.ask(others, {0, 1}, "a")->at(0), 4) << "another array";
  counted.context = first.with_cache();
  EXPECT_EQ(counted.ask(outputs, {0, 1}, "a")->at(0), 5) << "another cache";
  counted.context = first.quiet().with_memory(1);
  EXPECT_EQ(counted.ask(outputs, {0, 1}, "a")->at(0), 1) << "copies share theirs";
}

// An array that is gone must not lend its address, and so its numbers, to the next one.
TEST(KeptNumbers, BelongToTheArrayEvenAfterItIsGone) {
  const Context context = Context().with_cache();
  for (int round = 0; round < 20; ++round) {
    const double first = round % 2 == 0 ? 1 : 0;
    const Array outputs = testing::array_of(DType::float64, {first, 1 - first}, {1, 2});
    EXPECT_EQ(correct_rows(context, outputs, std::vector<std::int64_t>{0}),
              std::vector<double>{first});
  }
}

TEST(KeptNumbers, ManyThreadsGetTheSame) {
  const Context context = Context().with_cache();
  const Array outputs = testing::array_of(DType::float32, {1, 0, 0, 1}, {2, 2});
  std::atomic<int> made{0};
  std::vector<double> seen(200);
  parallel_for(seen.size(), [&](std::size_t index) {
    seen[index] = kept_numbers(context, outputs, {}, "many", [&] {
                    std::vector<double> values(64);
                    parallel_for(values.size(), [&](std::size_t i) { values[i] = 3; });
                    ++made;
                    return values;
                  })->at(63);
  });
  EXPECT_EQ(made, 1);
  EXPECT_EQ(seen, std::vector<double>(200, 3.0));
}

}  // namespace
}  // namespace vestige::metrics
