// Ctrl-C inside and after an InterruptScope.
#include <gtest/gtest.h>

#include <csignal>
#include <memory>

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"

namespace vestige {
namespace {

int interrupts_seen_outside = 0;

TEST(InterruptScope, CatchesCtrlCAndGivesTheHandlerBack) {
  const auto before = std::signal(SIGINT, [](int) { ++interrupts_seen_outside; });
  {
    const InterruptScope scope;
    EXPECT_NO_THROW(check_interrupt());
    std::raise(SIGINT);
    EXPECT_TRUE(interrupted());
    EXPECT_THROW(check_interrupt(), Interrupted);
  }
  EXPECT_FALSE(interrupted());
  EXPECT_EQ(interrupts_seen_outside, 0);
  std::raise(SIGINT);
  EXPECT_EQ(interrupts_seen_outside, 1);
  std::signal(SIGINT, before);
}

// Audits in two threads: the first to end must not take the handler from the other, and the last
// must not leave ours behind.
TEST(InterruptScope, OverlappingOnesGiveTheHandlerBackAtTheEnd) {
  interrupts_seen_outside = 0;
  const auto before = std::signal(SIGINT, [](int) { ++interrupts_seen_outside; });
  auto first = std::make_unique<InterruptScope>();
  auto second = std::make_unique<InterruptScope>();
  first.reset();
  std::raise(SIGINT);
  EXPECT_TRUE(interrupted());
  EXPECT_EQ(interrupts_seen_outside, 0);
  second.reset();
  EXPECT_FALSE(interrupted());
  std::raise(SIGINT);
  EXPECT_EQ(interrupts_seen_outside, 1);
  std::signal(SIGINT, before);
}

}  // namespace
}  // namespace vestige
