// How often verdicts are wrong on models that nothing was chosen on: other networks, other data,
// and persons whose effects come from training. docs/validation/error-rates.md has the rates of
// the same sets.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/audit/known_models.h"
#include "tests/audit/known_rates.h"

namespace vestige::audit {
namespace {

/// A test that errs in 5 % of draws errs in 9 or fewer of 100 with probability 0.97 (binomial).
constexpr double kFivePerCentOfHundred = 0.09 + 1e-9;

void check(const Rates& seen) {
  EXPECT_LE(seen.false_alarms, kFivePerCentOfHundred);
  EXPECT_LE(seen.half_wrongly_cleared, kFivePerCentOfHundred);
  EXPECT_LE(seen.fresh_lost, kFivePerCentOfHundred);
  EXPECT_GE(seen.original_detected, 0.95);
}

class HeldOutRates : public ::testing::TestWithParam<std::size_t> {};

// A wide tanh network trained with Adam on 3,000 other Fashion-MNIST images.
TEST_P(HeldOutRates, AnotherNetwork) {
  static const KnownModels other("known_other.npz");
  const Rates seen = rates(other, GetParam());
  check(seen);
  EXPECT_GE(seen.half_detected, 0.90);
}

// A table of five classes, a fifth of whose labels are wrong: what is known of them is memory.
TEST_P(HeldOutRates, ATableWithWrongLabels) {
  static const KnownModels table("known_table.npz");
  const Rates seen = rates(table, GetParam());
  check(seen);
  EXPECT_GE(seen.half_detected, 0.90);
}

// The network's losses and nothing else, rows forgotten at random.
TEST_P(HeldOutRates, LossesAlone) {
  KnownModels losses("known_other.npz");
  losses.losses_alone = true;
  const Rates seen = rates(losses, GetParam());
  check(seen);
  EXPECT_GE(seen.half_detected, 0.90);
}

INSTANTIATE_TEST_SUITE_P(Models, HeldOutRates, ::testing::Values(1, 2, 3, 5));

class PeopleRates : public ::testing::TestWithParam<std::size_t> {};

/// Unseen rows are of the 40 persons whom every model knows, or of 16 whom none does.
KnownModels people(bool strangers) {
  KnownModels made("known_people.npz");
  made.unseen_persons = strangers ? std::pair(50, 65) : std::pair(10, 49);
  return made;
}

TEST_P(PeopleRates, UnseenRowsOfPersonsWhomModelsKnow) {
  static const KnownModels known = people(false);
  const Rates seen = rates(known, GetParam());
  check(seen);
  EXPECT_GE(seen.half_detected, 0.90);
}

TEST_P(PeopleRates, UnseenRowsOfStrangers) {
  static const KnownModels strangers = people(true);
  const Rates seen = rates(strangers, GetParam());
  check(seen);
  EXPECT_GE(seen.half_detected, 0.90);
}

// Four persons, of whom half-forgotten models know two: fewer rows take power and raise no false
// alarms.
TEST_P(PeopleRates, FewPersons) {
  KnownModels few = people(false);
  few.forgotten_persons = {3, 6};
  check(rates(few, GetParam()));
}

// As language models of people are judged: a loss per row and nothing else.
TEST_P(PeopleRates, LossesAlone) {
  KnownModels losses = people(false);
  losses.losses_alone = true;
  const Rates seen = rates(losses, GetParam());
  check(seen);
  EXPECT_GE(seen.half_detected, 0.90);
}

INSTANTIATE_TEST_SUITE_P(Models, PeopleRates, ::testing::Values(1, 2, 3, 5));

}  // namespace
}  // namespace vestige::audit
