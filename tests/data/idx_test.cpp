// IDX files written here, byte by byte, and Fashion-MNIST as Debian packages it.
#include <zlib.h>

#include <algorithm>
#include <cmath>

#include "tests/data/loader_support.h"

namespace vestige {
namespace {

using testing::Bytes;
using testing::holds;
using testing::Labels;
using testing::load;
using testing::load_error;
using testing::put_file;
using testing::TemporaryFolder;

std::string big_endian(std::uint32_t value) {
  std::string text;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) text += static_cast<char>(value >> shift & 0xffU);
  return text;
}

std::string idx(std::uint32_t magic, const std::vector<std::uint32_t>& shape, const Bytes& items) {
  std::string text = big_endian(magic);
  for (const std::uint32_t length : shape) text += big_endian(length);
  return text + testing::text_of(items);
}

void write_gz(const std::filesystem::path& path, const std::string& content) {
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, content.data(), static_cast<unsigned>(content.size())),
            static_cast<int>(content.size()));
  ASSERT_EQ(gzclose(file), Z_OK);
}

// Two training images and one test image of 2 x 3 pixels.
class Idx : public ::testing::Test {
 protected:
  Idx() {
    write_gz(folder / "train-images-idx3-ubyte.gz",
             idx(0x803, {2, 2, 3}, {0, 1, 2, 3, 4, 5, 250, 251, 252, 253, 254, 255}));
    put_file(folder / "train-labels-idx1-ubyte", idx(0x801, {2}, {7, 0}));
    put_file(folder / "t10k-images.idx3-ubyte", idx(0x803, {1, 2, 3}, {9, 9, 9, 9, 9, 8}));
    write_gz(folder / "t10k-labels-idx1-ubyte.gz", idx(0x801, {1}, {9}));
  }
  Json table() const { return {{"name", "mnist"}, {"path", folder.path().string()}}; }
  void put_images(const std::string& content) {
    write_gz(folder / "train-images-idx3-ubyte.gz", content);
  }
  TemporaryFolder folder;
};

TEST_F(Idx, ReadsPlainAndGzippedFiles) {
  const data::Dataset set = load(table());
  EXPECT_EQ(set.name, "mnist");
  EXPECT_EQ(set.shape, (Labels{1, 2, 3}));
  EXPECT_EQ(set.bytes, (Bytes{0, 1, 2, 3, 4, 5, 250, 251, 252, 253, 254, 255, 9, 9, 9, 9, 9, 8}));
  EXPECT_EQ(set.labels, (Labels{7, 0, 9}));
  EXPECT_EQ(set.train_rows, 2U);
  EXPECT_EQ(set.classes, 10);
  // The figures that every MNIST tutorial prints.
  EXPECT_EQ(set.mean, (std::vector<float>{0.1307F}));
  EXPECT_EQ(set.deviation, (std::vector<float>{0.3081F}));
  EXPECT_EQ(set.sha256.size(), 64U);
}

TEST_F(Idx, WrongMagicNumber) {
  put_images(idx(0x801, {2}, {7, 0}));
  EXPECT_TRUE(holds(load_error(table()),
                    {"train-images-idx3-ubyte.gz", "0x00000801", "0x00000803", "images"}));
}

TEST_F(Idx, TruncatedContent) {
  put_images(idx(0x803, {2, 2, 3}, {1, 2, 3, 4, 5, 6, 7}));
  EXPECT_TRUE(holds(load_error(table()), {"ends after 7 of the 12 bytes"}));
  put_images(big_endian(0x803) + "ab");
  EXPECT_TRUE(holds(load_error(table()), {"ends inside its header"}));
}

TEST_F(Idx, TruncatedOrDamagedArchive) {
  const std::filesystem::path path = folder / "train-images-idx3-ubyte.gz";
  const std::string whole = read_file(path);
  for (const std::size_t size : {whole.size() - 1, whole.size() - 9, std::size_t{15}}) {
    put_file(path, whole.substr(0, size));
    EXPECT_TRUE(holds(load_error(table()), {"idx3-ubyte.gz is truncated"})) << size;
  }
  // The checksum is in the last eight bytes (RFC 1952).
  std::string flipped = whole;
  flipped[whole.size() - 7] = static_cast<char>(flipped[whole.size() - 7] ^ 1);
  put_file(path, flipped);
  EXPECT_TRUE(holds(load_error(table()), {"is damaged", "incorrect data check"}));
}

TEST_F(Idx, TrailingBytes) {
  put_images(idx(0x803, {1, 2, 3}, {1, 2, 3, 4, 5, 6, 7}));
  EXPECT_TRUE(holds(load_error(table()), {"goes on after the 6 bytes"}));
}

TEST_F(Idx, HeadersWithoutSense) {
  put_images(idx(0x803, {0xffffffff, 0xffffffff, 0xffffffff}, {}));
  EXPECT_TRUE(holds(load_error(table()), {"4294967295", "dimension", "damaged"}));
  put_images(idx(0x803, {0xffffffff, 16, 16}, {1, 2, 3}));
  EXPECT_TRUE(holds(load_error(table()), {"ends after 3 of the 1099511627520 bytes"}));
  put_images(idx(0x803, {0, 2, 3}, {}));
  EXPECT_TRUE(holds(load_error(table()), {"states 0 as dimension 0"}));
}

TEST_F(Idx, CountsAndSizesThatDoNotFit) {
  put_file(folder / "train-labels-idx1-ubyte", idx(0x801, {3}, {7, 0, 1}));
  EXPECT_TRUE(holds(load_error(table()), {"has 2 images", "has 3 labels"}));
  put_file(folder / "train-labels-idx1-ubyte", idx(0x801, {2}, {7, 10}));
  EXPECT_TRUE(holds(load_error(table()), {"row 1", "mnist", "label 10", "0 to 9"}));
  put_file(folder / "train-labels-idx1-ubyte", idx(0x801, {2}, {7, 0}));
  put_file(folder / "t10k-images.idx3-ubyte", idx(0x803, {1, 3, 2}, {9, 9, 9, 9, 9, 8}));
  EXPECT_TRUE(holds(load_error(table()), {"3 x 2 pixels", "2 x 3"}));
}

TEST_F(Idx, MissingFile) {
  std::filesystem::remove(folder / "t10k-labels-idx1-ubyte.gz");
  EXPECT_TRUE(holds(load_error(table()),
                    {"t10k-labels-idx1-ubyte.gz does not exist", "LeCun", "set path"}));
}

TEST(FashionMnist, TheDebianPackage) {
  const data::Dataset set = load({{"name", "fashion_mnist"}});
  ASSERT_EQ(set.rows(), 70000U);
  EXPECT_EQ(set.train_rows, 60000U);
  EXPECT_EQ(set.shape, (Labels{1, 28, 28}));
  // First labels and class counts as published with the set (H. Xiao et al., 2017).
  EXPECT_EQ(Labels(set.labels.begin(), set.labels.begin() + 10),
            (Labels{9, 0, 0, 3, 0, 2, 7, 2, 5, 5}));
  EXPECT_EQ(Labels(set.labels.begin() + 60000, set.labels.begin() + 60005),
            (Labels{9, 2, 1, 1, 6}));
  for (std::int64_t label = 0; label < 10; ++label) {
    EXPECT_EQ(std::count(set.labels.begin(), set.labels.begin() + 60000, label), 6000);
    EXPECT_EQ(std::count(set.labels.begin() + 60000, set.labels.end(), label), 1000);
  }
  EXPECT_EQ(set.class_names[9], "Ankle boot");
  // The published mean and deviation, to their four digits, are those of these very bytes.
  double sum = 0, squares = 0;
  for (std::size_t index = 0; index < 60000 * set.row_size(); ++index) {
    const double value = set.bytes[index] / 255.0;
    sum += value;
    squares += value * value;
  }
  const double count = 60000.0 * 784.0;
  EXPECT_NEAR(sum / count, static_cast<double>(set.mean[0]), 5e-5);
  EXPECT_NEAR(std::sqrt(squares / count - sum / count * sum / count),
              static_cast<double>(set.deviation[0]), 5e-5);
}

}  // namespace
}  // namespace vestige
