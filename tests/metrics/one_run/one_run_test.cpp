// The one-run bound against scipy and by hand, and canaries in evidence.
#include "vestige/metrics/one_run/one_run.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/metrics/support/measured.h"
#include "tests/metrics/support/peer_values.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/one_run/one_run_family.h"

namespace vestige::metrics {
namespace {

TEST(OneRun, ScipyBinomial) {
  const PeerValues values("one_run");
  const Matrix settings = values.matrix("settings");
  const auto p = values.numbers("p_at_half"), epsilon = values.numbers("epsilon");
  for (std::size_t i = 0; i < settings.rows(); ++i) {
    const CanaryGuesses guesses{static_cast<std::size_t>(settings(i, 0)),
                                static_cast<std::size_t>(settings(i, 1)),
                                static_cast<std::size_t>(settings(i, 2))};
    EXPECT_NEAR(canary_p(guesses, 0.5, settings(i, 3)), p[i], 1e-10) << i;
    EXPECT_NEAR(canary_epsilon(guesses, settings(i, 3), 0.95), epsilon[i], 1e-7) << i;
  }
}

// By hand, delta 0: 10 of 10 right have p = q^10. At 95 % q = 0.05^(1/10) = 0.74113 and
// epsilon = ln(q / (1 - q)).
TEST(OneRun, AllRightByHand) {
  const double q = std::pow(0.05, 0.1);
  EXPECT_NEAR(canary_epsilon({10, 10, 10}, 0, 0.95), std::log(q / (1 - q)), 1e-8);
  EXPECT_EQ(canary_epsilon({10, 10, 5}, 0, 0.95), 0) << "half right is chance";
  EXPECT_EQ(canary_epsilon({10, 0, 0}, 0, 0.95), 0);
  EXPECT_THROW(canary_p({10, 11, 5}, 1, 0), InputError);
  EXPECT_THROW(canary_p({10, 10, 5}, -1, 0), InputError);
}

TEST(OneRun, GuessesBothEndsAndKeepsTies) {
  const std::vector<double> scores = {5, 4, 1, 1, 0, -2};
  const std::vector<std::int64_t> members = {1, 0, 1, 0, 1, 0};
  const CanaryGuesses ends = guess_canaries(scores, members, 0.17);  // one on either side
  EXPECT_EQ(ends.guesses, 2U);
  EXPECT_EQ(ends.right, 2U);
  // Half: 5, 4 and the earlier 1 in; the later 1, 0, -2 out.
  EXPECT_EQ(guess_canaries(scores, members, 0.5).right, 4U);
  EXPECT_THROW(guess_canaries(scores, members, 0.6), InputError);
}

// A mechanism that answers each coin truthfully with probability 1 / (1 + exp(-1)) is exactly
// 1-private: the bound exceeds 1 in at most 5 % of runs. Of 200 runs 10 are expected at worst, and
// more than 20 come up once in 500 times.
TEST(OneRun, RandomisedResponseStaysBelowItsEpsilon) {
  const double truthful = 1 / (1 + std::exp(-1.0));
  int exceeded = 0;
  double largest = 0;
  for (std::uint64_t run = 0; run < 200; ++run) {
    Stream stream(2, "one_run_test", run);
    std::vector<double> scores;
    std::vector<std::int64_t> members;
    for (int canary = 0; canary < 400; ++canary) {
      members.push_back(static_cast<std::int64_t>(stream.below(2)));
      const bool told = stream.uniform() < truthful;
      scores.push_back((members.back() == 1) == told ? 1 + stream.uniform() : stream.uniform());
    }
    const double bound = one_run(scores, members, {.delta = 0}).epsilon;
    exceeded += bound > 1;
    largest = std::max(largest, bound);
  }
  EXPECT_LE(exceeded, 20);
  EXPECT_GT(largest, 0.6) << "it bounds something";
}

/// Canaries that only `knows` remembers, given with the original's coins.
TEST(OneRunFamily, OriginalIsRefutedAndRetrainedIsNot) {
  evidence::Evidence evidence;
  evidence.classes = 2;
  Stream coins(9, "one_run_test.coins");
  std::vector<std::int64_t> members;
  std::vector<double> marks;
  for (int i = 0; i < 300; ++i) {
    members.push_back(static_cast<std::int64_t>(coins.below(2)));
    marks.push_back(static_cast<double>(members.back()));
  }
  evidence.labels["canary"].assign(300, 0);
  const auto model_of = [&](const std::string& role, const std::string& name, double knows) {
    evidence::Model model;
    model.role = role;
    model.name = name;
    Stream stream(9, "one_run_test." + role + name);
    std::vector<double> logits;
    for (std::size_t i = 0; i < 300; ++i) {
      logits.push_back(stream.normal() + knows * marks[i]);
      logits.push_back(0);
    }
    model.outputs["canary"] = evidence::Array::from_doubles(std::move(logits), {300, 2});
    return model;
  };
  evidence.groups.push_back({"original", "", {model_of("original", "0", 4)}});
  evidence.groups.push_back({"retrained", "", {model_of("retrained", "0", 0)}});
  EXPECT_FALSE(one_run_family().support(evidence).supported) << "no membership vector";
  evidence::Model& original = evidence.groups[0].models[0];
  original.members["canary"] = evidence::Array::from_doubles(marks, {300});
  EXPECT_TRUE(one_run_family().support(evidence).supported);
  Comparison comparison;
  comparison.evidence = &evidence;
  comparison.original = {&original};
  comparison.candidate = {&original};
  const Measurements seen = measured(one_run_family(), comparison);
  EXPECT_GT(seen.rows.at(0).value, 1);
  EXPECT_EQ(seen.rows.at(0).facts.at("references"), 1);
  comparison.candidate = {&evidence.groups[1].models[0]};
  const Measurements never = measured(one_run_family(), comparison);
  EXPECT_EQ(never.rows.at(0).value, 0);
  EXPECT_LT(never.rows.at(1).lower, 0.5);
}

}  // namespace
}  // namespace vestige::metrics
