// The two controls: one changes nothing, the other destroys everything.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unlearn/bench.h"
#include "vestige/unlearn/methods/methods.h"

namespace vestige {
namespace {

using testing::UnlearnBench;

TEST(Identity, ChangesNothingAndCostsNothing) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const unlearn::Outcome outcome = bench.run("identity", {}, problem);
  EXPECT_TRUE(testing::changed(problem.network, bench.original()).empty());
  EXPECT_EQ(outcome.cost.steps, 0);
  EXPECT_EQ(outcome.cost.samples, 0);
}

TEST(Collapse, MakesAllLogitsZeroAndChangesTheClassifierOnly) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  bench.run("collapse", {}, problem);
  EXPECT_EQ(testing::changed(problem.network, bench.original()),
            (std::vector<std::string>{"linear2.weight", "linear2.bias"}));
  const torch::Tensor logits = train::logits_of(problem.network, bench.samples(), bench.forget());
  EXPECT_TRUE(logits.eq(0).all().item<bool>());
  // Uniform over four classes.
  EXPECT_NEAR(bench.forget_loss(problem.network), std::log(4.0), 1e-6);
}

// The classifier is found by its place: it must be the last layer of every architecture.
TEST(Collapse, FindsTheClassifierOfEveryArchitecture) {
  UnlearnBench& bench = UnlearnBench::of("random");
  for (const models::ArchitectureInfo& architecture : models::architectures()) {
    Options options(Json{{"name", architecture.name}}, "test");
    const models::NetworkPointer network = models::make(options, {{3, 32, 32}, 4}, 1);
    unlearn::Problem base = bench.problem();
    unlearn::Problem problem{.network = *network,
                             .samples = base.samples,
                             .retain = base.retain,
                             .forget = base.forget,
                             .validation = base.validation,
                             .seed = base.seed,
                             .original_seed = base.original_seed,
                             .training = base.training,
                             .forget_options = base.forget_options,
                             .make_network = base.make_network,
                             .original_file = base.original_file,
                             .watch = base.watch};
    bench.run("collapse", {}, problem);
    const auto parameters = network->named_parameters();
    const std::string last = parameters.keys().back();
    EXPECT_TRUE(last == "output.bias" || last == "linear2.bias") << architecture.name << last;
    EXPECT_TRUE(parameters.values().back().eq(0).all().item<bool>()) << architecture.name;
  }
}

}  // namespace
}  // namespace vestige
