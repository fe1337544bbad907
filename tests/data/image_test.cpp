// Resizing and grey values against figures worked out by hand.
#include "vestige/data/image.h"

#include <gtest/gtest.h>

#include "vestige/base/error.h"

namespace vestige::data {
namespace {

using Bytes = std::vector<std::uint8_t>;

Image grey(std::size_t width, std::size_t height, const Bytes& values) {
  Image image{width, height, {}};
  for (const std::uint8_t value : values) image.pixels.insert(image.pixels.end(), 3, value);
  return image;
}

Bytes one_channel(const Image& image) {
  Bytes out(image.width * image.height);
  write_planes(image, 1, out);
  return out;
}

TEST(ResizeImage, TheSameSizeGivesTheSameBytes) {
  const Image image = grey(3, 2, {0, 10, 255, 7, 8, 9});
  EXPECT_EQ(resize_image(image, 3, 2).pixels, image.pixels);
}

TEST(ResizeImage, ShrinkingAveragesAreas) {
  // 4 x 2 to 2 x 1: means of 2 x 2 blocks, (0 + 10 + 20 + 31) / 4 = 15.25 and 100.5, up from half.
  EXPECT_EQ(one_channel(resize_image(grey(4, 2, {0, 10, 100, 101, 20, 31, 100, 101}), 2, 1)),
            (Bytes{15, 101}));
  // 3 to 2: each output covers one and a half pixels, (0 + 90 / 2) / 1.5 = 30 and
  // (90 / 2 + 30) / 1.5 = 50.
  EXPECT_EQ(one_channel(resize_image(grey(3, 1, {0, 90, 30}), 2, 1)), (Bytes{30, 50}));
}

TEST(ResizeImage, GrowingInterpolatesBetweenCentres) {
  // 2 to 4: centres at -0.25, 0.25, 0.75, 1.25 of the input, the outer ones held at the edge.
  EXPECT_EQ(one_channel(resize_image(grey(2, 1, {0, 100}), 4, 1)), (Bytes{0, 25, 75, 100}));
  EXPECT_EQ(one_channel(resize_image(grey(1, 2, {0, 100}), 1, 4)), (Bytes{0, 25, 75, 100}));
}

TEST(WritePlanes, ChannelsAndLuma) {
  const Image image{2, 1, {255, 0, 0, 10, 20, 30}};
  Bytes planes(6);
  write_planes(image, 3, planes);
  EXPECT_EQ(planes, (Bytes{255, 10, 0, 20, 0, 30}));
  // BT.601: 0.299 * 255 = 76.2; 0.299 * 10 + 0.587 * 20 + 0.114 * 30 = 18.15.
  EXPECT_EQ(one_channel(image), (Bytes{76, 18}));
}

TEST(EncodePng, IsReadBackAsItWas) {
  const Image image{3, 2, {0, 1, 2, 3, 4, 5, 6, 7, 8, 250, 251, 252, 253, 254, 255, 9, 10, 11}};
  const Image back = decode_image(encode_png(image), "x.png");
  EXPECT_EQ(back.width, 3u);
  EXPECT_EQ(back.height, 2u);
  EXPECT_EQ(back.pixels, image.pixels);
  EXPECT_EQ(encode_png(image), encode_png(image));
}

TEST(DecodeImage, NotAnImage) {
  EXPECT_THROW(decode_image("GIF89a", "a.png"), InputError);
  EXPECT_THROW(decode_image("", "a.png"), InputError);
}

}  // namespace
}  // namespace vestige::data
