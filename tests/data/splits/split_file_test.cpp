// Splits as files, whole or damaged, and as text for people.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/data/small_dataset.h"
#include "tests/support.h"
#include "vestige/base/file.h"
#include "vestige/data/splits/draw.h"
#include "vestige/data/splits/split.h"

namespace vestige::data {
namespace {

using testing::small_dataset;
using testing::split_of;
using vestige::testing::error_of;
using vestige::testing::holds;
using vestige::testing::TemporaryFolder;
using Counts = std::vector<std::size_t>;

TEST(SplitFile, ComesBackTheSame) {
  const TemporaryFolder folder;
  const Dataset dataset = small_dataset({});
  const Split split = split_of(dataset, {{"train", 60}, {"shadow", 10}}, {{"fraction", 0.3}});
  write_split(split, folder / "split.json");
  const Split back = read_split(folder / "split.json");
  EXPECT_EQ(back.parts, split.parts);
  EXPECT_EQ(back.options, split.options);
  EXPECT_EQ(back.sha256, split.sha256);
  const Json json = Json::parse(read_file(folder / "split.json"));
  EXPECT_EQ(json.at("schema"), 1);
  EXPECT_EQ(json.at("options").at("data").at("sha256"), dataset.sha256);
  EXPECT_EQ(json.at("options").at("split").at("validation"), 0);  // defaults are written too
  write_split(split, folder / "again.json");
  EXPECT_EQ(read_file(folder / "again.json"), read_file(folder / "split.json"));
}

TEST(SplitFile, RefusesDamage) {
  const TemporaryFolder folder;
  const Split split = split_of(small_dataset({}), {{"train", 60}, {"validation", 10}});
  write_split(split, folder / "split.json");
  const std::string good = read_file(folder / "split.json");
  const auto refusal = [&](const std::string& content) {
    std::ofstream(folder / "bad.json") << content;  // not synced, and so much faster
    return error_of([&] { read_split(folder / "bad.json"); });
  };
  for (std::size_t length = 0; length + 2 < good.size(); length += 13) {
    ASSERT_TRUE(holds(refusal(good.substr(0, length)), {"bad.json", "vestige split"}));
  }
  EXPECT_TRUE(holds(refusal("[1, 2]"), {"is not a split"}));
  EXPECT_TRUE(holds(refusal("{\"schema\": 2}"), {"schema 2"}));
  EXPECT_TRUE(holds(refusal("{\"schema\": \"x\"}"), {"is not a split"}));
  EXPECT_TRUE(holds(refusal("{\"schema\": 1e300}"), {"is not a split"}));
  const std::string head = "{\"schema\": 1, \"sha256\": \"x\", \"options\": {}, \"parts\": ";
  EXPECT_TRUE(holds(refusal(head + "{\"train\": [1e30]}}"), {"is not a split"}));
  EXPECT_TRUE(holds(refusal(head + "{\"train\": 1}}"), {"is not a split"}));
  EXPECT_TRUE(holds(refusal(head + "[1]}"), {"is not a split"}));
  EXPECT_TRUE(holds(refusal(head + "{}}"), {"was changed"}));
  std::string changed = good;
  changed.replace(changed.find("\"seed\":0"), 8, "\"seed\":1");
  EXPECT_TRUE(holds(refusal(changed), {"was changed after it was made"}));
  EXPECT_TRUE(holds(error_of([&] { read_split(folder / "none.json"); }), {"cannot read"}));

  // A right hash over parts that are no split.
  const auto forged = [&](const std::string& name, Rows rows) {
    Split forgery = split;
    forgery.parts[name] = std::move(rows);
    forgery.sha256 = split_hash(forgery);
    write_split(forgery, folder / "forged.json");
    return error_of([&] { read_split(folder / "forged.json"); });
  };
  EXPECT_TRUE(holds(forged("validation", {3, 2}), {"validation does not ascend"}));
  EXPECT_TRUE(holds(forged("validation", {2, 2}), {"validation does not ascend"}));
  EXPECT_TRUE(holds(forged("validation", {-1, 2}), {"negative"}));
  EXPECT_TRUE(holds(forged("validation", {split.part("train")[0]}), {"share rows"}));
  EXPECT_TRUE(holds(forged("forget", {split.part("retain")[0]}), {"are not train"}));
}

TEST(SplitSummary, CountsRowsClassesAndSubjects) {
  const Dataset dataset = small_dataset({.train = 12, .test = 6, .classes = 3, .subjects = 4});
  const Split split =
      split_of(dataset, {{"subject_disjoint", false}}, {{"kind", "subject"}, {"subjects", {0}}});
  // Rows 0, 1, 2 are subject 0; 3 to 11 are subjects 1, 2, 3; test rows 12 to 17 are 0 and 1.
  const Json expected = Json::parse(R"({
    "train": {"rows": 12, "classes": [4, 4, 4], "subjects": 4},
    "forget": {"rows": 3, "classes": [1, 1, 1], "subjects": 1},
    "retain": {"rows": 9, "classes": [3, 3, 3], "subjects": 3},
    "test": {"rows": 6, "classes": [2, 2, 2], "subjects": 2}})");
  EXPECT_EQ(summary(split, dataset).at("parts"), expected);
  EXPECT_EQ(split_text(split, dataset),
            "split " + split.sha256.substr(0, 12) +
                " of small, 18 rows\n"
                "part              rows  classes  rows per class  subjects\n"
                "train               12        3               4         4\n"
                "forget               3        3               1         1\n"
                "retain               9        3               3         3\n"
                "test                 6        3               2         2\n");
  const Dataset plain = small_dataset({.train = 14, .test = 6});
  const Split by_class = split_of(plain, Json(), {{"kind", "class"}, {"classes", {2}}});
  EXPECT_TRUE(summary(by_class, plain).at("parts").at("test").at("subjects").is_null());
  EXPECT_TRUE(
      holds(split_text(by_class, plain), {"train               14        4          3 to 4\n",
                                          "forget               3        1               3\n"}));
  EXPECT_TRUE(holds(error_of([&] { summary(split, plain); }), {"make it again"}));
  for (const Json& options : {Json(), Json{{"data", 1}}, Json{{"data", {{"sha256", 1}}}}}) {
    Split other = split;
    other.options = options;
    EXPECT_TRUE(holds(error_of([&] { summary(other, dataset); }), {"make it again"}));
  }
  Split beyond = split;
  beyond.parts["test"] = {18};
  EXPECT_TRUE(holds(error_of([&] { summary(beyond, dataset); }), {"names row 18"}));
}

}  // namespace
}  // namespace vestige::data
