// Sun.
#include <gtest/gtest.h>

#include <set>

#include "tests/unlearn/bench.h"
#include "vestige/unlearn/methods/methods.h"

namespace vestige {
namespace {

using testing::UnlearnBench;

TEST(Sun, ForgetsAndKeepsRetain) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome = bench.run("sun",
                                             {{"noised_epochs", 5},
                                              {"noised_rate", 0.05},
                                              {"noise", 0.1},
                                              {"epochs", 5},
                                              {"rate", 0.02},
                                              {"batch", 32}},
                                             problem);
  // Seeds 7 to 10 give .37 to .52, and at least .85 of retain; fine-tuning alone gives .00.
  EXPECT_GT(bench.progress(problem.network), 0.2);
  EXPECT_GT(bench.retain_accuracy(problem.network), 0.8);
  EXPECT_EQ(outcome.cost.samples, 10 * 720);
}

// Without the last stage only the classifier and the drawn layers may differ.
TEST(Sun, ChangesTheClassifierAndTheDrawnLayersOnly) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome =
      bench.run("sun", {{"noised_epochs", 1}, {"share", 0.25}, {"epochs", 0}}, problem);
  const Json& drawn = outcome.facts.at("noised_layers");
  ASSERT_EQ(drawn.size(), 1U);
  ASSERT_EQ(drawn[0].size(), 1U);
  std::set<std::string> expected{"linear2.weight", "linear2.bias"};
  for (const char* part : {".weight", ".bias"}) {
    expected.insert(drawn[0][0].get<std::string>() + part);
  }
  const auto changed = testing::changed(problem.network, bench.original());
  EXPECT_EQ(std::set<std::string>(changed.begin(), changed.end()), expected);
}

TEST(Sun, DrawsAnewEachEpoch) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome =
      bench.run("sun", {{"noised_epochs", 6}, {"share", 0.25}, {"epochs", 0}}, problem);
  std::set<std::string> names;
  for (const Json& epoch : outcome.facts.at("noised_layers")) names.insert(epoch.dump());
  EXPECT_GT(names.size(), 1U);
}

}  // namespace
}  // namespace vestige
