// Tables from npz and CSV, written here.
#include <cmath>

#include "tests/data/loader_support.h"
#include "tests/support/evidence_folder.h"

namespace vestige {
namespace {

using evidence::DType;
using testing::array_of;
using testing::EvidenceFolder;
using testing::holds;
using testing::Labels;
using testing::load;
using testing::load_error;
using testing::put_file;
using testing::TemporaryFolder;
using Values = std::vector<float>;

class CsvTable : public ::testing::Test {
 protected:
  Json table(const std::string& content, const Json& more = Json::object()) {
    put_file(folder / "t.csv", content);
    Json all = {{"name", "table"}, {"path", (folder / "t.csv").string()}};
    all.update(more);
    return all;
  }
  TemporaryFolder folder;
};

TEST_F(CsvTable, LabelsInTheFirstColumn) {
  const data::Dataset set = load(table("0,1.5,2\n2,-3,4\n1,5,6\n"));
  EXPECT_EQ(set.labels, (Labels{0, 2, 1}));
  EXPECT_EQ(set.values, (Values{1.5F, 2, -3, 4, 5, 6}));
  EXPECT_EQ(set.shape, (Labels{2}));
  EXPECT_EQ(set.classes, 3);
  EXPECT_EQ(set.train_rows, 3U);
  // Column means (1.5 - 3 + 5) / 3 and 4; deviation of 2, 4, 6 is sqrt(8 / 3).
  EXPECT_NEAR(set.mean[0], 3.5 / 3, 1e-6);
  EXPECT_NEAR(set.deviation[1], std::sqrt(8.0 / 3), 1e-6);
}

TEST_F(CsvTable, LabelsByNameOrNumber) {
  const std::string text = "a, \"b\",kind\n1,2,0\n3,4,1\n";
  for (const Json& label : {Json("kind"), Json(2)}) {
    const data::Dataset set = load(table(text, {{"label", label}, {"train_rows", 1}}));
    EXPECT_EQ(set.labels, (Labels{0, 1}));
    EXPECT_EQ(set.values, (Values{1, 2, 3, 4}));
    EXPECT_EQ(set.train_rows, 1U);
  }
  EXPECT_EQ(load(table(text, {{"label", "b"}, {"classes", 5}})).labels, (Labels{2, 4}));
  // A byte order mark and a comma in quotes belong to no name.
  const std::string marked = "\xef\xbb\xbfmy kind,\"b, c\"\r\n1,2\r\n0,4\r\n";
  EXPECT_EQ(load(table(marked, {{"label", "my kind"}})).labels, (Labels{1, 0}));
  EXPECT_EQ(load(table(marked, {{"label", "b, c"}})).labels, (Labels{2, 4}));
}

TEST_F(CsvTable, LabelsFromOneAreShiftedAndThatIsRecorded) {
  const auto first_label = [&](const std::string& content, const Json& more) {
    Options options(table(content, more), "recipe");
    const data::Dataset set = data::load(options);
    EXPECT_EQ(set.labels[0], 1 - options.used().at("first_label").get<std::int64_t>());
    return options.used().at("first_label").get<std::int64_t>();
  };
  EXPECT_EQ(first_label("1,7\n3,8\n", Json::object()), 1);
  EXPECT_EQ(first_label("1,7\n0,8\n", Json::object()), 0);
  EXPECT_EQ(first_label("1,7\n3,8\n", {{"classes", 4}}), 0);  // fits as it is
  EXPECT_EQ(first_label("1,7\n3,8\n", {{"classes", 3}}), 1);
  EXPECT_EQ(first_label("1,7\n3,8\n", {{"first_label", 0}}), 0);
}

TEST_F(CsvTable, BadContent) {
  EXPECT_TRUE(holds(load_error(table("1.5,2\n")), {"row 0", "label 1.5", "whole"}));
  EXPECT_TRUE(holds(load_error(table("nan,2\n")), {"row 0", "label nan"}));
  EXPECT_TRUE(holds(load_error(table("1\n2\n")), {"single column"}));
  EXPECT_TRUE(holds(load_error(table("0,1\n1,x\n")), {"t.csv line 2 column 2", "'x'"}));
  EXPECT_TRUE(holds(load_error(table("0,1\n1,inf\n")), {"row 1", "not finite"}));
  EXPECT_TRUE(holds(load_error(table("0,1\n5,2\n", {{"classes", 5}})), {"label 5", "0 to 4"}));
  EXPECT_TRUE(holds(load_error(table("0,1\n-1,2\n")), {"label -1"}));
  EXPECT_TRUE(holds(load_error(table("0,1\n", {{"label", 2}})), {"2 columns", "label is 2"}));
  EXPECT_TRUE(holds(load_error(table("kind,b\n0,1\n", {{"label", "knd"}})),
                    {"no column 'knd'", "did you mean 'kind'"}));
  EXPECT_TRUE(holds(load_error(table("0,1\n", {{"train_rows", 2}})), {"train_rows", "1 to 1"}));
  EXPECT_TRUE(holds(load_error(table("0,1\n", {{"first_label", 2}})), {"first_label", "0 or 1"}));
}

class NpzTable : public ::testing::Test {
 protected:
  NpzTable() {
    arrays.put("features", array_of(DType::float64, {1, 2, 3, 4, 5, 6}, {3, 2}));
    arrays.put("labels", array_of(DType::int64, {1, 0, 1}, {3}));
  }
  Json table(const char* name = "table") const {
    return {{"name", name}, {"path", arrays.write_npz().string()}};
  }
  EvidenceFolder arrays;
};

TEST_F(NpzTable, FeaturesAndLabels) {
  const data::Dataset set = load(table());
  EXPECT_EQ(set.values, (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(set.labels, (Labels{1, 0, 1}));
  EXPECT_EQ(set.train_rows, 3U);
  EXPECT_EQ(set.classes, 2);
}

TEST_F(NpzTable, TestPartAndOneHotLabels) {
  arrays.put("labels", array_of(DType::uint8, {0, 0, 1, 1, 0, 0, 0, 0, 1}, {3, 3}));
  arrays.put("features_test", array_of(DType::uint8, {1, 0}, {1, 2}));
  arrays.put("labels_test", array_of(DType::float32, {1}, {1, 1}));
  const data::Dataset set = load(table());
  EXPECT_EQ(set.labels, (Labels{2, 0, 2, 1}));
  EXPECT_EQ(set.train_rows, 3U);
  EXPECT_EQ(set.values[6], 1);
  EXPECT_EQ(set.values[7], 0);
}

TEST_F(NpzTable, BadContent) {
  arrays.put("labels", array_of(DType::int64, {1, 0}, {2}));
  EXPECT_TRUE(holds(load_error(table()), {"3 rows of inputs but 2 labels"}));
  arrays.put("labels", array_of(DType::int64, {1, 1, 0, 1, 0, 1}, {3, 2}));
  EXPECT_TRUE(holds(load_error(table()), {"row 0 of labels", "one-hot"}));
  arrays.put("labels", array_of(DType::float32, {1, 0.5, 0}, {3}));
  EXPECT_TRUE(holds(load_error(table()), {"labels in", "0.5"}));
  arrays.put("labels", array_of(DType::int64, {1, 0, 9e18}, {3}));
  EXPECT_TRUE(holds(load_error(table()), {"cannot be a label"}));
  arrays.remove("labels");
  EXPECT_TRUE(holds(load_error(table()), {"no array 'labels'", "it holds features"}));
  arrays.put("labels", array_of(DType::int64, {1, 0, 1}, {3}));
  arrays.put("features", array_of(DType::float64, {1, 2, 3}, {3}));
  EXPECT_TRUE(holds(load_error(table()), {"features", "[3]", "[rows, columns]"}));
  arrays.put("features", array_of(DType::float64, {1, 2, 3}, {3, 1}));
  arrays.put("features_test", array_of(DType::float64, {1, 2}, {1, 2}));
  EXPECT_TRUE(holds(load_error(table()), {"1 training columns but 2 test columns"}));
  Json with_label = table();
  with_label["label"] = 0;
  EXPECT_TRUE(holds(load_error(with_label), {"label", "an npz has no label column"}));
}

TEST_F(NpzTable, NoRows) {
  arrays.put("features", array_of(DType::float64, {}, {0, 2}));
  arrays.put("labels", array_of(DType::int64, {}, {0}));
  EXPECT_TRUE(holds(load_error(table()), {"no rows"}));
}

TEST_F(NpzTable, TruncatedArchive) {
  const std::filesystem::path path = arrays.write_npz();
  const std::string whole = read_file(path);
  put_file(path, whole.substr(0, whole.size() / 2));
  const Json options = {{"name", "table"}, {"path", path.string()}};
  EXPECT_FALSE(load_error(options).empty());
}

TEST_F(NpzTable, Purchase100) {
  EXPECT_TRUE(holds(load_error(table("purchase100")), {"2 columns", "600"}));
  // The original text: the class from 1 to 100, then 600 columns, no header.
  const TemporaryFolder folder;
  std::string text;
  for (const int label : {100, 1, 42}) {
    text += std::to_string(label);
    for (int column = 0; column < 600; ++column) text += column % label == 0 ? ",1" : ",0";
    text += "\n";
  }
  put_file(folder / "dataset_purchase", text);
  const data::Dataset set = load({{"name", "purchase100"}, {"path", folder.path().string()}});
  EXPECT_EQ(set.labels, (Labels{99, 0, 41}));
  EXPECT_EQ(set.classes, 100);
  EXPECT_EQ(set.shape, (Labels{600}));
  EXPECT_EQ(set.values[100], 1);
  EXPECT_EQ(set.values[101], 0);
  std::filesystem::remove(folder / "dataset_purchase");
  EXPECT_TRUE(holds(load_error({{"name", "purchase100"}, {"path", folder.path().string()}}),
                    {"purchase100.npz does not exist", "Shokri"}));
}

}  // namespace
}  // namespace vestige
