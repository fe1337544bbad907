// LEAF's JSON files, written here.
#include <algorithm>
#include <set>

#include "tests/data/loader_support.h"

namespace vestige {
namespace {

using testing::holds;
using testing::Labels;
using testing::load;
using testing::load_error;
using testing::put_file;
using testing::TemporaryFolder;

Json image(double first, double rest = 1.0) {
  Json values = Json::array();
  for (int place = 0; place < 784; ++place) values.push_back(place == 0 ? first : rest);
  return values;
}

Json user(const Json& images, const Json& labels) { return {{"x", images}, {"y", labels}}; }

class Femnist : public ::testing::Test {
 protected:
  Femnist() {
    for (const char* part : {"train", "test"}) std::filesystem::create_directories(folder / part);
    put("train/all_data_1.json",
        {{"users", Json::array({"f02", "f01"})},
         {"num_samples", Json::array({2, 1})},
         {"user_data",
          {{"f02", user(Json::array({image(0), image(0.5)}), Json::array({0, 61}))},
           {"f01", user(Json::array({image(0.1)}), Json::array({10}))}}}});
    put("train/all_data_0.json", good());
    put("test/all_data_0.json",
        {{"users", Json::array({"f01"})},
         {"num_samples", Json::array({1})},
         {"user_data", {{"f01", user(Json::array({image(1, 0)}), Json::array({36}))}}}});
  }
  static Json good() {
    return {{"hierarchies", Json::array()},
            {"users", Json::array({"f03"})},
            {"num_samples", Json::array({1})},
            {"user_data", {{"f03", user(Json::array({image(0.25, 0.75)}), Json::array({35}))}}}};
  }
  void put(const std::string& name, const Json& content) {
    put_file(folder / name, content.dump());
  }
  std::string error_with(const Json& content) {
    put("train/all_data_0.json", content);
    return load_error(table());
  }
  Json table() const { return {{"name", "femnist"}, {"path", folder.path().string()}}; }
  TemporaryFolder folder;
};

TEST_F(Femnist, UsersAreSubjects) {
  const data::Dataset set = load(table());
  EXPECT_EQ(set.labels, (Labels{35, 0, 61, 10, 36}));
  EXPECT_EQ(set.subjects, (Labels{2, 1, 1, 0, 0}));
  EXPECT_EQ(set.train_rows, 4U);
  EXPECT_EQ(set.shape, (Labels{1, 28, 28}));
  EXPECT_EQ(set.classes, 62);
  ASSERT_EQ(set.class_names.size(), 62U);
  // LEAF's order: digits, capitals, small letters.
  EXPECT_EQ(set.class_names[35] + set.class_names[0] + set.class_names[61] + set.class_names[10] +
                set.class_names[36],
            "Z0zAa");
  EXPECT_EQ(set.bytes[0], 64);   // 63.75
  EXPECT_EQ(set.bytes[1], 191);  // 191.25
  EXPECT_EQ(set.bytes[std::size_t{2} * 784], 128);
  EXPECT_EQ(set.bytes[std::size_t{4} * 784], 255);
  EXPECT_EQ(set.bytes[std::size_t{4} * 784 + 783], 0);
}

// Competition paper, A.6: a random subset of all images, split afterwards.
TEST_F(Femnist, RowsDrawsFromAllParts) {
  const data::Dataset all = load(table());
  std::set<std::int64_t> seen;
  for (int seed = 0; seed < 20; ++seed) {
    Json wanted = table();
    wanted["rows"] = 3;
    wanted["seed"] = seed;
    const data::Dataset set = load(wanted);
    ASSERT_EQ(set.rows(), 3U);
    EXPECT_EQ(set.train_rows, 3U);  // no test part
    EXPECT_EQ(set.bytes.size(), 3U * 784U);
    for (std::size_t row = 0; row < 3; ++row) {
      // Labels of the five images differ, so that a row is known by its label.
      const auto place = static_cast<std::size_t>(
          std::find(all.labels.begin(), all.labels.end(), set.labels[row]) - all.labels.begin());
      ASSERT_LT(place, all.labels.size());
      EXPECT_TRUE(std::equal(set.bytes.begin() + static_cast<std::ptrdiff_t>(row * 784),
                             set.bytes.begin() + static_cast<std::ptrdiff_t>((row + 1) * 784),
                             all.bytes.begin() + static_cast<std::ptrdiff_t>(place * 784)));
      seen.insert(set.labels[row]);
    }
  }
  EXPECT_EQ(seen.size(), 5U);
  Json much = table();
  much["rows"] = 6;
  EXPECT_TRUE(holds(load_error(much), {"6 are asked for", "has 5"}));
}

TEST_F(Femnist, LabelsBeforeImages) {
  const std::string sha256 = load(table()).sha256;
  Json content = good();
  content["user_data"]["f03"] = {{"y", Json::array({35})}, {"x", Json::array({image(0.25, 0.75)})}};
  put("train/all_data_0.json", content);
  EXPECT_EQ(load(table()).sha256, sha256);
}

TEST_F(Femnist, AllDataWithoutTestPart) {
  std::filesystem::create_directories(folder / "data");
  std::filesystem::rename(folder / "train", folder / "data/all_data");
  const data::Dataset set = load(table());
  EXPECT_EQ(set.rows(), 4U);
  EXPECT_EQ(set.train_rows, 4U);
}

TEST_F(Femnist, BadContent) {
  Json content = good();
  content["user_data"]["f03"]["y"] = Json::array({62});
  EXPECT_TRUE(holds(error_with(content), {"all_data_0.json", "label 62", "f03", "0 to 61"}));
  content["user_data"]["f03"]["y"] = Json::array({1.5});
  EXPECT_TRUE(holds(error_with(content), {"label 1.5"}));
  content["user_data"]["f03"]["y"] = Json::array({"A"});
  EXPECT_TRUE(holds(error_with(content), {"text among the samples", "f03"}));
  content["user_data"]["f03"]["y"] = Json::array({1, 2});
  EXPECT_TRUE(holds(error_with(content), {"1 images but 2 labels", "f03"}));
  content = good();
  content["user_data"]["f03"]["x"] = Json::array({image(1.01)});
  EXPECT_TRUE(holds(error_with(content), {"value 1.01", "0 to 1"}));
  content["user_data"]["f03"]["x"] = Json::array({Json::array({0.5, 0.5})});
  EXPECT_TRUE(holds(error_with(content), {"image of 2 values", "784"}));
  content["user_data"]["f03"]["x"] = image(0.5);
  EXPECT_TRUE(holds(error_with(content), {"lists of values"}));
  content["user_data"]["f03"]["x"] = Json::array({Json{{"a", 1}}});
  EXPECT_TRUE(holds(error_with(content), {"object among the samples"}));
  content = good();
  content["num_samples"] = Json::array({2});
  EXPECT_TRUE(holds(error_with(content), {"1 samples of the user f03", "states 2"}));
  content["num_samples"] = Json::array({1, 1});
  EXPECT_TRUE(holds(error_with(content), {"1 users but 2"}));
  EXPECT_TRUE(holds(error_with(Json::array({1, 2})), {"no user_data"}));
  EXPECT_TRUE(holds(error_with(Json::array({good()})), {"all_data_0.json"}));
}

TEST_F(Femnist, TruncatedAndMissingFiles) {
  const std::string whole = good().dump();
  put_file(folder / "train/all_data_0.json", whole.substr(0, whole.size() / 2));
  EXPECT_TRUE(holds(load_error(table()), {"all_data_0.json is not JSON at byte", "truncated"}));
  std::filesystem::remove_all(folder / "train");
  std::filesystem::create_directories(folder / "train");
  EXPECT_TRUE(holds(load_error(table()), {"train holds no .json files", "LEAF"}));
  std::filesystem::remove_all(folder / "train");
  EXPECT_TRUE(holds(load_error(table()), {"train does not exist", "LEAF"}));
}

}  // namespace
}  // namespace vestige
