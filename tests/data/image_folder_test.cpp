// Folders of PNG and JPEG files, written here with libpng and libjpeg.
#include <cstdio>
// jpeglib.h needs stdio's FILE first.
#include <jpeglib.h>
#include <png.h>

#include <array>
#include <cstdlib>

#include "tests/data/loader_support.h"
#include "vestige/base/context.h"

namespace vestige {
namespace {

namespace fs = std::filesystem;
using testing::Bytes;
using testing::holds;
using testing::Labels;
using testing::load;
using testing::load_error;
using testing::put_file;
using testing::TemporaryFolder;
using Names = std::vector<std::string>;

/// Pixels [height, width, channels] of a format of libpng's simplified interface.
std::string png(std::size_t width, std::size_t height, png_uint_32 format, const Bytes& pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = format;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string file(size, '\0');
  EXPECT_NE(png_image_write_to_memory(&image, file.data(), &size, 0, pixels.data(), 0, nullptr), 0);
  file.resize(size);
  return file;
}

/// An image of one colour.
std::string plain_png(std::uint8_t red, std::uint8_t green, std::uint8_t blue,
                      std::size_t width = 2, std::size_t height = 2) {
  Bytes pixels;
  for (std::size_t index = 0; index < width * height; ++index) {
    pixels.insert(pixels.end(), {red, green, blue});
  }
  return png(width, height, PNG_FORMAT_RGB, pixels);
}

/// A JPEG of quality 100, grey (one channel) or colour (three), whose pixel i has the value
/// `value(i)` in all channels.
std::string jpeg(unsigned side, int channels, const std::function<std::uint8_t(unsigned)>& value) {
  jpeg_compress_struct writer{};
  jpeg_error_mgr errors{};
  writer.err = jpeg_std_error(&errors);
  jpeg_create_compress(&writer);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&writer, &bytes, &size);
  writer.image_width = side;
  writer.image_height = side;
  writer.input_components = channels;
  writer.in_color_space = channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
  jpeg_set_defaults(&writer);
  jpeg_set_quality(&writer, 100, TRUE);
  jpeg_start_compress(&writer, TRUE);
  for (unsigned row = 0; row < side; ++row) {
    Bytes line;
    for (unsigned column = 0; column < side; ++column) {
      line.insert(line.end(), static_cast<std::size_t>(channels), value(row * side + column));
    }
    JSAMPROW start = line.data();
    jpeg_write_scanlines(&writer, &start, 1);
  }
  jpeg_finish_compress(&writer);
  std::string file(reinterpret_cast<const char*>(bytes), size);
  jpeg_destroy_compress(&writer);
  std::free(bytes);
  return file;
}

class ImageFolder : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& content) {
    put_file(folder / name, content);
  }
  Json table(const Json& more = Json::object()) const {
    Json all = {{"name", "image_folder"}, {"path", folder.path().string()}};
    all.update(more);
    return all;
  }
  // Cats are red, dogs green; the test part has a dog only.
  void put_pets() {
    put("train/dog/b.PNG", plain_png(0, 200, 0));
    put("train/cat/2.png", plain_png(100, 0, 0));
    put("train/cat/10.png", plain_png(101, 0, 0));
    put("train/cat/notes.txt", "not an image");
    put("test/dog/x.png", plain_png(0, 201, 1));
  }
  TemporaryFolder folder;
};

TEST_F(ImageFolder, ClassesAndFilesInBytewiseOrder) {
  put_pets();
  const data::Dataset set = load(table());
  EXPECT_EQ(set.class_names, (Names{"cat", "dog"}));
  EXPECT_EQ(set.labels, (Labels{0, 0, 1, 1}));
  EXPECT_EQ(set.train_rows, 3U);
  EXPECT_EQ(set.shape, (Labels{3, 2, 2}));
  ASSERT_EQ(set.bytes.size(), 48U);
  EXPECT_EQ(set.bytes[0], 101);  // cat/10 comes before cat/2
  EXPECT_EQ(set.bytes[12], 100);
  EXPECT_EQ(set.bytes[12 + 4], 0);
  EXPECT_EQ(set.bytes[24 + 4], 200);
  EXPECT_EQ(Bytes(set.bytes.begin() + 36, set.bytes.end()),
            (Bytes{0, 0, 0, 0, 201, 201, 201, 201, 1, 1, 1, 1}));
  // Measured over the training part: red is 101, 100 and 0 of 255.
  EXPECT_NEAR(set.mean[0], 201.0 / 3 / 255, 1e-6);
}

TEST_F(ImageFolder, OneThreadAndManyGiveTheSameBytes) {
  for (int index = 0; index < 40; ++index) {
    put(fmt::format("train/{}/{}.jpg", index % 3, index), jpeg(16, 3, [&](unsigned place) {
          return static_cast<std::uint8_t>(place * 7 + static_cast<unsigned>(index));
        }));
  }
  const data::Dataset one = load(table({{"size", 7}}), Context({.threads = 1}));
  const data::Dataset many = load(table({{"size", 7}}), Context({.threads = 4}));
  EXPECT_EQ(one.bytes, many.bytes);
  EXPECT_EQ(one.sha256, many.sha256);
}

TEST_F(ImageFolder, KindsOfPng) {
  put("train/a/1_grey.png", png(2, 1, PNG_FORMAT_GRAY, {9, 200}));
  put("train/a/2_alpha.png", png(2, 1, PNG_FORMAT_RGBA, {1, 2, 3, 255, 40, 50, 60, 255}));
  const data::Dataset set = load(table());
  EXPECT_EQ(set.bytes, (Bytes{9, 200, 9, 200, 9, 200, 1, 40, 2, 50, 3, 60}));
  // BT.601 of (1, 2, 3) is 1.8, of (40, 50, 60) 48.15.
  EXPECT_EQ(load(table({{"channels", 1}})).bytes, (Bytes{9, 200, 2, 48}));
}

/// With libpng's full interface: any bit depth, colour type and interlacing; `rows` as stored.
std::string raw_png(unsigned width, int depth, int colour, int interlace, std::vector<Bytes> rows) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  std::string file;
  png_set_write_fn(
      png, &file,
      [](png_structp writer, png_bytep bytes, std::size_t size) {
        static_cast<std::string*>(png_get_io_ptr(writer))
            ->append(reinterpret_cast<const char*>(bytes), size);
      },
      nullptr);
  png_set_IHDR(png, info, width, static_cast<png_uint_32>(rows.size()), depth, colour, interlace,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  const std::array<png_color, 2> palette = {{{10, 20, 30}, {40, 50, 60}}};
  if (colour == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, palette.data(), 2);
  png_write_info(png, info);
  std::vector<png_bytep> places;
  for (Bytes& row : rows) places.push_back(row.data());
  png_write_image(png, places.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return file;
}

TEST_F(ImageFolder, PaletteAnd16BitAndBitsAndInterlacedPng) {
  const auto bytes_of = [&](const std::string& file) {
    put("train/a/1.png", file);
    return load(table()).bytes;
  };
  EXPECT_EQ(bytes_of(raw_png(2, 8, PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE, {{1, 0}})),
            (Bytes{40, 10, 50, 20, 60, 30}));
  // Big-endian samples 0x12ff and 0x8000: the upper byte counts.
  EXPECT_EQ(
      bytes_of(raw_png(2, 16, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, {{0x12, 0xff, 0x80, 0x00}})),
      (Bytes{0x12, 0x80, 0x12, 0x80, 0x12, 0x80}));
  // One bit per pixel: 1 0 1.
  EXPECT_EQ(bytes_of(raw_png(3, 1, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, {{0xa0}})),
            (Bytes{255, 0, 255, 255, 0, 255, 255, 0, 255}));
  // Transparent pixels keep their colour.
  EXPECT_EQ(bytes_of(raw_png(1, 8, PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_NONE, {{1, 2, 3, 0}})),
            (Bytes{1, 2, 3}));
  EXPECT_EQ(
      bytes_of(raw_png(3, 8, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_ADAM7,
                       {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}})),
      (Bytes{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_F(ImageFolder, JpegInGreyAndColour) {
  const auto ramp = [](unsigned place) { return static_cast<std::uint8_t>(place * 3); };
  put("train/a/colour.JPEG", jpeg(8, 3, ramp));
  put("train/a/grey.jpg", jpeg(8, 1, ramp));
  const data::Dataset set = load(table());
  EXPECT_EQ(set.shape, (Labels{3, 8, 8}));
  // At quality 100 all quantisers are 1, so grey values come back within rounding.
  for (std::size_t place = 0; place < 64; ++place) {
    for (std::size_t channel = 0; channel < 6; ++channel) {
      EXPECT_NEAR(set.bytes[channel * 64 + place], ramp(static_cast<unsigned>(place)), 2);
    }
  }
}

TEST_F(ImageFolder, SizesThatDifferNeedTheOption) {
  put("train/a/1.png", plain_png(1, 2, 3));
  put("train/a/2.png", plain_png(7, 8, 9, 5, 3));
  EXPECT_TRUE(holds(load_error(table()), {"2.png has 5 x 3", "1.png has 2 x 2", "set size"}));
  const data::Dataset set = load(table({{"size", 1}}));
  EXPECT_EQ(set.shape, (Labels{3, 1, 1}));
  EXPECT_EQ(set.bytes, (Bytes{1, 2, 3, 7, 8, 9}));
}

TEST_F(ImageFolder, TinyImageNetsLayout) {
  put("train/n01/images/n01_0.JPEG", jpeg(8, 3, [](unsigned) { return std::uint8_t{10}; }));
  put("train/n01/n01_boxes.txt", "n01_0.JPEG\t0\t0\t1\t1\n");
  put("train/n02/images/n02_0.JPEG", jpeg(8, 1, [](unsigned) { return std::uint8_t{20}; }));
  put("val/images/val_1.JPEG", jpeg(8, 3, [](unsigned) { return std::uint8_t{30}; }));
  put("val/images/val_0.JPEG", jpeg(8, 3, [](unsigned) { return std::uint8_t{40}; }));
  put("val/val_annotations.txt", "val_1.JPEG\tn02\t0\t0\t1\t1\nval_0.JPEG\tn01\t0\t0\t1\t1\n");
  put("test/images/test_0.JPEG", "without a label, so never read");
  const data::Dataset set = load(table());
  EXPECT_EQ(set.labels, (Labels{0, 1, 0, 1}));
  EXPECT_EQ(set.train_rows, 2U);
  EXPECT_EQ(set.bytes[std::size_t{2} * 192], 40);
  EXPECT_EQ(set.bytes[std::size_t{3} * 192], 30);
  put("val/val_annotations.txt", "val_1.JPEG\tn07\t0\t0\t1\t1\n");
  EXPECT_TRUE(holds(load_error(table()), {"val_1.JPEG", "n07", "no training images"}));
  put("val/val_annotations.txt", "val_7.JPEG\tn01\t0\t0\t1\t1\n");
  EXPECT_TRUE(holds(load_error(table()), {"val_7.JPEG"}));
}

TEST_F(ImageFolder, Cinic10sLayout) {
  for (const char* part : {"train", "valid", "test"}) {
    for (const char* name : {"cat", "dog"}) {
      put(fmt::format("{}/{}/{}.png", part, name, part), plain_png(1, 2, 3));
    }
  }
  EXPECT_EQ(load(table()).rows(), 4U);  // train and test
  const data::Dataset joined = load(table({{"train", {"train", "valid"}}}));
  EXPECT_EQ(joined.labels, (Labels{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(joined.train_rows, 4U);
  EXPECT_EQ(load(table({{"test", Json::array()}})).rows(), 2U);
}

TEST_F(ImageFolder, SubjectsAndAttributesFromCsv) {
  put_pets();
  put("people.csv",
      "file,attribute,subject\n"
      "train/cat/2.png,\"old, grey\",ann\n10.png,young,bob\nb.PNG,young,ann\n"
      "test/dog/x.png,young,\"zoe\"\nnot/here.png,old,ann\n");
  const data::Dataset set = load(table({{"csv", "people.csv"}}));
  EXPECT_EQ(set.labels, (Labels{0, 0, 1, 1}));
  EXPECT_EQ(set.subjects, (Labels{1, 0, 0, 2}));  // bob, ann, ann, zoe
  EXPECT_EQ(set.subclasses, (Labels{1, 0, 1, 1}));
  const data::Dataset by_attribute = load(table({{"csv", "people.csv"}, {"label", "attribute"}}));
  EXPECT_EQ(by_attribute.class_names, (Names{"old, grey", "young"}));
  EXPECT_EQ(by_attribute.labels, (Labels{1, 0, 1, 1}));
  EXPECT_TRUE(by_attribute.subclasses.empty());
}

TEST_F(ImageFolder, FlatFoldersWithNumbersInTheCsv) {
  put("a.png", plain_png(1, 1, 1));
  put("b.png", plain_png(2, 2, 2));
  put("c.png", plain_png(3, 3, 3));
  put("all.csv", "file,subject,attribute\na.png,31,10\nb.png,7,-1\nc.png,31,2\n");
  const data::Dataset set =
      load(table({{"csv", "all.csv"}, {"label", "attribute"}, {"train", {"."}}}));
  EXPECT_EQ(set.subjects, (Labels{31, 7, 31}));
  EXPECT_EQ(set.class_names, (Names{"-1", "2", "10"}));  // by value, not as text
  EXPECT_EQ(set.labels, (Labels{2, 0, 1}));
}

TEST_F(ImageFolder, BadCsv) {
  put_pets();
  const Json with_csv = table({{"csv", "people.csv"}});
  EXPECT_TRUE(holds(load_error(with_csv), {"people.csv", "cannot read"}));
  put("people.csv", "");
  EXPECT_TRUE(holds(load_error(with_csv), {"people.csv is empty"}));
  put("people.csv", "name,subject\n");
  EXPECT_TRUE(holds(load_error(with_csv), {"'name,subject'", "column file"}));
  put("people.csv", "file,subject\n2.png,ann\n");
  EXPECT_TRUE(holds(load_error(with_csv), {"no line for the image train/cat/10.png"}));
  put("people.csv", "file,subject\n2.png,ann,x\n");
  EXPECT_TRUE(holds(load_error(with_csv), {"people.csv line 2", "3 fields", "2"}));
  put("people.csv", "file,subject\n2.png,ann\n2.png,bob\n");
  EXPECT_TRUE(holds(load_error(with_csv), {"people.csv line 3", "second time"}));
  put("people.csv", "file,subject\n2.png,\"ann\n");
  EXPECT_TRUE(holds(load_error(with_csv), {"people.csv line 2", "quote"}));
  put("train/dog/10.png", plain_png(1, 1, 1));
  put("people.csv", "file,subject\n2.png,ann\n10.png,bob\nb.PNG,bob\nx.png,eve\n");
  EXPECT_TRUE(holds(load_error(with_csv), {"fits both train/cat/10.png and train/dog/10.png"}));
  EXPECT_TRUE(holds(load_error(table({{"label", "attribute"}})), {"label", "CSV"}));
}

TEST_F(ImageFolder, BadFolders) {
  EXPECT_TRUE(holds(load_error(table()), {"train does not exist", "train/CLASS"}));
  fs::create_directories(folder / "train");
  EXPECT_TRUE(holds(load_error(table()), {"no class folders"}));
  put_pets();
  fs::create_directories(folder / "train/bird");
  EXPECT_TRUE(holds(load_error(table()), {"train/bird", "no PNG or JPEG"}));
  put("train/bird/readme.txt", "x");
  EXPECT_TRUE(holds(load_error(table()), {"train/bird", "no PNG or JPEG"}));
  fs::remove_all(folder / "train/bird");
  put("test/fish/1.png", plain_png(1, 1, 1));
  EXPECT_TRUE(holds(load_error(table()), {"fish", "no training images"}));
  EXPECT_TRUE(holds(load_error(table({{"channels", 2}})), {"channels", "3 or 1"}));
  EXPECT_TRUE(holds(load_error(table({{"size", -1}})), {"size"}));
}

TEST_F(ImageFolder, BadImages) {
  put("train/a/1.png", "this is text");
  EXPECT_TRUE(holds(load_error(table()), {"1.png is neither a PNG nor a JPEG"}));
  put("train/a/1.png", "");
  EXPECT_TRUE(holds(load_error(table()), {"1.png is neither"}));
  const std::string whole = plain_png(1, 2, 3, 20, 20);
  for (std::size_t size = 8; size < whole.size(); ++size) {
    put("train/a/1.png", whole.substr(0, size));
    ASSERT_TRUE(holds(load_error(table()), {"1.png is a damaged PNG"})) << size;
  }
  fs::remove(folder / "train/a/1.png");
  const std::string photo =
      jpeg(32, 3, [](unsigned place) { return static_cast<std::uint8_t>(place * 37); });
  for (std::size_t size = 3; size < photo.size(); size += 5) {
    put("train/a/1.jpg", photo.substr(0, size));
    ASSERT_TRUE(holds(load_error(table()), {"1.jpg is a damaged JPEG"})) << size;
  }
  put("train/a/1.jpg", photo);
  EXPECT_EQ(load(table()).rows(), 1U);
}

}  // namespace
}  // namespace vestige
