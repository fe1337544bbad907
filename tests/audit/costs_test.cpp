// Families that would take too long are left out before they begin, with the rows that would fit.
#include "vestige/audit/costs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/evidence_folder.h"
#include "vestige/audit/audit.h"
#include "vestige/audit/metric_options.h"
#include "vestige/evidence/reader.h"
#include "vestige/words/words.h"

namespace vestige::audit {
namespace {

using testing::holds;

struct SlowSettings {
  std::size_t rows = 0;
};

const metrics::OptionTable<SlowSettings>& slow_options() {
  static const auto table = metrics::OptionTable<SlowSettings>("slow").count(
      "rows", "rows at most; 0: all", [](SlowSettings & s) -> auto& { return s.rows; });
  return table;
}

/// A second for each of a million rows squared over 10^8: 10,000 s, or 2.8 h, for all of them.
std::optional<metrics::Cost> slow_cost(const evidence::Evidence&, const Json& options) {
  const std::size_t asked = slow_options().read(options).rows;
  const double rows = asked == 0 ? 1e6 : static_cast<double>(asked);
  return metrics::Cost{.seconds = rows * rows / 1e8,
                       .work = result::reason(result::Code::message, "squares of rows"),
                       .rows = 1'000'000};
}

metrics::Measurements slow_measure(const metrics::Comparison& comparison,
                                   const metrics::Request& request, Progress&) {
  metrics::Row row = metrics::make_row("slow.value", comparison, request);
  row.value = 1;
  return {{row}, {}, {}};
}

metrics::Family slow_family() {
  metrics::Family family;
  family.name = "slow";
  family.summary = "a family of the tests";
  family.metrics = {{"slow.value", metrics::Direction::match, metrics::kUndefined, "slow", "slow"}};
  family.support = [](const evidence::Evidence&) { return metrics::Support{true, {}}; };
  family.prepare = metrics::each(slow_measure);
  family.options = slow_options().options();
  family.cost = slow_cost;
  return family;
}

class Costs : public ::testing::Test {
 protected:
  AuditResult run(std::vector<std::string> metrics, Json options) {
    ::testing::internal::CaptureStderr();
    AuditResult result = audit(evidence_, {.metrics = std::move(metrics), .options = options});
    said_ = ::testing::internal::GetCapturedStderr();
    return result;
  }
  static bool measured(const AuditResult& result) {
    return std::any_of(result.rows.begin(), result.rows.end(),
                       [](const auto& row) { return row.metric == "slow.value"; });
  }

  metrics::AddedFamily added_{slow_family()};
  testing::EvidenceFolder folder_{testing::EvidenceShape{.models = 1, .methods = {"ft"}}};
  evidence::Evidence evidence_ = evidence::load(folder_.path()).evidence;
  std::string said_;
};

TEST_F(Costs, BeyondTheLimitAFamilyIsLeftOutWithTheRowsThatFit) {
  const AuditResult result = run({}, Json::object());
  EXPECT_FALSE(measured(result));
  const auto skipped = std::find_if(result.skipped.begin(), result.skipped.end(),
                                    [](const Skipped& one) { return one.group == "slow"; });
  ASSERT_NE(skipped, result.skipped.end());
  // 3,600 s are 600,000 rows: 600,000^2 / 10^8. 10,000 s are 2.8 h, which three hours allow.
  EXPECT_EQ(
      words::text(skipped->reason),
      "would take about 2.8 h of processor time: squares of rows. --slow-rows 600000 would fit; "
      "--metrics slow measures it anyway, --cost-hours 3 allows it for every metric group");
  EXPECT_TRUE(holds(said_, {"slow would take about 2.8 h"}));
}

TEST_F(Costs, WithinTheLimitOrNamedItIsMeasuredAndAnnounced) {
  EXPECT_TRUE(measured(run({}, {{"slow.rows", 600000}})));
  EXPECT_TRUE(holds(said_, {"slow takes about 60 min of processor time: squares of rows"}));
  EXPECT_TRUE(measured(run({}, {{"cost.hours", 3}})));
  EXPECT_TRUE(measured(run({"slow"}, Json::object())));
  EXPECT_TRUE(holds(said_, {"slow takes about 2.8 h"}));
  // 10 s are not worth a word.
  EXPECT_TRUE(measured(run({"slow"}, {{"slow.rows", 31622}})));
  EXPECT_EQ(said_.find("slow"), std::string::npos) << said_;
}

TEST_F(Costs, InspectSaysItToo) {
  const std::vector<FamilySupport> lines = support(evidence_);
  EXPECT_EQ(lines.back().family, "slow");
  EXPECT_TRUE(lines.back().support.supported);
  EXPECT_EQ(lines.back().seconds, 10'000);
  EXPECT_TRUE(holds(words::text(lines.back().cost), {"2.8 h", "--slow-rows 600000"}));
}

}  // namespace
}  // namespace vestige::audit
