// Data sets as npz archives, written here.
#include "tests/data/loader_support.h"
#include "tests/support/evidence_folder.h"

namespace vestige {
namespace {

using evidence::DType;
using testing::array_of;
using testing::Bytes;
using testing::EvidenceFolder;
using testing::holds;
using testing::Labels;
using testing::load;
using testing::load_error;
using testing::put_file;
using Values = std::vector<float>;

// Two images of 3 channels and 1 x 2 pixels.
class Arrays : public ::testing::Test {
 protected:
  Arrays() {
    put("inputs", DType::uint8, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255}, {2, 3, 1, 2});
    put("labels", DType::int32, {2, 0}, {2});
  }
  void put(const std::string& key, DType dtype, const std::vector<double>& values,
           std::vector<std::size_t> shape) {
    arrays.put(key, array_of(dtype, values, std::move(shape)));
  }
  Json table(const Json& more = Json::object()) const {
    Json all = {{"name", "arrays"}, {"path", arrays.write_npz().string()}};
    all.update(more);
    return all;
  }
  EvidenceFolder arrays;
};

TEST_F(Arrays, Images) {
  const data::Dataset set = load(table());
  EXPECT_EQ(set.bytes, (Bytes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255}));
  EXPECT_EQ(set.shape, (Labels{3, 1, 2}));
  EXPECT_EQ(set.labels, (Labels{2, 0}));
  EXPECT_EQ(set.classes, 3);
  EXPECT_EQ(set.train_rows, 2U);
  EXPECT_EQ(load(table({{"classes", 7}})).classes, 7);
}

TEST_F(Arrays, ChannelsLast) {
  const std::string sha256 = load(table()).sha256;
  put("inputs", DType::uint8, {1, 3, 5, 2, 4, 6, 7, 9, 11, 8, 10, 255}, {2, 1, 2, 3});
  EXPECT_EQ(load(table({{"layout", "hwc"}})).sha256, sha256);
  put("inputs", DType::float32, {1, 3, 5, 2, 4, 6, 7, 9, 11, 8, 10, 255}, {2, 1, 2, 3});
  EXPECT_EQ(load(table({{"layout", "hwc"}})).values,
            (Values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255}));
  put("inputs", DType::uint8, std::vector<double>(2 * 8 * 8 * 3), {2, 8, 8, 3});
  EXPECT_TRUE(holds(load_error(table()), {"[2, 8, 8, 3]", "layout = \"hwc\""}));
}

TEST_F(Arrays, GreyImagesAndTables) {
  put("inputs", DType::uint8, {1, 2, 3, 4}, {2, 2, 1});
  EXPECT_EQ(load(table()).shape, (Labels{1, 2, 1}));
  put("inputs", DType::float16, {0.5, 2, -3, 4}, {2, 2});
  const data::Dataset set = load(table());
  EXPECT_EQ(set.shape, (Labels{2}));
  EXPECT_EQ(set.values, (Values{0.5, 2, -3, 4}));
  EXPECT_TRUE(set.bytes.empty());
}

TEST_F(Arrays, TestPartSubjectsAndSubclasses) {
  put("subjects", DType::int64, {900, 7}, {2});
  put("subclasses", DType::int64, {1, 4}, {2});
  put("test_inputs", DType::uint8, {0, 0, 0, 0, 0, 9}, {1, 3, 1, 2});
  put("test_labels", DType::int64, {1}, {1});
  put("test_subjects", DType::int64, {7}, {1});
  put("test_subclasses", DType::int64, {4}, {1});
  const data::Dataset set = load(table());
  EXPECT_EQ(set.labels, (Labels{2, 0, 1}));
  EXPECT_EQ(set.train_rows, 2U);
  EXPECT_EQ(set.bytes.back(), 9);
  EXPECT_EQ(set.subjects, (Labels{900, 7, 7}));
  EXPECT_EQ(set.subclasses, (Labels{1, 4, 4}));
  put("train_rows", DType::int64, {1}, {});
  EXPECT_TRUE(holds(load_error(table()), {"both train_rows and test_inputs"}));
}

TEST_F(Arrays, TrainRowsAsANumber) {
  put("train_rows", DType::int64, {1}, {});
  EXPECT_EQ(load(table()).train_rows, 1U);
  put("train_rows", DType::int64, {3}, {1});
  EXPECT_TRUE(holds(load_error(table()), {"train_rows", "0 to 2"}));
}

TEST_F(Arrays, BadContent) {
  put("labels", DType::int64, {0, -1}, {2});
  EXPECT_TRUE(holds(load_error(table()), {"row 1", "label -1"}));
  put("labels", DType::int64, {0, 5}, {2});
  EXPECT_TRUE(holds(load_error(table({{"classes", 5}})), {"row 1", "label 5", "0 to 4"}));
  put("labels", DType::int64, {0, 5, 1}, {3});
  EXPECT_TRUE(holds(load_error(table()), {"2 rows of inputs but 3 labels"}));
  put("labels", DType::int64, {0, 1}, {2});
  put("subjects", DType::int64, {1}, {1});
  EXPECT_TRUE(holds(load_error(table()), {"2 rows but 1"}));
  put("subjects", DType::float32, {1, 0.5}, {2});
  EXPECT_TRUE(holds(load_error(table()), {"subjects in", "0.5"}));
  arrays.remove("subjects");
  put("test_inputs", DType::uint8, {0, 0, 0}, {1, 3, 1, 1});
  put("test_labels", DType::int64, {1}, {1});
  EXPECT_TRUE(holds(load_error(table()), {"test_inputs", "[3, 1, 1]", "[3, 1, 2]"}));
  put("test_inputs", DType::float32, {0, 0, 0, 0, 0, 0}, {1, 3, 1, 2});
  EXPECT_TRUE(holds(load_error(table()), {"test_inputs", "float32", "both be uint8"}));
  arrays.remove("test_labels");
  put("test_inputs", DType::uint8, {0, 0, 0, 0, 0, 0}, {1, 3, 1, 2});
  EXPECT_TRUE(holds(load_error(table()), {"no array 'test_labels'"}));
  arrays.remove("inputs");
  EXPECT_TRUE(holds(load_error(table()), {"no array 'inputs'"}));
  put("inputs", DType::float32, {1, 2}, {2});
  EXPECT_TRUE(holds(load_error(table()), {"inputs", "[2]"}));
}

TEST_F(Arrays, NotAnArchive) {
  const testing::TemporaryFolder folder;
  put_file(folder / "x.npz", "no archive at all");
  EXPECT_TRUE(
      holds(load_error({{"name", "arrays"}, {"path", (folder / "x.npz").string()}}), {"x.npz"}));
}

}  // namespace
}  // namespace vestige
