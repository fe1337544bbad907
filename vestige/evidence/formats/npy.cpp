// Reading and writing .npy files; whatever is not native C order is brought into it here.
#include "vestige/evidence/formats/npy.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "vestige/base/error.h"
#include "vestige/evidence/formats/mapped_file.h"
#include "vestige/evidence/formats/npy_header.h"
#include "vestige/evidence/formats/utf8.h"

namespace vestige::evidence {
namespace {

static_assert(std::endian::native == std::endian::little,
              "mapped arrays are taken to be in native byte order");

using Buffer = std::vector<std::byte>;

// Bytes in one of the stages between file and Array; `owner` is the file or a converted copy.
struct Stage {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

Stage hold(Buffer buffer) {
  const auto owner = std::make_shared<const Buffer>(std::move(buffer));
  return {*owner, owner};
}

// `unit` is the size of what is swapped: the item, or a code point of unicode text.
Stage swap_bytes(const Stage& stage, std::size_t unit) {
  Buffer swapped(stage.bytes.begin(), stage.bytes.end());
  for (std::size_t first = 0; first < swapped.size(); first += unit) {
    std::reverse(swapped.data() + first, swapped.data() + first + unit);
  }
  return hold(std::move(swapped));
}

// Writes items in C order from a file in Fortran order, whose first dimension varies fastest.
Stage to_c_order(const Stage& stage, const std::vector<std::size_t>& shape, std::size_t item) {
  const std::size_t rank = shape.size();
  std::vector<std::size_t> stride(rank, 1);
  for (std::size_t axis = 1; axis < rank; ++axis) stride[axis] = stride[axis - 1] * shape[axis - 1];
  Buffer ordered(stage.bytes.size());
  const std::size_t inner = shape.back();
  const std::size_t step = stride.back() * item;
  std::vector<std::size_t> position(rank, 0);
  std::size_t source = 0;
  for (std::size_t done = 0; done < ordered.size(); done += inner * item) {
    const std::byte* from = stage.bytes.data() + source * item;
    std::byte* to = ordered.data() + done;
    for (std::size_t index = 0; index < inner; ++index, from += step, to += item) {
      std::memcpy(to, from, item);
    }
    for (std::size_t axis = rank - 1; axis-- > 0;) {
      source += stride[axis];
      if (++position[axis] < shape[axis]) break;
      source -= stride[axis] * shape[axis];
      position[axis] = 0;
    }
  }
  return hold(std::move(ordered));
}

// Code points to UTF-8 of the width that the longest item needs.
Stage to_utf8(const Stage& stage, std::size_t& item, std::string_view source_name) {
  const std::size_t count = stage.bytes.size() / item;
  const std::size_t width = item / 4;
  std::vector<std::string> texts(count);
  std::size_t longest = 1;
  for (std::size_t index = 0; index < count; ++index) {
    std::vector<char32_t> points(width);
    std::memcpy(points.data(), stage.bytes.data() + index * item, item);
    while (!points.empty() && points.back() == 0) points.pop_back();
    for (const char32_t point : points) {
      require(append_utf8(texts[index], point),
              "{} has text in row {} that is not unicode: export it again", source_name, index);
    }
    longest = std::max(longest, texts[index].size());
  }
  Buffer packed(count * longest);
  for (std::size_t index = 0; index < count; ++index) {
    std::memcpy(packed.data() + index * longest, texts[index].data(), texts[index].size());
  }
  item = longest;
  return hold(std::move(packed));
}

void require_utf8(const Stage& stage, std::size_t item, std::string_view source_name) {
  const auto* characters = reinterpret_cast<const char*>(stage.bytes.data());
  for (std::size_t first = 0; first < stage.bytes.size(); first += item) {
    require(is_utf8({characters + first, item}),
            "{} has bytes in row {} that are not UTF-8 text: export it with dtype U", source_name,
            first / item);
  }
}

void require_size(const NpyHeader& header, std::size_t held, std::string_view source_name) {
  require(held >= header.data_size,
          "{} holds {} bytes of data, shape {} of {} needs {}: the file is truncated, export it "
          "again",
          source_name, held, shape_text(header.shape), name(header.dtype), header.data_size);
  require(held <= header.data_size,
          "{} holds {} bytes of data, shape {} of {} needs {}: it has {} trailing bytes, export it "
          "again",
          source_name, held, shape_text(header.shape), name(header.dtype), header.data_size,
          held - header.data_size);
}

std::string descr_of(const Array& array, std::size_t text_width) {
  const DType dtype = array.dtype() == DType::bfloat16 ? DType::float32 : array.dtype();
  if (dtype == DType::text) return fmt::format("<U{}", text_width);
  if (dtype == DType::boolean) return "|b1";
  const char kind = is_floating(dtype) ? 'f' : name(dtype).starts_with("uint") ? 'u' : 'i';
  return fmt::format("{}{}{}", size_of(dtype) == 1 ? '|' : '<', kind, size_of(dtype));
}

std::string header_text(const std::string& descr, const std::vector<std::size_t>& shape) {
  std::string tuple;
  for (const std::size_t length : shape) tuple += fmt::format("{}, ", length);
  if (shape.size() == 1) tuple.pop_back();
  if (shape.size() > 1) tuple.resize(tuple.size() - 2);
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, tuple);
  // The data begins at a multiple of 64, so that a mapped file is aligned.
  text.append(63 - (10 + text.size()) % 64, ' ');
  return text + '\n';
}

}  // namespace

Array parse_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                std::string_view source_name) {
  const NpyHeader header = parse_npy_header(bytes, source_name);
  Stage stage{bytes.subspan(header.data_start), std::move(owner)};
  require_size(header, stage.bytes.size(), source_name);
  const bool text = header.dtype == DType::text;
  const std::size_t unit = text ? (header.unicode ? 4 : 1) : header.item_size;
  if (header.big_endian && unit > 1) stage = swap_bytes(stage, unit);
  std::size_t item = header.item_size;
  if (header.fortran_order && header.shape.size() > 1) {
    stage = to_c_order(stage, header.shape, item);
  }
  if (text && header.unicode) stage = to_utf8(stage, item, source_name);
  if (text && !header.unicode) require_utf8(stage, item, source_name);
  return {header.dtype, header.shape, stage.bytes, stage.owner, item};
}

Array read_npy(const std::filesystem::path& path) {
  const MappedFile file = map_file(path);
  return parse_npy(file.bytes, file.owner, path.string());
}

std::size_t npy_file_size(std::span<const std::byte> start, std::string_view source_name) {
  const NpyHeader header = parse_npy_header(start, source_name);
  return header.data_start + header.data_size;
}

std::string write_npy(const Array& array) {
  std::string data;
  std::size_t text_width = 1;
  if (array.dtype() == DType::text) {
    std::vector<std::u32string> texts;
    for (const std::string& text : array.strings()) {
      texts.push_back(code_points(text));
      text_width = std::max(text_width, texts.back().size());
    }
    data.resize(texts.size() * text_width * 4);
    for (std::size_t index = 0; index < texts.size(); ++index) {
      std::memcpy(data.data() + index * text_width * 4, texts[index].data(),
                  texts[index].size() * 4);
    }
  } else if (array.dtype() == DType::bfloat16) {
    data.resize(array.size() * sizeof(float));
    const std::vector<double> values = array.doubles();
    for (std::size_t index = 0; index < values.size(); ++index) {
      const auto value = static_cast<float>(values[index]);
      std::memcpy(data.data() + index * sizeof value, &value, sizeof value);
    }
  } else {
    data.assign(reinterpret_cast<const char*>(array.bytes().data()), array.bytes().size());
  }
  const std::string header = header_text(descr_of(array, text_width), array.shape());
  require(header.size() <= 0xffff, "an array of {} dimensions cannot be written as npy",
          array.rank());
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file + header + data;
}

}  // namespace vestige::evidence
