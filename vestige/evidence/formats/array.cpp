// Typed items as doubles, integers and text; all reads go through memcpy, because a mapped array
// may start at any address.
#include "vestige/evidence/formats/array.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/evidence/formats/half.h"

namespace vestige::evidence {
namespace {

struct Description {
  std::string_view name;
  std::size_t size;
};

constexpr std::array<Description, 14> kDescriptions{{{"float16", 2},
                                                     {"bfloat16", 2},
                                                     {"float32", 4},
                                                     {"float64", 8},
                                                     {"int8", 1},
                                                     {"int16", 2},
                                                     {"int32", 4},
                                                     {"int64", 8},
                                                     {"uint8", 1},
                                                     {"uint16", 2},
                                                     {"uint32", 4},
                                                     {"uint64", 8},
                                                     {"boolean", 1},
                                                     {"text", 0}}};

const Description& describe(DType dtype) { return kDescriptions[static_cast<std::size_t>(dtype)]; }

template <typename Stored>
Stored item_at(const std::byte* bytes, std::size_t index) {
  Stored value;
  std::memcpy(&value, bytes + index * sizeof(Stored), sizeof(Stored));
  return value;
}

template <typename Stored, typename Wanted>
void convert(const std::byte* bytes, std::span<Wanted> out) {
  for (std::size_t index = 0; index < out.size(); ++index) {
    out[index] = static_cast<Wanted>(item_at<Stored>(bytes, index));
  }
}

template <typename Wanted>
void convert_booleans(const std::byte* bytes, std::span<Wanted> out) {
  for (std::size_t index = 0; index < out.size(); ++index) {
    out[index] = static_cast<Wanted>(bytes[index] != std::byte{0} ? 1 : 0);
  }
}

// Counts empty dimensions as 1 for the limit, so that cols() cannot overflow either.
std::size_t product(const std::vector<std::size_t>& shape) {
  std::size_t count = 1;
  bool empty = false;
  for (const std::size_t length : shape) {
    empty = empty || length == 0;
    const std::size_t factor = std::max(length, std::size_t{1});
    require(count <= std::numeric_limits<std::size_t>::max() / factor,
            "an array of shape {} has more items than can be counted", shape_text(shape));
    count *= factor;
  }
  return empty ? 0 : count;
}

// Every double below 2^63 in magnitude that is whole is an int64.
std::int64_t whole(double value, std::size_t index) {
  require(std::isfinite(value) && std::trunc(value) == value,
          "item {} is {}, where whole numbers are needed: save the array with an integer dtype",
          index, value);
  require(value >= -0x1p63 && value < 0x1p63, "item {} is {}, which does not fit 64-bit integers",
          index, value);
  return static_cast<std::int64_t>(value);
}

template <typename Value>
std::span<const std::byte> bytes_of(const std::vector<Value>& values) {
  return std::as_bytes(std::span<const Value>(values));
}

}  // namespace

std::string_view name(DType dtype) { return describe(dtype).name; }

std::size_t size_of(DType dtype) { return describe(dtype).size; }

bool is_floating(DType dtype) { return dtype <= DType::float64; }

bool is_integer(DType dtype) { return dtype >= DType::int8 && dtype <= DType::boolean; }

Array::Array(DType dtype, std::vector<std::size_t> shape, std::span<const std::byte> bytes,
             std::shared_ptr<const void> owner, std::size_t item_size)
    : dtype_(dtype),
      shape_(std::move(shape)),
      bytes_(bytes),
      owner_(std::move(owner)),
      item_size_(item_size),
      size_(product(shape_)) {
  require(item_size_ > 0 && (dtype_ == DType::text || item_size_ == size_of(dtype_)),
          "an array of {} cannot have items of {} bytes", name(dtype_), item_size_);
  require(bytes_.size() / item_size_ == size_ && bytes_.size() % item_size_ == 0,
          "an array of shape {} and {} bytes per item cannot hold {} bytes", shape_text(shape_),
          item_size_, bytes_.size());
}

Array Array::from_doubles(std::vector<double> values, std::vector<std::size_t> shape) {
  const auto owner = std::make_shared<const std::vector<double>>(std::move(values));
  return {DType::float64, std::move(shape), bytes_of(*owner), owner, sizeof(double)};
}

Array Array::from_integers(std::vector<std::int64_t> values, std::vector<std::size_t> shape) {
  const auto owner = std::make_shared<const std::vector<std::int64_t>>(std::move(values));
  return {DType::int64, std::move(shape), bytes_of(*owner), owner, sizeof(std::int64_t)};
}

Array Array::repeated(std::vector<float> row, std::vector<std::size_t> shape) {
  const auto owner = std::make_shared<const std::vector<float>>(std::move(row));
  Array result(DType::float32, {1, owner->size()}, bytes_of(*owner), owner, sizeof(float));
  result.shape_ = std::move(shape);
  result.size_ = product(result.shape_);
  require(result.cols() == owner->size(), "rows of {} items cannot fill an array of shape {}",
          owner->size(), shape_text(result.shape_));
  return result;
}

std::size_t Array::cols() const {
  std::size_t count = 1;
  for (std::size_t axis = 1; axis < shape_.size(); ++axis) count *= shape_[axis];
  return count;
}

void Array::read(std::size_t first, std::span<double> out) const {
  require(first <= size() && out.size() <= size() - first,
          "items {} to {} were asked of an array of {}", first, first + out.size(), size());
  if (out.empty()) return;
  const std::size_t held = bytes_.size() / item_size_;
  if (held < size_) {  // repeated rows: piece by piece, each within the one that is held
    first %= held;
    if (const std::size_t room = held - first; out.size() > room) {
      read(first, out.first(room));
      for (std::size_t at = room; at < out.size(); at += held) {
        read(0, out.subspan(at, std::min(held, out.size() - at)));
      }
      return;
    }
  }
  const std::byte* start = bytes_.data() + first * item_size_;
  switch (dtype_) {
    case DType::float16:
      return halves_to_doubles(start, out);
    case DType::bfloat16:
      return bfloats_to_doubles(start, out);
    case DType::float32:
      return convert<float>(start, out);
    case DType::float64:
      std::memcpy(out.data(), start, out.size_bytes());
      return;
    case DType::int8:
      return convert<std::int8_t>(start, out);
    case DType::int16:
      return convert<std::int16_t>(start, out);
    case DType::int32:
      return convert<std::int32_t>(start, out);
    case DType::int64:
      return convert<std::int64_t>(start, out);
    case DType::uint8:
      return convert<std::uint8_t>(start, out);
    case DType::uint16:
      return convert<std::uint16_t>(start, out);
    case DType::uint32:
      return convert<std::uint32_t>(start, out);
    case DType::uint64:
      return convert<std::uint64_t>(start, out);
    case DType::boolean:
      return convert_booleans(start, out);
    case DType::text:
      break;
  }
  fail("the array holds text, where numbers are needed: save it with a numeric dtype");
}

std::vector<double> Array::doubles() const {
  std::vector<double> values(size());
  read(0, values);
  return values;
}

std::vector<std::int64_t> Array::integers() const {
  std::vector<std::int64_t> values(size());
  const std::span<std::int64_t> out(values);
  if (out.empty()) return values;
  const std::byte* start = bytes_.data();
  switch (dtype_) {
    case DType::int8:
      convert<std::int8_t>(start, out);
      return values;
    case DType::int16:
      convert<std::int16_t>(start, out);
      return values;
    case DType::int32:
      convert<std::int32_t>(start, out);
      return values;
    case DType::int64:
      convert<std::int64_t>(start, out);
      return values;
    case DType::uint8:
      convert<std::uint8_t>(start, out);
      return values;
    case DType::uint16:
      convert<std::uint16_t>(start, out);
      return values;
    case DType::uint32:
      convert<std::uint32_t>(start, out);
      return values;
    case DType::boolean:
      convert_booleans(start, out);
      return values;
    case DType::uint64:
      for (std::size_t index = 0; index < out.size(); ++index) {
        const auto value = item_at<std::uint64_t>(start, index);
        require(value <= std::uint64_t{std::numeric_limits<std::int64_t>::max()},
                "item {} is {}, which does not fit 64-bit integers", index, value);
        out[index] = static_cast<std::int64_t>(value);
      }
      return values;
    default:
      break;
  }
  const std::vector<double> exact = doubles();
  for (std::size_t index = 0; index < out.size(); ++index) out[index] = whole(exact[index], index);
  return values;
}

std::vector<std::string> Array::strings() const {
  std::vector<std::string> texts;
  texts.reserve(size());
  if (dtype_ == DType::text) {
    for (std::size_t index = 0; index < size(); ++index) {
      const auto item = bytes_.subspan(index * item_size_, item_size_);
      std::string text(item_size_, '\0');
      std::memcpy(text.data(), item.data(), item.size());
      text.resize(text.find_last_not_of('\0') + 1);
      texts.push_back(std::move(text));
    }
  } else if (dtype_ == DType::uint64) {
    for (std::size_t index = 0; index < size(); ++index) {
      texts.push_back(std::to_string(item_at<std::uint64_t>(bytes_.data(), index)));
    }
  } else {
    for (const std::int64_t value : integers()) texts.push_back(std::to_string(value));
  }
  return texts;
}

Array Array::slice(std::size_t index) const {
  require(rank() > 0 && index < rows(), "part {} was asked of an array of shape {}", index,
          shape_text(shape_));
  const std::size_t length = cols() * item_size_;
  if (bytes_.size() == length) index = 0;  // repeated rows
  assert((index + 1) * length <= bytes_.size() && "repeated rows were given another length");
  return {dtype_,
          {shape_.begin() + 1, shape_.end()},
          bytes_.subspan(index * length, length),
          owner_,
          item_size_};
}

Array Array::reshaped(std::vector<std::size_t> shape) const {
  require(product(shape) == size(), "an array of shape {} cannot take the shape {}",
          shape_text(shape_), shape_text(shape));
  Array result = *this;
  result.shape_ = std::move(shape);
  return result;
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "[";
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    text += fmt::format("{}{}", axis == 0 ? "" : ", ", shape[axis]);
  }
  return text + "]";
}

}  // namespace vestige::evidence
