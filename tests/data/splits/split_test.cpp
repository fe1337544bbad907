// Splits: exact stratified counts, disjoint parts, reproducible hashes, bad requests.
#include "vestige/data/splits/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "tests/data/small_dataset.h"
#include "tests/support.h"
#include "vestige/base/seed.h"
#include "vestige/data/splits/draw.h"

namespace vestige::data {
namespace {

using testing::class_counts;
using testing::small_dataset;
using testing::split_of;
using vestige::testing::error_of;
using vestige::testing::holds;
using Counts = std::vector<std::size_t>;

std::set<std::int64_t> subjects_of(const Dataset& dataset, const Split& split,
                                   const std::string& part) {
  std::set<std::int64_t> subjects;
  if (split.parts.count(part) == 0) return subjects;
  for (const std::int64_t row : split.part(part)) {
    subjects.insert(dataset.subjects[static_cast<std::size_t>(row)]);
  }
  return subjects;
}

bool share(const std::set<std::int64_t>& first, const std::set<std::int64_t>& second) {
  return std::any_of(first.begin(), first.end(),
                     [&](std::int64_t each) { return second.count(each) > 0; });
}

/// What Split's comment promises.
void expect_sound(const Split& split) {
  std::set<std::int64_t> seen;
  for (const auto& [name, rows] : split.parts) {
    EXPECT_FALSE(rows.empty()) << name;
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end())) << name;
    if (name == "forget" || name == "retain") continue;
    for (const std::int64_t row : rows) EXPECT_TRUE(seen.insert(row).second) << name << " " << row;
  }
  Rows together = split.part("retain");
  if (split.parts.count("forget") > 0) {
    together.insert(together.end(), split.part("forget").begin(), split.part("forget").end());
  }
  std::sort(together.begin(), together.end());
  EXPECT_EQ(together, split.part("train"));
}

TEST(ProportionalShares, FollowLargestRemaindersByHand) {
  // Quotas 3.5, 2.1, 1.4: floors 3, 2, 1; the one left goes to .5.
  EXPECT_EQ(proportional_shares(Counts{5, 3, 2}, 7), (Counts{4, 2, 1}));
  // Quotas 4/3 each: equal remainders, the lower group gets it.
  EXPECT_EQ(proportional_shares(Counts{3, 3, 3}, 4), (Counts{2, 1, 1}));
  EXPECT_EQ(proportional_shares(Counts{1, 1, 1, 1}, 2), (Counts{1, 1, 0, 0}));
  EXPECT_EQ(proportional_shares(Counts{2, 0, 5}, 7), (Counts{2, 0, 5}));
  EXPECT_EQ(proportional_shares(Counts{2, 0, 5}, 0), (Counts{0, 0, 0}));
  EXPECT_EQ(proportional_shares(Counts{}, 0), Counts{});
}

TEST(ProportionalShares, AreExactAndWithinOneOfTheQuota) {
  Stream stream(1, "test");
  for (int trial = 0; trial < 500; ++trial) {
    Counts sizes(1 + stream.below(12));
    for (std::size_t& size : sizes) size = stream.below(50);
    const std::size_t total = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    const std::size_t count = stream.below(total + 1);
    const Counts shares = proportional_shares(sizes, count);
    EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), std::size_t{0}), count);
    for (std::size_t group = 0; group < sizes.size(); ++group) {
      EXPECT_LE(shares[group], sizes[group]);
      if (total == 0) continue;
      const double quota = static_cast<double>(count * sizes[group]) / static_cast<double>(total);
      EXPECT_LT(std::abs(static_cast<double>(shares[group]) - quota), 1);
    }
  }
}

TEST(DrawRows, GivesEveryRowTheSameChance) {
  // 2,000 draws of 5 of 20: each row's count is binomial(2000, 0.25), mean 500, deviation 19.4;
  // 100 is over five deviations.
  Rows all(20);
  std::iota(all.begin(), all.end(), 0);
  const std::vector<std::int64_t> labels(20, 0);
  std::vector<int> drawn(20, 0);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    for (const std::int64_t row :
         draw_rows(all, labels, 5, {.seed = seed, .purpose = "test", .classes = 1})) {
      ++drawn[static_cast<std::size_t>(row)];
    }
  }
  for (const int count : drawn) EXPECT_NEAR(count, 500, 100);
}

TEST(Split, TakesAllByDefault) {
  const Dataset dataset = small_dataset({});
  const Split split = split_of(dataset);
  expect_sound(split);
  EXPECT_EQ(split.part("train").size(), 100U);
  EXPECT_EQ(split.part("forget").size(), 10U);  // a tenth of train
  EXPECT_EQ(split.part("test").front(), 100);
  EXPECT_EQ(split.part("test").size(), 40U);
  EXPECT_EQ(split.parts.size(), 4U);
}

TEST(Split, StratifiesToCountsByHand) {
  // 103 training rows of 4 classes: 26, 26, 26, 25. Of 30: quotas 7.573 (three times) and 7.282:
  // floors 28, the two left go to classes 0 and 1.
  const Dataset dataset = small_dataset({.train = 103});
  const Split split = split_of(dataset, {{"train", 30}, {"validation", 13}, {"test", 10}});
  EXPECT_EQ(class_counts(dataset, split.part("train")), (Counts{8, 8, 7, 7}));
  // Left are 18, 18, 19, 18 of 73. Of 13: quotas 3.205, 3.205, 3.384, 3.205: one left, to class 2.
  EXPECT_EQ(class_counts(dataset, split.part("validation")), (Counts{3, 3, 4, 3}));
  // 40 test rows, rows 103 to 142: 10 of each; of 10: quotas 2.5, the two left to classes 0 and 1.
  EXPECT_EQ(class_counts(dataset, split.part("test")), (Counts{3, 3, 2, 2}));
  // A tenth of train: 3 rows; quotas .8, .8, .7, .7: none, then classes 0, 1 and 2.
  EXPECT_EQ(class_counts(dataset, split.part("forget")), (Counts{1, 1, 1, 0}));
}

TEST(Split, StratifiesBySubclassWhenAsked) {
  // 2 classes of 5 subclasses, 10 test rows each: 50 calibration rows are 5 of every subclass.
  const Dataset dataset = small_dataset({.train = 200, .test = 100, .classes = 2, .subclasses = 5});
  const Split split =
      split_of(dataset, {{"calibration", 50}, {"holdout", "test"}, {"stratified", "subclass"}},
               {{"kind", "random"}, {"count", 40}, {"stratified", "subclass"}});
  std::map<std::int64_t, int> calibration, forget;
  for (const std::int64_t row : split.part("calibration")) {
    ++calibration[dataset.subclasses[static_cast<std::size_t>(row)]];
  }
  for (const std::int64_t row : split.part("forget")) {
    ++forget[dataset.subclasses[static_cast<std::size_t>(row)]];
  }
  ASSERT_EQ(calibration.size(), 10U);
  for (const auto& [subclass, rows] : calibration) EXPECT_EQ(rows, 5) << subclass;
  for (const auto& [subclass, rows] : forget) EXPECT_EQ(rows, 4) << subclass;
  EXPECT_EQ(split.part("train").size(), 200U);
  EXPECT_TRUE(holds(error_of([] {
                      split_of(small_dataset({}), {{"stratified", "subclass"}, {"test", 4}});
                    }),
                    {"stratified", "no subclasses"}));
}

TEST(Split, DrawsPlainlyWhenAsked) {
  const Dataset dataset = small_dataset({.train = 1000});
  const Split split = split_of(dataset, {{"train", 400}, {"stratified", false}});
  EXPECT_EQ(split.part("train").size(), 400U);
  EXPECT_NE(class_counts(dataset, split.part("train")), (Counts{100, 100, 100, 100}));
}

TEST(Split, PartsAreSoundForManyRequests) {
  const Dataset dataset = small_dataset({.train = 200, .test = 60, .subjects = 20});
  for (const char* holdout : {"train", "test"}) {
    for (const bool stratified : {true, false}) {
      for (const int train : {0, 70}) {
        for (const int test : {0, 20}) {
          const Split split = split_of(dataset, {{"seed", 5},
                                                 {"train", train},
                                                 {"validation", 17},
                                                 {"calibration", 11},
                                                 {"shadow", 40},
                                                 {"test", test},
                                                 {"stratified", stratified},
                                                 {"holdout", holdout}});
          expect_sound(split);
          const std::size_t moved = std::string(holdout) == "test" ? 28U : 0U;
          EXPECT_EQ(split.part("train").size(), train > 0 ? 70U : 132U + moved);
          EXPECT_EQ(split.part("validation").size(), 17U);
          EXPECT_EQ(split.part("calibration").size(), 11U);
          EXPECT_EQ(split.part("shadow").size(), 40U);
          EXPECT_LT(split.part("shadow").back(), 200);
          EXPECT_EQ(split.part("test").size(), test > 0 ? 20U : 60U - moved);
          EXPECT_GE(split.part("test").front(), 200);
          EXPECT_EQ(split.part("calibration").front() >= 200, moved > 0);
        }
      }
    }
  }
}

TEST(Split, AddingAPartLeavesWhatWasDrawnBefore) {
  const Dataset dataset = small_dataset({.train = 200});
  const Split few = split_of(dataset, {{"train", 80}, {"validation", 20}});
  const Split more =
      split_of(dataset, {{"train", 80}, {"validation", 20}, {"calibration", 30}, {"shadow", 50}});
  for (const char* name : {"train", "forget", "retain", "validation", "test"}) {
    EXPECT_EQ(few.part(name), more.part(name)) << name;
  }
  EXPECT_NE(few.sha256, more.sha256);
}

TEST(Split, DrawsTestFromTrainingRowsIfThereIsNoTestPart) {
  const Dataset dataset = small_dataset({.train = 100, .test = 0});
  const Split split = split_of(dataset, {{"test", 20}, {"calibration", 10}});
  expect_sound(split);
  EXPECT_EQ(split.part("test").size(), 20U);
  EXPECT_EQ(split.part("train").size(), 70U);
  EXPECT_TRUE(holds(error_of([&] { split_of(dataset); }),
                    {"[split]: test: the data set small has no test part", "of its 100"}));
  EXPECT_TRUE(holds(error_of([&] {
                      split_of(dataset, {{"test", 20}, {"holdout", "test"}});
                    }),
                    {"holdout", "no test part"}));
}

TEST(Split, IsReproducible) {
  const Dataset dataset = small_dataset({});
  const Json sizes = {{"seed", 3}, {"train", 60}, {"validation", 10}};
  const Split once = split_of(dataset, sizes, {{"fraction", 0.2}});
  const Split again = split_of(dataset, {{"validation", 10}, {"train", 60}, {"seed", 3}},
                               {{"kind", "random"}, {"fraction", 0.2}});
  EXPECT_EQ(once.sha256, again.sha256);  // written order and spelt-out defaults do not matter
  EXPECT_EQ(once.parts, again.parts);
  const Split other = split_of(dataset, {{"seed", 4}, {"train", 60}, {"validation", 10}});
  EXPECT_NE(once.part("train"), other.part("train"));
  // The seed of [forget] changes who is forgotten and nothing else.
  const Split reseeded = split_of(dataset, sizes, {{"fraction", 0.2}, {"seed", 9}});
  EXPECT_EQ(once.part("train"), reseeded.part("train"));
  EXPECT_NE(once.part("forget"), reseeded.part("forget"));
  // Other data, other split, even with the same rows in it.
  Dataset changed = dataset;
  changed.values[0] = 5;
  finish(changed);
  EXPECT_NE(split_of(changed, sizes, {{"fraction", 0.2}}).sha256, once.sha256);
}

TEST(Split, StaysTheSameFromVersionToVersion) {
  // Made by this program when splits were introduced; there is no other source. A change here
  // gives every split, and so every model in people's pools, another name.
  const Split split = split_of(small_dataset({.train = 20, .test = 4}),
                               {{"train", 10}, {"calibration", 4}}, {{"count", 2}});
  EXPECT_EQ(split.part("train"), (Rows{0, 1, 2, 3, 5, 8, 11, 12, 13, 18}));
  EXPECT_EQ(split.part("forget"), (Rows{12, 13}));
  EXPECT_EQ(split.part("calibration"), (Rows{7, 14, 16, 17}));
  EXPECT_EQ(split.sha256, "9405cd9ea4432dba2a2c31f048217da3e406fcbfde037b77780d57a27306fad6");
  // By Python from options and parts: hashlib.sha256(json.dumps({"options": ..., "parts": ...},
  // sort_keys=True, separators=(",", ":")).encode()).hexdigest() gives the same.
}

TEST(Split, KeepsSubjectsOnOneSide) {
  const Dataset dataset = small_dataset({.train = 300, .test = 90, .subjects = 30});
  const Json subject = {{"kind", "subject"}, {"fraction", 0.2}};
  // Train's rows are counted, or the held-out rows are, in the training and in the test part.
  const std::vector<Json> requests = {
      {{"train", 100}, {"validation", 20}, {"calibration", 20}, {"shadow", 50}},
      {{"train", 0}, {"validation", 20}, {"calibration", 20}, {"shadow", 50}},
      {{"train", 0}, {"test", 25}, {"calibration", 20}},
      {{"train", 0}, {"test", 10}, {"calibration", 20}, {"holdout", "test"}}};
  for (const Json& request : requests) {
    for (int seed = 0; seed < 5; ++seed) {
      Json sizes = request;
      sizes["seed"] = seed;
      const Split split = split_of(dataset, sizes, subject);
      expect_sound(split);
      for (const char* name : {"train", "validation", "calibration", "shadow", "test"}) {
        const auto wanted = static_cast<std::size_t>(sizes.value(name, 0));
        if (wanted == 0) continue;
        EXPECT_EQ(split.part(name).size(), wanted) << name;
      }
      const auto train = subjects_of(dataset, split, "train");
      for (const char* name : {"validation", "calibration", "shadow", "test"}) {
        EXPECT_FALSE(share(train, subjects_of(dataset, split, name))) << name << " " << sizes;
      }
      EXPECT_FALSE(
          share(subjects_of(dataset, split, "forget"), subjects_of(dataset, split, "retain")));
    }
  }
  // Without the rule, the same request mixes them (each subject is in both parts of the data).
  const Split mixed = split_of(dataset, {{"train", 100}, {"subject_disjoint", false}}, subject);
  EXPECT_TRUE(share(subjects_of(dataset, mixed, "train"), subjects_of(dataset, mixed, "test")));
  EXPECT_FALSE(share(subjects_of(dataset, mixed, "forget"), subjects_of(dataset, mixed, "retain")));
  // The rule can be had with any other kind.
  const Split random = split_of(dataset, {{"train", 100}, {"subject_disjoint", true}});
  EXPECT_FALSE(share(subjects_of(dataset, random, "train"), subjects_of(dataset, random, "test")));
}

TEST(Split, TakesAllOfATestPartWithSubjectsOfItsOwn) {
  Dataset dataset = small_dataset({.train = 100, .test = 40, .subjects = 10});
  for (std::size_t row = 100; row < 140; ++row) dataset.subjects[row] += 1000;
  finish(dataset);
  const Split split = split_of(dataset, Json(), {{"kind", "subject"}, {"count", 2}});
  EXPECT_EQ(split.part("train").size(), 100U);
  EXPECT_EQ(split.part("test").size(), 40U);
}

TEST(Split, RefusesTheImpossible) {
  const Dataset dataset = small_dataset({.subjects = 10});
  const auto refusal = [&](const Json& sizes, const Json& forget = Json()) {
    return error_of([&] { split_of(dataset, sizes, forget); });
  };
  EXPECT_EQ(refusal({{"train", 101}}),
            "[split]: train: 101 rows are asked for, but of the 100 rows of the training part 100 "
            "are left: ask for fewer here or in other parts");
  EXPECT_EQ(refusal({{"train", 90}, {"validation", 5}, {"calibration", 6}}),
            "[split]: calibration: 6 rows are asked for, but of the 100 rows of the training part "
            "5 are left: ask for fewer here or in other parts, or set holdout = \"test\"");
  EXPECT_EQ(refusal({{"test", 41}}),
            "[split]: test: 41 rows are asked for, but of the 40 rows of the test part 40 are "
            "left: ask for fewer here or in other parts");
  EXPECT_TRUE(holds(refusal({{"shadow", 100}}), {"train: no rows are left"}));
  EXPECT_TRUE(
      holds(refusal({{"validation", 40}, {"holdout", "test"}}), {"test: no rows are left"}));
  EXPECT_TRUE(holds(refusal({{"train", -1}}), {"train: -1 rows", "0 or more"}));
  EXPECT_TRUE(holds(refusal({{"seed", -1}}), {"seed", "0 or more"}));
  EXPECT_TRUE(holds(refusal({{"train", 1.5}}), {"whole number"}));
  EXPECT_EQ(refusal({{"shadow", 4'000'000'000'000'000'000}}),
            "[split]: shadow: 4000000000000000000 rows are asked for, but the data set small has "
            "140: ask for fewer");
  EXPECT_TRUE(holds(refusal({{"holdout", "tets"}}), {"did you mean 'test'"}));
  EXPECT_TRUE(holds(refusal({{"validaton", 5}}), {"did you mean 'validation'"}));
  EXPECT_TRUE(holds(refusal(Json(), {{"fractoin", 0.1}}), {"did you mean 'fraction'"}));
  // Every subject is in both parts: all of train leaves nobody to test on.
  EXPECT_TRUE(holds(refusal(Json(), {{"kind", "subject"}}),
                    {"test: no rows are left", "no subject may be both", "give it a count"}));
  EXPECT_TRUE(holds(refusal({{"train", 100}, {"validation", 1}}, {{"kind", "subject"}}),
                    {"validation: 1 rows", "no subject may be both"}));
  const Dataset nobody = small_dataset({});
  EXPECT_TRUE(holds(error_of([&] {
                      split_of(nobody, {{"subject_disjoint", true}});
                    }),
                    {"subject_disjoint", "has no subjects"}));
}

TEST(Split, NamesAMissingPart) {
  const Split split = split_of(small_dataset({}), Json(), {{"kind", "none"}});
  EXPECT_EQ(split.part("retain"), split.part("train"));
  EXPECT_EQ(error_of([&] { split.part("calibration"); }),
            "the split has no calibration part, only retain, test, train: ask for it in [split]");
  EXPECT_TRUE(holds(error_of([&] { split.part("forget"); }), {"in [forget]"}));
}

}  // namespace
}  // namespace vestige::data
