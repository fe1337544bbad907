// libpng and libjpeg. Both leave an error by longjmp: whatever has a destructor lives in a state
// object outside the function that calls setjmp.
#include "vestige/data/image.h"

// clang-format off: jpeglib.h wants these first.
#include <csetjmp>
#include <cstdio>
// clang-format on
#include <jerror.h>
#include <jpeglib.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "vestige/base/error.h"

namespace vestige::data {
namespace {

// 64 million pixels: beyond any photo in a data set; a damaged header must not ask for more.
constexpr std::size_t kMostPixels = std::size_t{1} << 26;
constexpr std::size_t kChannels = 3;
constexpr std::size_t kMessage = std::max<std::size_t>(JMSG_LENGTH_MAX, 200);

using Message = std::array<char, kMessage>;

void set_message(Message& message, const char* text) {
  std::snprintf(message.data(), message.size(), "%s", text);
}

struct PngState {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string_view rest;
  Image image;
  std::vector<png_bytep> rows;
  Message message{};

  PngState() = default;
  PngState(const PngState&) = delete;
  PngState& operator=(const PngState&) = delete;
  ~PngState() { png_destroy_read_struct(&png, &info, nullptr); }
};

[[noreturn]] void png_failed(png_structp png, png_const_charp text) {
  set_message(static_cast<PngState*>(png_get_error_ptr(png))->message, text);
  png_longjmp(png, 1);
}

void png_warned(png_structp, png_const_charp) {}

void read_png_bytes(png_structp png, png_bytep out, std::size_t count) {
  auto* state = static_cast<PngState*>(png_get_io_ptr(png));
  if (count > state->rest.size()) png_error(png, "it ends early");
  std::memcpy(out, state->rest.data(), count);
  state->rest.remove_prefix(count);
}

bool read_png(PngState& state) {
  if (setjmp(png_jmpbuf(state.png)) != 0) return false;
  png_set_read_fn(state.png, &state, read_png_bytes);
  png_read_info(state.png, state.info);
  state.image.width = png_get_image_width(state.png, state.info);
  state.image.height = png_get_image_height(state.png, state.info);
  if (state.image.width > kMostPixels / state.image.height) {
    png_error(state.png, "it has too many pixels");
  }
  png_set_expand(state.png);
  png_set_strip_16(state.png);
  png_set_gray_to_rgb(state.png);
  png_set_strip_alpha(state.png);
  png_set_interlace_handling(state.png);
  png_read_update_info(state.png, state.info);
  if (png_get_rowbytes(state.png, state.info) != kChannels * state.image.width) {
    png_error(state.png, "its pixels are of an unknown kind");
  }
  state.image.pixels.resize(kChannels * state.image.width * state.image.height);
  state.rows.resize(state.image.height);
  for (std::size_t row = 0; row < state.image.height; ++row) {
    state.rows[row] = state.image.pixels.data() + row * kChannels * state.image.width;
  }
  png_read_image(state.png, state.rows.data());
  png_read_end(state.png, nullptr);
  return true;
}

Image decode_png(std::string_view content, std::string_view name) {
  PngState state;
  state.rest = content;
  state.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &state, png_failed, png_warned);
  if (state.png != nullptr) state.info = png_create_info_struct(state.png);
  require(state.info != nullptr, "{} could not be decoded: there is too little memory", name);
  require(read_png(state), "{} is a damaged PNG image ({}): copy it again", name,
          state.message.data());
  return std::move(state.image);
}

struct JpegState {
  jpeg_error_mgr errors{};
  jpeg_decompress_struct jpeg{};
  std::jmp_buf jump{};
  Image image;
  Message message{};

  JpegState() = default;
  JpegState(const JpegState&) = delete;
  JpegState& operator=(const JpegState&) = delete;
  ~JpegState() { jpeg_destroy_decompress(&jpeg); }
};

JpegState& state_of(j_common_ptr jpeg) { return *static_cast<JpegState*>(jpeg->client_data); }

[[noreturn]] void jpeg_failed(j_common_ptr jpeg) {
  JpegState& state = state_of(jpeg);
  state.errors.format_message(jpeg, state.message.data());
  std::longjmp(state.jump, 1);
}

// libjpeg only warns of missing data and makes the rest grey; here that is an error. Other warnings
// (stray bytes between markers) do not change pixels.
void jpeg_warned(j_common_ptr jpeg, int level) {
  if (level >= 0) return;
  const int code = jpeg->err->msg_code;
  if (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER || code == JWRN_HUFF_BAD_CODE) {
    jpeg_failed(jpeg);
  }
}

void jpeg_says_nothing(j_common_ptr) {}

bool read_jpeg(JpegState& state, std::string_view content) {
  if (setjmp(state.jump) != 0) return false;
  jpeg_create_decompress(&state.jpeg);
  jpeg_mem_src(&state.jpeg, reinterpret_cast<const unsigned char*>(content.data()),
               static_cast<unsigned long>(content.size()));
  jpeg_read_header(&state.jpeg, TRUE);
  state.image.width = state.jpeg.image_width;
  state.image.height = state.jpeg.image_height;
  if (state.image.width > kMostPixels / state.image.height) {
    set_message(state.message, "it has too many pixels");
    return false;
  }
  state.jpeg.out_color_space = JCS_RGB;
  jpeg_start_decompress(&state.jpeg);
  state.image.pixels.resize(kChannels * state.image.width * state.image.height);
  while (state.jpeg.output_scanline < state.jpeg.output_height) {
    JSAMPROW row =
        state.image.pixels.data() + kChannels * state.image.width * state.jpeg.output_scanline;
    jpeg_read_scanlines(&state.jpeg, &row, 1);
  }
  jpeg_finish_decompress(&state.jpeg);
  return true;
}

Image decode_jpeg(std::string_view content, std::string_view name) {
  JpegState state;
  state.jpeg.err = jpeg_std_error(&state.errors);
  state.jpeg.client_data = &state;
  state.errors.error_exit = jpeg_failed;
  state.errors.emit_message = jpeg_warned;
  state.errors.output_message = jpeg_says_nothing;
  require(read_jpeg(state, content), "{} is a damaged JPEG image ({}): copy it again", name,
          state.message.data());
  return std::move(state.image);
}

/// The input pixels that make one output pixel of an axis.
struct Taps {
  std::size_t first = 0;
  std::vector<double> weights;  // sum to 1
};

std::vector<Taps> axis_taps(std::size_t in, std::size_t out) {
  const double scale = static_cast<double>(in) / static_cast<double>(out);
  std::vector<Taps> taps(out);
  for (std::size_t place = 0; place < out; ++place) {
    Taps& tap = taps[place];
    if (out <= in) {
      const double start = static_cast<double>(place * in) / static_cast<double>(out);
      const double end = static_cast<double>((place + 1) * in) / static_cast<double>(out);
      tap.first = static_cast<std::size_t>(start);
      for (std::size_t pixel = tap.first; static_cast<double>(pixel) < end; ++pixel) {
        const auto left = static_cast<double>(pixel);
        tap.weights.push_back((std::min(end, left + 1) - std::max(start, left)) / (end - start));
      }
    } else {
      const double most = static_cast<double>(in - 1);
      const double centre = std::clamp((static_cast<double>(place) + 0.5) * scale - 0.5, 0.0, most);
      tap.first = static_cast<std::size_t>(centre);
      const double share = centre - static_cast<double>(tap.first);
      tap.weights = {1 - share};
      if (share > 0) tap.weights.push_back(share);
    }
  }
  return taps;
}

}  // namespace

Image decode_image(std::string_view content, std::string_view name) {
  if (content.starts_with("\x89PNG\r\n")) return decode_png(content, name);
  if (content.starts_with("\xff\xd8\xff")) return decode_jpeg(content, name);
  fail("{} is neither a PNG nor a JPEG image: remove or convert it", name);
}

std::string encode_png(const Image& image) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB;
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(header), '\0');
  png_alloc_size_t size = bytes.size();
  require(png_image_write_to_memory(&header, bytes.data(), &size, 0, image.pixels.data(), 0,
                                    nullptr) != 0,
          "a picture of {} x {} pixels cannot be written: {}", image.width, image.height,
          header.message);
  bytes.resize(size);
  return bytes;
}

Image resize_image(const Image& image, std::size_t width, std::size_t height) {
  const std::vector<Taps> across = axis_taps(image.width, width);
  const std::vector<Taps> down = axis_taps(image.height, height);
  std::vector<double> narrow(image.height * width * kChannels);
  for (std::size_t row = 0; row < image.height; ++row) {
    for (std::size_t column = 0; column < width; ++column) {
      const Taps& taps = across[column];
      for (std::size_t channel = 0; channel < kChannels; ++channel) {
        double sum = 0;
        for (std::size_t tap = 0; tap < taps.weights.size(); ++tap) {
          sum += taps.weights[tap] *
                 image.pixels[(row * image.width + taps.first + tap) * kChannels + channel];
        }
        narrow[(row * width + column) * kChannels + channel] = sum;
      }
    }
  }
  Image result{width, height, std::vector<std::uint8_t>(width * height * kChannels)};
  const std::size_t line = width * kChannels;
  for (std::size_t row = 0; row < height; ++row) {
    for (std::size_t item = 0; item < line; ++item) {
      double sum = 0;
      for (std::size_t tap = 0; tap < down[row].weights.size(); ++tap) {
        sum += down[row].weights[tap] * narrow[(down[row].first + tap) * line + item];
      }
      result.pixels[row * line + item] =
          static_cast<std::uint8_t>(std::clamp(std::floor(sum + 0.5), 0.0, 255.0));
    }
  }
  return result;
}

void write_planes(const Image& image, std::size_t channels, std::span<std::uint8_t> out) {
  const std::size_t pixels = image.width * image.height;
  for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
    const std::uint8_t* rgb = image.pixels.data() + pixel * kChannels;
    if (channels == 1) {
      out[pixel] = static_cast<std::uint8_t>(
          (19595U * rgb[0] + 38470U * rgb[1] + 7471U * rgb[2] + 0x8000U) >> 16U);
    } else {
      for (std::size_t channel = 0; channel < kChannels; ++channel) {
        out[channel * pixels + pixel] = rgb[channel];
      }
    }
  }
}

}  // namespace vestige::data
