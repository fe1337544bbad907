// What counts as forgotten as a whole.
#include "vestige/metrics/inputs/row_sets.h"

#include <gtest/gtest.h>

namespace vestige::metrics {
namespace {

evidence::Evidence labelled(std::vector<std::int64_t> forget, std::vector<std::int64_t> retain) {
  evidence::Evidence evidence;
  evidence.labels["forget"] = std::move(forget);
  if (!retain.empty()) evidence.labels["retain"] = std::move(retain);
  evidence.labels["test"] = {0, 1, 1, 2};
  return evidence;
}

TEST(ForgottenAsAWhole, AClassIfRetainHasNoneOfIt) {
  EXPECT_EQ(forgotten_as_a_whole(labelled({1, 1}, {0, 2})), Forgotten::classes);
  EXPECT_EQ(forgotten_as_a_whole(labelled({1, 1}, {0, 1})), Forgotten::rows);
  EXPECT_EQ(forgotten_as_a_whole(labelled({1, 1}, {})), Forgotten::rows);
  EXPECT_EQ(of_the_forgotten(labelled({1, 1}, {0, 2}), "test"),
            (std::vector<bool>{false, true, true, false}));
}

TEST(ForgottenAsAWhole, ASubclassOfAClassThatLivesOn) {
  evidence::Evidence evidence = labelled({1, 1}, {0, 1});
  evidence.subclasses["forget"] = {"fox", "fox"};
  evidence.subclasses["retain"] = {"rose", "bear"};
  evidence.subclasses["test"] = {"rose", "bear", "fox", "car"};
  EXPECT_EQ(forgotten_as_a_whole(evidence), Forgotten::subclasses);
  EXPECT_EQ(of_the_forgotten(evidence, "test"), (std::vector<bool>{false, false, true, false}));
  const RowSets sets = row_sets(evidence);
  EXPECT_EQ(name(sets.forgotten), "subclasses");
  EXPECT_EQ(sets.target_test, (std::vector<std::size_t>{2}));
  evidence.subclasses["retain"][1] = "fox";
  EXPECT_EQ(forgotten_as_a_whole(evidence), Forgotten::rows);
  // The class comes first where both are gone.
  evidence.labels["retain"] = {0, 2};
  EXPECT_EQ(forgotten_as_a_whole(evidence), Forgotten::classes);
}

// Sequences have no labels, but may belong to people: test sequences of the forgotten are target.
TEST(ForgottenAsAWhole, PeopleOfSequences) {
  evidence::Evidence evidence;
  EXPECT_EQ(sequence_sets(evidence, 3, 4).unseen, (std::vector<std::size_t>{0, 1, 2, 3}));
  evidence.subjects["forget"] = {"ann", "ann", "bob"};
  evidence.subjects["retain"] = {"cy"};
  evidence.subjects["test"] = {"cy", "bob", "dee", "cy"};
  const RowSets sets = sequence_sets(evidence, 3, 4);
  EXPECT_EQ(sets.forgotten, Forgotten::subjects);
  EXPECT_EQ(sets.target_test, (std::vector<std::size_t>{1}));
  EXPECT_EQ(sets.unseen, (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(sets.strata->target_person, (std::vector<std::uint32_t>{0, 0, 1, 1}));
  EXPECT_EQ(sets.strata->unseen_person, (std::vector<std::uint32_t>{0, 1, 0}));
  evidence.subjects["retain"] = {"ann"};
  EXPECT_EQ(sequence_sets(evidence, 3, 4).forgotten, Forgotten::rows);
}

}  // namespace
}  // namespace vestige::metrics
