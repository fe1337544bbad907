// SVHN's MAT v5 files, written here with matio.
#include <matio.h>

#include <array>

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

std::uint8_t pixel(std::size_t row, std::size_t column, std::size_t channel, std::size_t image) {
  return static_cast<std::uint8_t>(row * 5 + column * 3 + channel * 60 + image * 7);
}

void put(mat_t* file, const char* name, matio_classes kind, matio_types type,
         std::vector<std::size_t> shape, void* items, matio_compression compression) {
  matvar_t* variable = Mat_VarCreate(name, kind, type, static_cast<int>(shape.size()), shape.data(),
                                     items, MAT_F_DONT_COPY_DATA);
  ASSERT_EQ(Mat_VarWrite(file, variable, compression), 0);
  Mat_VarFree(variable);
}

struct Part {
  std::size_t images = 2;
  Bytes labels = {10, 3};
  matio_compression compression = MAT_COMPRESSION_ZLIB;
  std::size_t side = 32;
  bool double_labels = false;
};

void write_mat(const std::filesystem::path& path, Part part) {
  std::filesystem::remove(path);
  mat_t* file = Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT5);
  ASSERT_NE(file, nullptr);
  Bytes pixels;
  for (std::size_t image = 0; image < part.images; ++image) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      for (std::size_t column = 0; column < 32; ++column) {
        for (std::size_t row = 0; row < part.side; ++row) {
          pixels.push_back(pixel(row, column, channel, image));
        }
      }
    }
  }
  put(file, "X", MAT_C_UINT8, MAT_T_UINT8, {part.side, 32, 3, part.images}, pixels.data(),
      part.compression);
  std::vector<double> doubles(part.labels.begin(), part.labels.end());
  if (part.double_labels) {
    put(file, "y", MAT_C_DOUBLE, MAT_T_DOUBLE, {doubles.size(), 1}, doubles.data(),
        part.compression);
    Mat_Close(file);
    return;
  }
  put(file, "y", MAT_C_UINT8, MAT_T_UINT8, {part.labels.size(), 1}, part.labels.data(),
      part.compression);
  Mat_Close(file);
}

class Svhn : public ::testing::Test {
 protected:
  Svhn() {
    write_mat(folder / "train_32x32.mat", {});
    write_mat(folder / "test_32x32.mat", {.images = 3, .labels = {1, 9, 10}});
  }
  Json table() const { return {{"name", "svhn"}, {"path", folder.path().string()}}; }
  TemporaryFolder folder;
};

TEST_F(Svhn, TurnsColumnsToRowsAndTenToZero) {
  const data::Dataset set = load(table());
  EXPECT_EQ(set.labels, (Labels{0, 3, 1, 9, 0}));
  EXPECT_EQ(set.train_rows, 2U);
  EXPECT_EQ(set.shape, (Labels{3, 32, 32}));
  EXPECT_EQ(set.classes, 10);
  for (std::size_t channel = 0; channel < 3; ++channel) {
    for (std::size_t row = 0; row < 32; ++row) {
      for (std::size_t column = 0; column < 32; ++column) {
        const std::size_t place = (channel * 32 + row) * 32 + column;
        ASSERT_EQ(set.bytes[3072 + place], pixel(row, column, channel, 1));
        ASSERT_EQ(set.bytes[std::size_t{4} * 3072 + place], pixel(row, column, channel, 2));
      }
    }
  }
  EXPECT_EQ(set.mean, (std::vector<float>{0.4377F, 0.4438F, 0.4728F}));
}

TEST_F(Svhn, UncompressedFilesAndDoubleLabelsToo) {
  const std::string sha256 = load(table()).sha256;
  write_mat(folder / "train_32x32.mat", {.compression = MAT_COMPRESSION_NONE});
  EXPECT_EQ(load(table()).sha256, sha256);
  write_mat(folder / "train_32x32.mat", {.double_labels = true});
  EXPECT_EQ(load(table()).sha256, sha256);
}

TEST_F(Svhn, TruncatedAtAnyPlace) {
  for (const matio_compression compression : {MAT_COMPRESSION_ZLIB, MAT_COMPRESSION_NONE}) {
    const std::filesystem::path path = folder / "train_32x32.mat";
    write_mat(path, {.compression = compression});
    const std::string whole = read_file(path);
    for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 61) {
      put_file(path, whole.substr(0, size));
      EXPECT_TRUE(holds(load_error(table()), {"train_32x32.mat"})) << size;
    }
    put_file(path, whole.substr(0, whole.size() - 1));
    EXPECT_TRUE(holds(load_error(table()), {"train_32x32.mat is truncated"}));
  }
}

// matio alone gives out changed pixels for nearly all of these without an error.
TEST_F(Svhn, FlippedBitsInCompressedFilesAreFound) {
  const std::filesystem::path path = folder / "train_32x32.mat";
  const std::string sha256 = load(table()).sha256;
  const std::string whole = read_file(path);
  std::size_t errors = 0;
  for (std::size_t place = 128; place < whole.size(); place += 1 + whole.size() / 97) {
    std::string flipped = whole;
    flipped[place] = static_cast<char>(flipped[place] ^ 0x10);
    put_file(path, flipped);
    try {
      EXPECT_EQ(load(table()).sha256, sha256) << place;
    } catch (const InputError&) {
      ++errors;
    }
  }
  EXPECT_GT(errors, 80U);
}

TEST_F(Svhn, BadContent) {
  const std::filesystem::path path = folder / "train_32x32.mat";
  write_mat(path, {.labels = {0, 3}});
  EXPECT_TRUE(holds(load_error(table()), {"label 0", "place 0", "1 to 10"}));
  write_mat(path, {.labels = {1, 11}});
  EXPECT_TRUE(holds(load_error(table()), {"label 11", "place 1"}));
  write_mat(path, {.labels = {1}});
  EXPECT_TRUE(holds(load_error(table()), {"y in", "[1, 1]", "2 labels"}));
  write_mat(path, {.side = 31});
  EXPECT_TRUE(holds(load_error(table()), {"X in", "[31, 32, 3, 2]"}));
  put_file(path, std::string(1000, 'x'));
  EXPECT_TRUE(holds(load_error(table()), {"not a MAT file of version 5"}));
  std::filesystem::remove(path);
  EXPECT_TRUE(holds(load_error(table()), {"train_32x32.mat does not exist", "Street View"}));
}

TEST_F(Svhn, MissingVariable) {
  const std::filesystem::path path = folder / "train_32x32.mat";
  std::filesystem::remove(path);
  mat_t* file = Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT5);
  std::array<double, 2> labels = {1, 2};
  put(file, "y", MAT_C_DOUBLE, MAT_T_DOUBLE, {2, 1}, labels.data(), MAT_COMPRESSION_NONE);
  Mat_Close(file);
  EXPECT_TRUE(holds(load_error(table()), {"no readable variable X"}));
}

}  // namespace
}  // namespace vestige
