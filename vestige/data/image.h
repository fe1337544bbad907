// One picture: PNG or JPEG to pixels, pixels to PNG, and resizing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vestige::data {

/// Red, green and blue bytes, row-major [height, width, 3].
struct Image {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<std::uint8_t> pixels;
};

/// Decodes PNG or JPEG, told apart by their first bytes. Transparency is dropped, 16-bit samples
/// keep their upper byte, grey becomes three equal channels, colour profiles are not applied.
/// `name` is what errors call it; an image that ends early is an InputError.
Image decode_image(std::string_view content, std::string_view name);

/// A PNG of 8-bit red, green and blue that decode_image gives back as it was.
std::string encode_png(const Image& image);

/// Another size, each axis by itself: shrinking averages over areas, growing interpolates linearly
/// between pixel centres. The same size gives the same bytes.
Image resize_image(const Image& image, std::size_t width, std::size_t height);

/// As planes [channels, height, width]; one channel is the luma of ITU-R BT.601, (19595 R + 38470 G
/// + 7471 B) / 65536 rounded. out.size() == channels * height * width, channels 1 or 3.
void write_planes(const Image& image, std::size_t channels, std::span<std::uint8_t> out);

}  // namespace vestige::data
