// Membership sets against reference cases and hand counts; the attack on data whose answer is
// known.
#include "vestige/metrics/conformal/miacr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/metrics/conformal/conformal_cases.h"
#include "vestige/base/context.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

using vestige::testing::open_case;

/// Confidences in (0, 1): the logistic of normal numbers around `centre`.
std::vector<double> confidences(std::size_t count, double centre, std::uint64_t seed) {
  Stream stream(seed, "miacr_test");
  std::vector<double> values(count);
  for (double& value : values) value = 1 / (1 + std::exp(-(centre + 0.5 * stream.normal())));
  return values;
}

/// Sets of an attack's forget rows at `alpha`.
MembershipSets sets_of(const MembershipAttack& attack, double alpha) {
  const double q = conformal_quantile(
      membership_scores(attack.calibration_probability, attack.calibration_label), alpha);
  return membership_sets(attack.forget_probability, q);
}

// Paper's eq. 7 with TorchCP's quantile; _le and _lt are the two set rules at the finite-sample q.
TEST(Miacr, ReferenceCases) {
  for (const std::string name : {"n200_a05", "n51_a50", "n7_a05"}) {
    SCOPED_TRACE(name);
    const auto reference = open_case("miacr/" + name);
    const std::vector<double> scores = membership_scores(
        reference.input("cal_member_prob").values, reference.input("cal_label").integers<int>());
    const double q =
        conformal_quantile(scores, reference.json.at("params").at("alpha").get<double>());
    if (std::isinf(reference.number("q"))) {
      EXPECT_TRUE(std::isinf(q));
    } else {
      EXPECT_NEAR(q, reference.number("q"), 1e-12);
    }
    for (const bool strict : {false, true}) {
      const std::string suffix = strict ? "_lt" : "_le";
      const MembershipSets sets =
          membership_sets(reference.input("forget_member_prob").values, q,
                          strict ? QuantileRule::paper : QuantileRule::finite_sample);
      EXPECT_NEAR(sets.miacr, reference.number("miacr" + suffix), 1e-12);
      EXPECT_EQ(static_cast<double>(sets.empty), reference.number("n_empty" + suffix));
      EXPECT_EQ(static_cast<double>(sets.both), reference.number("n_both" + suffix));
    }
  }
}

TEST(Miacr, SetsByHand) {
  // Scores 1 - .9, .2, 1 - .6, .3: sorted .1 .2 .3 .4.
  const std::vector<double> scores =
      membership_scores(std::vector<double>{0.9, 0.2, 0.6, 0.3}, std::vector<int>{1, 0, 1, 0});
  // alpha .4: k = ceil(5 * .6) = 3, q = .3. Forget .1: {0}; .5: {}; .8: {1}; .25: {0}.
  const std::vector<double> forget = {0.1, 0.5, 0.8, 0.25};
  double q = conformal_quantile(scores, 0.4);
  EXPECT_NEAR(q, 0.3, 1e-15);
  MembershipSets sets = membership_sets(forget, q);
  EXPECT_EQ(sets.miacr, 0.5);
  EXPECT_EQ(sets.empty, 1u);
  EXPECT_EQ(sets.both, 0u);
  EXPECT_EQ(sets.mislabel, 2u);
  EXPECT_EQ(sets.in_set, 0u);
  EXPECT_EQ(sets.fake_forgetting, 0);
  EXPECT_EQ(sets.sets.members(2), (std::vector<std::size_t>{1}));
  // alpha .05: k = 5 > 4, q infinite, every set {0, 1}: both mis-labels are recovered.
  q = conformal_quantile(scores, 0.05);
  sets = membership_sets(forget, q);
  EXPECT_EQ(sets.miacr, 0);
  EXPECT_EQ(sets.both, 4u);
  EXPECT_EQ(sets.fake_forgetting, 1);
  // A probability equal to q: in by <=, out by <.
  EXPECT_EQ(membership_sets(std::vector<double>{0.25}, 0.25).miacr, 1);
  EXPECT_EQ(membership_sets(std::vector<double>{0.25}, 0.25, QuantileRule::paper).miacr, 0);
}

// Paper, Tables 2 and 4, 10 % forgetting: retrained has 654 mis-labels, 209 in set and MIACR 0.089
// of 5,000 rows, which is (654 - 209) / 5000. The same identity on drawn rows, where no set is
// empty.
TEST(Miacr, IsMislabelsLessInSet) {
  const MembershipAttack attack = membership_attack(
      confidences(400, 1, 31), confidences(400, 0, 32), confidences(200, 0.3, 33));
  const MembershipSets sets = sets_of(attack, 0.1);
  ASSERT_EQ(sets.empty, 0u);
  ASSERT_GT(sets.in_set, 0u);
  EXPECT_EQ(sets.miacr, static_cast<double>(sets.mislabel - sets.in_set) / 200);
}

// Paper, Tables 4 and 6: in all 18 cells mis-label = n (1 - MIA), and MIACR <= 1 - MIA. On attacks
// of every quality: retain far above test, equal, below; forget anywhere.
TEST(Miacr, OneRuleForMiaAndMislabels) {
  std::size_t disagreements = 0, above = 0;
  for (std::uint64_t draw = 0; draw < 40; ++draw) {
    Stream stream(draw, "miacr_property");
    const std::size_t rows = 20 + stream.below(120);
    const auto retain = confidences(rows, 2 * stream.normal(), 100 + draw);
    const auto test = confidences(rows + stream.below(50), 2 * stream.normal(), 200 + draw);
    const auto forget = confidences(60, 2 * stream.normal(), 300 + draw);
    for (const MemberRule rule : {MemberRule::probability, MemberRule::sign}) {
      const MembershipAttack attack =
          membership_attack(retain, test, forget, {.member = rule, .seed = draw});
      disagreements += attack.forget_member != attack.forget_sign ? 1U : 0U;
      const auto scores =
          membership_scores(attack.calibration_probability, attack.calibration_label);
      for (const double alpha : {0.01, 0.05, 0.1, 0.2, 0.5, 0.9}) {
        for (const QuantileRule quantile : {QuantileRule::finite_sample, QuantileRule::paper}) {
          const MembershipSets sets = membership_sets(attack.forget_probability,
                                                      conformal_quantile(scores, alpha, quantile),
                                                      quantile, attack.forget_member);
          EXPECT_NEAR(static_cast<double>(sets.mislabel), 60 * (1 - attack.mia), 1e-9);
          const double excess = sets.miacr - (1 - attack.mia);
          if (rule == MemberRule::probability) {
            EXPECT_LE(excess, 1e-12) << draw << " " << alpha;
          } else {
            above += excess > 1e-12 ? 1U : 0U;
          }
        }
      }
    }
  }
  // The two rules differ on these draws, and by the sign the inequality does not hold: the test
  // above would find the wrong rule.
  EXPECT_GT(disagreements, 0U);
  EXPECT_GT(above, 0U);
}

// P(member) .6 and a negative decision: a mis-label by sign only; q = .3 makes its set empty.
TEST(Miacr, MislabelFollowsTheGivenAnswers) {
  const std::vector<double> forget = {0.6, 0.2};
  EXPECT_EQ(membership_sets(forget, 0.3).mislabel, 1U);
  EXPECT_EQ(
      membership_sets(forget, 0.3, QuantileRule::finite_sample, std::vector<int>{0, 0}).mislabel,
      2U);
  EXPECT_THROW(membership_sets(forget, 0.3, QuantileRule::finite_sample, std::vector<int>{0}),
               InputError);
}

TEST(Miacr, UndefinedIsNaN) {
  EXPECT_TRUE(std::isnan(membership_sets({}, 0.4).miacr)) << "no forget rows";
  EXPECT_TRUE(std::isnan(membership_sets(std::vector<double>{0.9}, 0.4).fake_forgetting))
      << "no row is called a non-member";
}

// Retain near 0.95, test near 0.2: a forget set like retain is called member, one like test not,
// and the sets are single.
TEST(MembershipAttack, SeparatesWhatIsSeparable) {
  const auto retain = confidences(300, 3, 1), test = confidences(400, -1.5, 2);
  const MembershipAttack member = membership_attack(retain, test, confidences(100, 3, 3));
  EXPECT_EQ(member.mia, 1);
  EXPECT_EQ(member.training_rows, 150u);
  EXPECT_EQ(member.calibration_label.size(), 300u);
  EXPECT_EQ(sets_of(member, 0.05).miacr, 0);
  const MembershipAttack forgotten = membership_attack(retain, test, confidences(100, -1.5, 4));
  EXPECT_EQ(forgotten.mia, 0);
  EXPECT_GE(sets_of(forgotten, 0.05).miacr, 0.9);
}

// Coverage of the true side among rows like the calibration rows: 1 - alpha to three standard
// errors of calibration and counting together, 3 sqrt(.05 * .95 (1/1000 + 1/2000)) = 0.025.
TEST(MembershipAttack, SetsCoverMembers) {
  const auto retain = confidences(1000, 0.5, 11), test = confidences(1000, 0, 12);
  double covered = 0;
  for (const int side : {1, 0}) {
    const auto fresh = confidences(1000, side == 1 ? 0.5 : 0, 13 + static_cast<unsigned>(side));
    const MembershipAttack attack = membership_attack(retain, test, fresh);
    const MembershipSets sets = sets_of(attack, 0.05);
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      covered += sets.sets.contains(i, static_cast<std::size_t>(side)) ? 1 : 0;
    }
  }
  EXPECT_NEAR(covered / 2000, 0.95, 0.025);
}

TEST(MembershipAttack, ConstantConfidenceIsDefined) {
  const std::vector<double> flat(50, 0.1);
  const MembershipAttack attack = membership_attack(flat, flat, flat);
  EXPECT_TRUE(attack.mia == 0 || attack.mia == 1);
  // Balanced sides that cannot be told apart: P(member) = 1/2 to the fit's tolerance.
  for (const double p : attack.forget_probability) EXPECT_NEAR(p, 0.5, 1e-3);
}

TEST(MembershipAttack, IsCappedAndDeterministic) {
  const auto retain = confidences(90, 1, 21), test = confidences(70, 0, 22),
             forget = confidences(30, 0.5, 23);
  const MembershipAttack one = Context({.threads = 1}).run([&] {
    return membership_attack(retain, test, forget, {.rows_per_side = 20});
  });
  const MembershipAttack many = Context({.threads = 0}).run([&] {
    return membership_attack(retain, test, forget, {.rows_per_side = 20});
  });
  EXPECT_EQ(one.training_rows, 20u);
  EXPECT_EQ(one.calibration_label.size(), 40u);
  EXPECT_EQ(one.forget_probability, many.forget_probability);
  EXPECT_EQ(one.calibration_probability, many.calibration_probability);
  const MembershipAttack other =
      membership_attack(retain, test, forget, {.rows_per_side = 20, .seed = 2});
  EXPECT_NE(one.forget_probability, other.forget_probability);
}

TEST(MembershipAttack, RefusesBadInput) {
  const std::vector<double> few = {0.1, 0.2, 0.3}, enough = {0.1, 0.2, 0.3, 0.4};
  EXPECT_THROW(membership_attack(few, enough, enough), InputError);
  EXPECT_THROW(membership_attack(enough, enough, std::vector<double>{1.5}), InputError);
  EXPECT_THROW(membership_attack(enough, enough, std::vector<double>{NAN}), InputError);
  EXPECT_THROW(membership_scores(few, std::vector<int>{1}), InputError);
  EXPECT_THROW(membership_scores(few, std::vector<int>{1, 0, 2}), InputError);
  EXPECT_THROW(membership_sets(enough, NAN), InputError);
}

}  // namespace
}  // namespace vestige::metrics
