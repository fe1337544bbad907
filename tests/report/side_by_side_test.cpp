// Two audits at once in one process: each has the threads, memory and progress that it was given.
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "tests/support/evidence_folder.h"
#include "vestige/base/context.h"
#include "vestige/metrics/family.h"
#include "vestige/report/audit_run.h"

namespace vestige::report {
namespace {

using testing::EvidenceFolder;
using testing::EvidenceShape;
using testing::holds;

/// What an audit saw while the other one was in the same place.
struct SeenInside {
  int threads = 0;
  std::size_t memory = 0;
  std::set<std::thread::id> used;
};

/// Waits for the other audit before it measures and after it has, and records what it sees by seed.
class Meeting {
 public:
  metrics::Family family() {
    metrics::Family made;
    made.name = "meeting";
    made.summary = "a family of the tests";
    made.metrics = {
        {"meeting.value", metrics::Direction::match, metrics::kUndefined, "meeting", "meeting"}};
    made.support = [](const evidence::Evidence&) { return metrics::Support{true, {}}; };
    made.unit = metrics::Unit::whole;
    made.prepare = [this](const metrics::Preparation& from) -> metrics::Measure {
      // So that lines of progress tell whose they are: "1 of 1 + seed".
      from.progress->expect(from.request.seed);
      return [this, &request = from.request](const metrics::Comparison& comparison,
                                             Progress& progress) {
        return measure(comparison, request, progress);
      };
    };
    return made;
  }

  void wait() { both_.arrive_and_wait(); }
  const SeenInside& seen(std::uint64_t seed) const { return seen_.at(seed); }
  std::chrono::milliseconds pause{0};  ///< between the two waits

 private:
  metrics::Measurements measure(const metrics::Comparison& comparison,
                                const metrics::Request& request, Progress& progress) {
    wait();
    SeenInside seen{threads(), request.context.memory(), {}};
    std::mutex mutex;
    parallel_for(64, [&](std::size_t) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const std::lock_guard lock(mutex);
      seen.used.insert(std::this_thread::get_id());
    });
    std::this_thread::sleep_for(pause);
    progress.add();
    wait();
    const std::lock_guard lock(mutex_);
    seen_[request.seed] = std::move(seen);
    metrics::Row row = metrics::make_row("meeting.value", comparison, request);
    row.value = 1;
    return {{row}, {}, {}};
  }

  std::barrier<> both_{2};
  std::mutex mutex_;
  std::map<std::uint64_t, SeenInside> seen_;
};

Results audited(const EvidenceFolder& folder, std::uint64_t seed, const Context& context,
                std::vector<std::string> metrics = {"meeting"}) {
  AuditRun run{"test", {std::move(metrics), seed, Json::object(), context}};
  return run_audit(folder.path(), run).results;
}

TEST(SideBySide, EachAuditHasItsOwnThreadsMemoryAndProgress) {
  Meeting meeting;
  meeting.pause = std::chrono::milliseconds(2100);  // the first line comes after two seconds
  const metrics::AddedFamily added(meeting.family());
  const EvidenceFolder folder{EvidenceShape{.models = 1, .methods = {"ft"}}};
  Results quiet, loud;
  ::testing::internal::CaptureStderr();
  std::thread other([&] {
    quiet = audited(folder, 10,
                    Context({.threads = 1, .memory = 0.5, .progress = ProgressStyle::quiet}));
  });
  loud = audited(folder, 20, Context({.threads = 3, .progress = ProgressStyle::lines}));
  other.join();
  const std::string said = ::testing::internal::GetCapturedStderr();

  EXPECT_EQ(quiet.run.threads, 1);
  EXPECT_EQ(loud.run.threads, 3);
  EXPECT_EQ(quiet.run.selection->memory, 0.5);
  EXPECT_EQ(loud.run.selection->memory, 4.0);
  EXPECT_EQ(meeting.seen(10).threads, 1);
  EXPECT_EQ(meeting.seen(20).threads, std::min(3, threads()));
  EXPECT_EQ(meeting.seen(10).memory, 500'000'000U);
  EXPECT_EQ(meeting.seen(20).memory, 4'000'000'000U);
  EXPECT_EQ(meeting.seen(10).used.size(), 1U);
  EXPECT_LE(meeting.seen(20).used.size(), 3U);
  EXPECT_TRUE(holds(said, {"meeting: 1 of 21"})) << said;
  EXPECT_FALSE(holds(said, {"of 11"})) << said;
}

// Conformal prediction holds 40 + 50 + 50 + 50 rows of 10 classes, or 15,200 bytes
// (tests/metrics/inputs/held_rows_test.cpp).
TEST(SideBySide, EachAuditRefusesByItsOwnMemory) {
  Meeting meeting;
  const metrics::AddedFamily added(meeting.family());
  const EvidenceFolder folder{EvidenceShape{.models = 1, .methods = {"ft"}}};
  Results enough;
  std::thread other([&] {
    enough = audited(folder, 1, Context({.memory = 15.3e-6}), {"meeting", "conformal"});
  });
  meeting.wait();  // the other audit is under way
  const std::string why =
      testing::error_of([&] { audited(folder, 2, Context({.memory = 15.1e-6}), {"conformal"}); });
  meeting.wait();
  other.join();
  EXPECT_TRUE(holds(why, {"conformal cannot be measured", "1.51e-05 GB"})) << why;
  EXPECT_TRUE(std::any_of(enough.rows.begin(), enough.rows.end(), [](const auto& row) {
    return row.row.metric.starts_with("conformal.");
  }));
}

}  // namespace
}  // namespace vestige::report
