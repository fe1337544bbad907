// Stitching (competition, A.10): hosts keep their schedule and take another repair's objective.
#include "vestige/unlearn/repair.h"

#include <gtest/gtest.h>

#include "tests/support.h"
#include "tests/unlearn/bench.h"
#include "vestige/unlearn/methods/competition/seif.h"
#include "vestige/unlearn/registry.h"
#include "vestige/unlearn/table.h"

namespace vestige {
namespace {

using testing::error_of;
using testing::holds;
using testing::UnlearnBench;

const Json kKookmin = {{"epochs", 3}, {"rate", 0.02}, {"batch", 32}};
const Json kFanchuan = {{"rounds", 2}, {"rate", 0.02}, {"batch", 32}, {"forget_batch", 32}};

/// Share of the majority class among the retained rows, counted by hand.
double majority_share(const UnlearnBench& bench) {
  std::vector<double> counts(4, 0);
  const torch::Tensor labels = bench.samples().labels();
  for (const std::int64_t row : bench.retain()) {
    counts[static_cast<std::size_t>(labels[row].item<std::int64_t>())] += 1;
  }
  return *std::max_element(counts.begin(), counts.end()) /
         static_cast<double>(bench.retain().size());
}

TEST(Stitching, FactorIsTheMeanWeightOfRetainedRows) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const double share = majority_share(bench);
  EXPECT_NEAR(unlearn::seif_repair(problem).mean_rate_factor, share * 1.0 + (1 - share) * 0.05,
              1e-6);
  EXPECT_EQ(unlearn::plain_repair(problem).mean_rate_factor, 1);
}

/// Runs a host with Seif's repair and records the weight of every row that its repair saw; returns
/// mean(weight) * rate: the mean effective rate.
double mean_effective_rate(const std::string& host, const Json& options) {
  UnlearnBench& bench = UnlearnBench::of("random");
  double weights = 0, rows = 0;
  const unlearn::MakeRepair recording = [&](unlearn::Problem& problem) {
    unlearn::Repair repair = unlearn::seif_repair(problem);
    const train::Objective inner = repair.objective;
    const std::int64_t majority = unlearn::majority_class(problem.samples, problem.retain);
    repair.objective = [&, inner, majority](models::Network& network, const train::Batch& batch,
                                            const train::Step& step) {
      const double most = batch.labels.eq(majority).sum().item<double>();
      const auto size = static_cast<double>(batch.labels.numel());
      weights += most + 0.05 * (size - most);
      rows += size;
      return inner(network, batch, step);
    };
    return repair;
  };
  for (const unlearn::Host& each : unlearn::hosts()) {
    if (each.name != host) continue;
    Options given(options, "test");
    unlearn::Problem problem = bench.problem();
    const unlearn::Outcome outcome = each.prepare(given, recording)(problem);
    return weights / rows * outcome.facts.at("repair_rate").get<double>();
  }
  ADD_FAILURE() << host << " is no host";
  return 0;
}

TEST(Stitching, KeepsTheHostsMeanEffectiveRate) {
  // Whole epochs, so that each row counts equally often.
  EXPECT_NEAR(mean_effective_rate("kookmin", kKookmin), 0.02, 1e-7);
  EXPECT_NEAR(mean_effective_rate("fanchuan", kFanchuan), 0.02, 1e-7);
}

TEST(Stitching, DiffersFromBothButKeepsTheSchedule) {
  UnlearnBench& bench = UnlearnBench::of("random");
  struct Case {
    std::string host;
    Json options;
  };
  for (const Case& test : {Case{"kookmin", kKookmin}, Case{"fanchuan", kFanchuan}}) {
    unlearn::Problem host = bench.problem(), donor = bench.problem();
    const unlearn::Outcome plain = bench.run(test.host, test.options, host);
    bench.run("seif", {{"epochs", 1}}, donor);
    for (const char* repair : {"seif", "sebastian"}) {
      unlearn::Problem stitched = bench.problem();
      const unlearn::Outcome outcome =
          bench.run(test.host + "+repair:" + repair, test.options, stitched);
      EXPECT_EQ(outcome.cost.steps, plain.cost.steps);
      EXPECT_EQ(outcome.cost.samples, plain.cost.samples);
      EXPECT_FALSE(testing::changed(stitched.network, host.network).empty()) << repair;
      EXPECT_FALSE(testing::changed(stitched.network, donor.network).empty()) << repair;
      EXPECT_GT(bench.retain_accuracy(stitched.network), 0.8) << test.host << " " << repair;
    }
    // The host's own repair is plain fine-tuning.
    unlearn::Problem same = bench.problem();
    bench.run(test.host + "+repair:finetune", test.options, same);
    EXPECT_TRUE(testing::changed(same.network, host.network).empty()) << test.host;
  }
}

// Figure 16: Seif with a vanilla repair, whose rate is the mean of Seif's rates per batch.
TEST(Stitching, SeifWithAPlainRepairHasItsMeanRate) {
  UnlearnBench& bench = UnlearnBench::of("random");
  const Json options = {{"epochs", 1}, {"rate", 0.02}, {"batch", 32}};
  unlearn::Problem own = bench.problem(), plain = bench.problem(), same = bench.problem();
  const unlearn::Outcome with_own = bench.run("seif", options, own);
  const unlearn::Outcome with_plain = bench.run("seif+repair:finetune", options, plain);
  const double share = majority_share(bench);
  EXPECT_DOUBLE_EQ(with_own.facts.at("repair_rate").get<double>(), 0.02);
  EXPECT_NEAR(with_plain.facts.at("repair_rate").get<double>(),
              0.02 * (share * 1.0 + (1 - share) * 0.05), 1e-8);
  EXPECT_FALSE(testing::changed(own.network, plain.network).empty());
  // Its own repair, stitched in, is Seif.
  bench.run("seif+repair:seif", options, same);
  EXPECT_TRUE(testing::changed(own.network, same.network).empty());
}

TEST(Stitching, RefusesOthers) {
  EXPECT_TRUE(holds(error_of([] { unlearn::find_method("sun+repair:seif"); }),
                    {"'sun'", "fanchuan, kookmin, seif"}));
  EXPECT_TRUE(holds(error_of([] { unlearn::find_method("kookmin+repair:sun"); }),
                    {"'sun'", "finetune, seif, sebastian"}));
  EXPECT_EQ(unlearn::read_choice("kookmin+repair:seif", "test").options.at("epochs"), 5);
}

// Every preset holds only options that its method knows, with values that it accepts.
TEST(Presets, AreAccepted) {
  for (const unlearn::MethodInfo& method : unlearn::methods()) {
    for (const auto& [preset, values] : method.presets.items()) {
      const Json used =
          unlearn::read_choice({{"name", method.id}, {"preset", preset}}, "test").options;
      for (const auto& [key, value] : values.items()) EXPECT_EQ(used.at(key), value) << method.id;
    }
  }
}

}  // namespace
}  // namespace vestige
