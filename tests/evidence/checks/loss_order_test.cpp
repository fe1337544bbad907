// Losses of synthetic language models: each sequence has its difficulty, each model its noise.
#include "vestige/evidence/checks/loss_order.h"

#include <cmath>
#include <numeric>

#include "tests/evidence/checks/demo_models.h"
#include "tests/evidence/support.h"

namespace vestige::evidence {
namespace {

using testing::Codes;
using testing::codes_of;
using testing::holds;
using testing::said;

constexpr std::size_t kSequences = 200;

class LossOrder : public ::testing::Test {
 protected:
  Evidence evidence;

  LossOrder() {
    evidence.sequence_losses = true;
    std::uint64_t seed = 0;
    for (const auto& [role, method] : {std::pair("original", ""),
                                       {"retrained", ""},
                                       {"unlearned", "ga"},
                                       {"unlearned", "npo"}}) {
      Model model;
      model.role = role;
      model.method = method;
      model.name = "0";
      model.folder = model.id();
      for (const char* split : {"forget", "retain", "test"}) {
        Stream difficulty(7, split);
        Stream noise(++seed, "noise");
        std::vector<double> losses;
        for (std::size_t i = 0; i < kSequences; ++i) {
          losses.push_back(2 + 2 * difficulty.uniform() + 0.3 * noise.uniform());
        }
        model.losses[split] = Array::from_doubles(losses, {kSequences});
      }
      evidence.groups.push_back({role, method, {model}});
    }
  }

  template <typename Action>
  void change(std::size_t group, const std::string& split, const Action& action) {
    Array& array = evidence.groups[group].models[0].losses.at(split);
    std::vector<double> values = array.doubles();
    action(values);
    array = Array::from_doubles(values, {kSequences});
  }

  void shuffle(std::size_t group, const std::string& split) {
    change(group, split, [&](std::vector<double>& values) {
      Stream(40 + group, split).shuffle(std::span(values));
    });
  }

  Findings found() { return check_loss_order(evidence); }
};

TEST_F(LossOrder, SoundModels) { EXPECT_EQ(codes_of(found()), Codes{}); }

TEST_F(LossOrder, ShuffledSequences) {
  for (const std::size_t group : {0U, 1U, 3U}) {
    for (const char* split : {"forget", "retain", "test"}) {
      const Evidence before = evidence;
      shuffle(group, split);
      const Findings findings = found();
      ASSERT_EQ(codes_of(findings), Codes{"W-ORDER"}) << group << split;
      EXPECT_EQ(findings[0].model, evidence.groups[group].models[0].id());
      EXPECT_TRUE(findings[0].blocks_verdicts);
      EXPECT_TRUE(holds(said(findings[0]), {"probably in another order", "without shuffling"}));
      evidence = before;
    }
  }
}

TEST_F(LossOrder, SortedAsTexts) {
  change(1, "test", [](std::vector<double>& values) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < values.size(); ++i) names.push_back(std::to_string(i));
    std::sort(names.begin(), names.end());  // 0, 1, 10, 100, 101, ...
    const std::vector<double> before = values;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = before[std::stoul(names[i])];
  });
  const Findings findings = found();
  ASSERT_EQ(codes_of(findings), Codes{"W-ORDER"});
  EXPECT_EQ(std::get<std::int64_t>(argument(findings[0].reason, "sorted")), 1);
  EXPECT_TRUE(holds(said(findings[0]), {"order of sorted texts", "as numbers"}));
}

TEST_F(LossOrder, EveryModelInAnOrderOfItsOwn) {
  for (std::size_t group = 0; group < 4; ++group) shuffle(group, "retain");
  const Findings findings = found();
  ASSERT_EQ(codes_of(findings), Codes{"W-ORDER"});
  EXPECT_EQ(findings[0].reason.code, Code::losses_agree_nowhere);
  EXPECT_EQ(findings[0].model, "");
}

// A model that forgot far too much has high losses in a new order.
TEST_F(LossOrder, OverForgottenIsNotShuffled) {
  shuffle(2, "forget");
  change(2, "forget", [](std::vector<double>& values) {
    for (double& value : values) value += 6;
  });
  EXPECT_EQ(codes_of(found()), Codes{});
}

TEST_F(LossOrder, BitsInsteadOfNats) {
  for (const double factor : {1 / std::log(2.0), std::log(2.0)}) {
    const Evidence before = evidence;
    for (const char* split : {"forget", "retain", "test"}) {
      change(1, split, [factor](std::vector<double>& values) {
        for (double& value : values) value *= factor;
      });
    }
    const Findings findings = found();
    ASSERT_EQ(codes_of(findings), Codes{"W-UNITS"}) << factor;
    EXPECT_EQ(findings[0].model, "retrained/0");
    EXPECT_TRUE(holds(said(findings[0]), {"One nat is 1.443 bits"}));
    evidence = before;
  }
}

// Half as much again is a damaged model.
TEST_F(LossOrder, OtherRatiosAreNoUnit) {
  for (const char* split : {"retain", "test"}) {
    change(2, split, [](std::vector<double>& values) {
      for (double& value : values) value *= 1.6;
    });
  }
  EXPECT_EQ(codes_of(found()), Codes{});
}

}  // namespace
}  // namespace vestige::evidence
