// Who is forgotten, kind by kind: sets by hand, counts, and requests that cannot be met.
#include "vestige/data/splits/forget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/data/small_dataset.h"
#include "tests/support.h"
#include "vestige/base/file.h"
#include "vestige/evidence/formats/npy.h"

namespace vestige::data {
namespace {

using testing::class_counts;
using testing::small_dataset;
using testing::split_of;
using vestige::testing::error_of;
using vestige::testing::holds;
using vestige::testing::TemporaryFolder;
using Counts = std::vector<std::size_t>;

Rows chosen(const Dataset& dataset, const Rows& train, const Json& table, std::uint64_t seed = 0) {
  Options options(table, "[forget]");
  return choose_forgotten(dataset, train, options, seed);
}

/// Rows 0 to 59 of 4 classes, 10 subjects with 6 rows each, 8 subclasses.
const Dataset& people() {
  static const Dataset dataset =
      small_dataset({.train = 60, .test = 0, .subjects = 10, .subclasses = 2});
  return dataset;
}

Rows all_rows() {
  Rows rows;
  for (std::int64_t row = 0; row < 60; ++row) rows.push_back(row);
  return rows;
}

std::string refusal(const Json& table) {
  return error_of([&] { chosen(people(), all_rows(), table); });
}

TEST(Forget, RandomTakesAFractionOrACount) {
  EXPECT_EQ(chosen(people(), all_rows(), Json()).size(), 6U);
  // 60 rows, 15 of each class. Of 10: quotas 2.5, the two left to classes 0 and 1.
  const Rows ten = chosen(people(), all_rows(), {{"count", 10}});
  EXPECT_EQ(class_counts(people(), ten), (Counts{3, 3, 2, 2}));
  EXPECT_TRUE(std::is_sorted(ten.begin(), ten.end()));
  EXPECT_EQ(chosen(people(), all_rows(), {{"fraction", 0.25}}).size(), 15U);
  EXPECT_EQ(chosen(people(), all_rows(), {{"fraction", 0.25}, {"stratified", false}}).size(), 15U);
  EXPECT_EQ(chosen(people(), all_rows(), {{"count", 59}}).size(), 59U);
}

TEST(Forget, SeedDefaultsToTheSplits) {
  const Json table = {{"count", 20}};
  EXPECT_EQ(chosen(people(), all_rows(), table, 7),
            chosen(people(), all_rows(), {{"count", 20}, {"seed", 7}}, 1));
  EXPECT_NE(chosen(people(), all_rows(), table, 7), chosen(people(), all_rows(), table, 8));
}

TEST(Forget, ClassTakesItsRowsOfTrainOnly) {
  const Rows train = {0, 1, 2, 3, 4, 5, 10, 11};  // labels 0 1 2 3 0 1 2 3
  EXPECT_EQ(chosen(people(), train, {{"kind", "class"}, {"classes", {1}}}), (Rows{1, 5}));
  EXPECT_EQ(chosen(people(), train, {{"kind", "class"}, {"classes", {3, 0}}}), (Rows{0, 3, 4, 11}));
}

TEST(Forget, ClassesInTurnAreTheSeeds) {
  // 4 classes: seeds 1, 2, 3, 4 take classes 1, 2, 3, 0.
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Rows rows = chosen(people(), all_rows(), {{"kind", "class"}, {"in_turn", true}}, seed);
    const Json named = {{"kind", "class"}, {"classes", {seed % 4}}};
    EXPECT_EQ(rows, chosen(people(), all_rows(), named));
  }
  EXPECT_TRUE(holds(
      error_of([] {
        chosen(people(), all_rows(), {{"kind", "class"}, {"in_turn", true}, {"classes", {1}}});
      }),
      {"in_turn", "classes"}));
}

TEST(Forget, PartialClassCountsPerClass) {
  const Json some = {{"kind", "partial_class"}, {"classes", {1, 3}}};
  Json table = some;
  table["count"] = 5;
  EXPECT_EQ(class_counts(people(), chosen(people(), all_rows(), table)), (Counts{0, 5, 0, 5}));
  table = some;
  table["fraction"] = 0.4;  // of 15
  EXPECT_EQ(class_counts(people(), chosen(people(), all_rows(), table)), (Counts{0, 6, 0, 6}));
  table["fraction"] = 1;
  EXPECT_EQ(chosen(people(), all_rows(), table),
            chosen(people(), all_rows(), {{"kind", "class"}, {"classes", {1, 3}}}));
}

TEST(Forget, PartOfAClassMayBeInTurnToo) {
  // IAM's trials: 10 % of class 0, then of class 1, ...; 4 of 15 rows here.
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Json table = {{"kind", "partial_class"}, {"in_turn", true}, {"count", 4}};
    Counts expected{0, 0, 0, 0};
    expected[seed % 4] = 4;
    EXPECT_EQ(class_counts(people(), chosen(people(), all_rows(), table, seed)), expected);
  }
}

TEST(Forget, SubclassTakesItsRows) {
  // Row i has subclass i % 4 + 4 * (i / 4 % 2): 6 are the rows 6, 14, 22, ...
  EXPECT_EQ(chosen(people(), all_rows(), {{"kind", "subclass"}, {"subclasses", {6}}}),
            (Rows{6, 14, 22, 30, 38, 46, 54}));
}

TEST(Forget, SubjectsGoWhole) {
  // Subject 4 has rows 12 to 14 and 42 to 44.
  EXPECT_EQ(chosen(people(), all_rows(), {{"kind", "subject"}, {"subjects", {4}}}),
            (Rows{12, 13, 14, 42, 43, 44}));
  EXPECT_EQ(chosen(people(), all_rows(), {{"kind", "subject"}, {"count", 3}}).size(), 18U);
  // A fifth is 12 rows: two subjects; a quarter is 15: three; a tenth, the default: one.
  EXPECT_EQ(chosen(people(), all_rows(), {{"kind", "subject"}, {"fraction", 0.2}}).size(), 12U);
  EXPECT_EQ(chosen(people(), all_rows(), {{"kind", "subject"}, {"fraction", 0.25}}).size(), 18U);
  EXPECT_EQ(chosen(people(), all_rows(), {{"kind", "subject"}}).size(), 6U);
  // Of subjects with 6 rows each, 3 fit into 20 rows and 2 into 17.
  EXPECT_EQ(chosen(people(), all_rows(), {{"kind", "subject"}, {"rows", 20}}).size(), 18U);
  EXPECT_EQ(chosen(people(), all_rows(), {{"kind", "subject"}, {"rows", 17}}).size(), 12U);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Rows rows = chosen(people(), all_rows(), {{"kind", "subject"}, {"count", 4}}, seed);
    std::set<std::int64_t> subjects;
    for (const std::int64_t row : rows) {
      subjects.insert(people().subjects[static_cast<std::size_t>(row)]);
    }
    EXPECT_EQ(subjects.size(), 4U);
    EXPECT_EQ(rows.size(), 24U);  // all six rows of each
  }
}

TEST(Forget, ListsComeAsTextCsvOrNpy) {
  const TemporaryFolder folder;
  write_file(folder / "rows.txt", "7\n3\n59\n");
  write_file(folder / "ranking.csv", "row,loss\n7,2.5\n3,1.25\n59,0.5\n");
  write_file(folder / "rows.npy",
             evidence::write_npy(evidence::Array::from_integers({7, 3, 59}, {3})));
  for (const char* name : {"rows.txt", "ranking.csv", "rows.npy"}) {
    EXPECT_EQ(read_row_list(folder / name), (Rows{7, 3, 59})) << name;
    for (const char* kind : {"list", "hardest"}) {
      EXPECT_EQ(chosen(people(), all_rows(), {{"kind", kind}, {"file", (folder / name).string()}}),
                (Rows{3, 7, 59}));
    }
  }
}

TEST(Forget, AListsPlaceDoesNotNameTheSplit) {
  const TemporaryFolder folder;
  const Dataset dataset = small_dataset({});
  write_file(folder / "a.txt", "1\n2\n");
  write_file(folder / "b.txt", "1\n2\n");
  write_file(folder / "c.txt", "1\n3\n");
  const auto split = [&](const char* name, const char* kind) {
    return split_of(dataset, Json(), {{"kind", kind}, {"file", (folder / name).string()}});
  };
  EXPECT_EQ(split("a.txt", "list").sha256, split("b.txt", "list").sha256);
  EXPECT_NE(split("a.txt", "list").sha256, split("c.txt", "list").sha256);
  EXPECT_NE(split("a.txt", "list").sha256, split("a.txt", "hardest").sha256);
  EXPECT_EQ(split("a.txt", "hardest").options.at("forget").at("kind"), "hardest");
}

TEST(Forget, TheOldNameOfHardestNamesTheNewOne) {
  EXPECT_TRUE(holds(refusal({{"kind", "worst_case"}, {"file", "rows.txt"}}),
                    {"worst_case", "now called", "hardest"}));
}

TEST(Forget, RefusesBadLists) {
  const TemporaryFolder folder;
  const auto list = [&](const std::string& name, std::string_view content) {
    write_file(folder / name, content);
    return refusal({{"kind", "list"}, {"file", (folder / name).string()}});
  };
  EXPECT_TRUE(holds(list("a.txt", "1\n60\n"), {"a.txt: row 60 is not among the 60 rows of train"}));
  EXPECT_TRUE(holds(list("a.txt", "1\n-1\n"), {"row -1 is not among"}));
  EXPECT_TRUE(holds(list("a.txt", "1\n2\n1\n"), {"row 1 is listed twice"}));
  EXPECT_TRUE(holds(list("a.txt", "1\n2.5\n"), {"a.txt: item 1 is 2.5"}));
  EXPECT_TRUE(holds(list("a.txt", "1\nx\n"), {"a.txt line 2", "'x'"}));
  EXPECT_TRUE(holds(list("a.txt", ""), {"a.txt is empty"}));
  EXPECT_TRUE(holds(list("a.npy", "nothing"), {"a.npy"}));
  EXPECT_TRUE(holds(list("b.npy", evidence::write_npy(evidence::Array::from_integers({}, {0}))),
                    {"b.npy", "[0]"}));
  EXPECT_TRUE(
      holds(refusal({{"kind", "list"}, {"file", (folder / "no.txt").string()}}), {"no.txt"}));
  EXPECT_TRUE(holds(refusal({{"kind", "list"}}), {"[forget]: file: name a file"}));
}

TEST(Forget, RefusesTheImpossible) {
  EXPECT_EQ(refusal({{"count", 61}}),
            "[forget]: count: 61 to forget, but there are 60 rows in train: ask for fewer");
  EXPECT_EQ(refusal({{"count", 60}}),
            "[forget]: all 60 rows of train would be forgotten: leave some to retain");
  EXPECT_TRUE(holds(refusal({{"fraction", 1}}), {"all 60 rows"}));
  EXPECT_TRUE(holds(refusal({{"fraction", 0}}), {"above 0 and at most 1"}));
  EXPECT_TRUE(holds(refusal({{"fraction", 1.5}}), {"1.5"}));
  EXPECT_TRUE(holds(refusal({{"fraction", std::nan("")}}), {"above 0"}));
  EXPECT_TRUE(holds(refusal({{"fraction", 0.001}}), {"of the 60 rows of train is less than one"}));
  EXPECT_TRUE(holds(refusal({{"count", 0}}), {"must be 1 or more"}));
  EXPECT_TRUE(holds(refusal({{"count", 5}, {"fraction", 0.1}}), {"give one of the two"}));
  EXPECT_TRUE(holds(refusal({{"kind", "clas"}}), {"did you mean 'class'"}));
  EXPECT_TRUE(holds(refusal({{"kind", "class"}}), {"classes: name at least one"}));
  EXPECT_EQ(refusal({{"kind", "class"}, {"classes", {7}}}),
            "[forget]: classes: 7 is not in train, which has 4 of them, from 0 to 3: correct it");
  EXPECT_TRUE(holds(refusal({{"kind", "class"}, {"classes", {1, 1}}}), {"named twice"}));
  EXPECT_TRUE(holds(refusal({{"kind", "class"}, {"classes", {0, 1, 2, 3}}}), {"all 60 rows"}));
  EXPECT_TRUE(holds(refusal({{"kind", "class"}, {"classes", {0}}, {"count", 3}}), {"'count'"}));
  EXPECT_TRUE(
      holds(refusal({{"kind", "partial_class"}, {"classes", {0}}}), {"give fraction or count"}));
  EXPECT_TRUE(holds(refusal({{"kind", "partial_class"}, {"classes", {0}}, {"count", 16}}),
                    {"16 to forget, but there are 15 rows of class 0"}));
  EXPECT_TRUE(holds(refusal({{"kind", "subclass"}, {"subclasses", {8}}}), {"8 is not in train"}));
  EXPECT_TRUE(holds(refusal({{"kind", "subject"}, {"rows", 5}}), {"more than 5 rows"}));
  EXPECT_TRUE(
      holds(refusal({{"kind", "subject"}, {"rows", 6}, {"count", 1}}), {"one of the three"}));
  EXPECT_TRUE(holds(refusal({{"kind", "subject"}, {"count", 11}}), {"10 subjects in train"}));
  EXPECT_TRUE(holds(refusal({{"kind", "subject"}, {"count", 10}}), {"all 60 rows"}));
  EXPECT_TRUE(holds(refusal({{"kind", "subject"}, {"subjects", {1}}, {"count", 1}}),
                    {"give one of the four"}));
  const Dataset plain = small_dataset({.train = 60});
  for (const char* kind : {"subject", "subclass"}) {
    EXPECT_TRUE(holds(error_of([&] {
                        chosen(plain, all_rows(), {{"kind", kind}});
                      }),
                      {"the data set small has no sub"}));
  }
}

TEST(Forget, NoneForgetsNobody) {
  EXPECT_EQ(chosen(people(), all_rows(), {{"kind", "none"}}), Rows{});
}

}  // namespace
}  // namespace vestige::data
