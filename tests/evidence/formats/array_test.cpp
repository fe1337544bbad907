// Arrays: every dtype as doubles, integers and text; shapes; 16-bit floats bit by bit.
#include "vestige/evidence/formats/array.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/evidence/support.h"
#include "vestige/evidence/formats/half.h"

namespace vestige::evidence {
namespace {

using testing::error_of;
using testing::hold;
using testing::holds;
using testing::raw;
using testing::Texts;

// An array whose bytes are not aligned.
Array typed_array(DType dtype, std::vector<std::size_t> shape, std::string_view bytes,
                  std::size_t item_size = 0) {
  const testing::Held held = hold(bytes);
  return {dtype, std::move(shape), held.bytes(), held.owner,
          item_size == 0 ? size_of(dtype) : item_size};
}

// The definition of IEEE 754 binary16: sign, 5 bits of exponent (bias 15), 10 of fraction.
double half_by_definition(unsigned bits) {
  const double sign = (bits >> 15) != 0 ? -1.0 : 1.0;
  const int exponent = static_cast<int>((bits >> 10) & 31);
  const double fraction = static_cast<double>(bits & 1023) / 1024.0;
  if (exponent == 31) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, -14);
  return sign * std::ldexp(1.0 + fraction, exponent - 15);
}

bool same(double left, double right) {
  if (std::isnan(left) || std::isnan(right)) return std::isnan(left) && std::isnan(right);
  return left == right && std::signbit(left) == std::signbit(right);
}

TEST(Half, AllBitPatternsEqualTheDefinition) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    ASSERT_TRUE(same(half_to_float(static_cast<std::uint16_t>(bits)), half_by_definition(bits)))
        << bits;
  }
}

TEST(Half, NanKeepsSignAndPayload) {
  EXPECT_EQ(std::bit_cast<std::uint32_t>(half_to_float(0xfe01)), 0xffc02000U);
}

TEST(Half, BlocksEqualSinglesAtEveryOffsetAndLength) {
  std::string bytes(2 * 65536 + 1, '\0');
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    std::memcpy(bytes.data() + 1 + 2 * bits, &half, 2);
  }
  const auto* start = reinterpret_cast<const std::byte*>(bytes.data()) + 1;
  std::vector<double> fast(65536), portable(65536);
  halves_to_doubles(start, fast);
  halves_to_doubles_portable(start, portable);
  for (unsigned bits = 0; bits < 65536; ++bits) {
    ASSERT_TRUE(same(fast[bits], half_by_definition(bits))) << bits;
    ASSERT_TRUE(same(portable[bits], half_by_definition(bits))) << bits;
  }
  for (std::size_t length = 0; length < 40; ++length) {
    std::vector<double> out(length + 1, -7.0);
    halves_to_doubles(start + 2 * 100, std::span(out).first(length));
    for (std::size_t i = 0; i < length; ++i) {
      ASSERT_EQ(out[i], half_by_definition(static_cast<unsigned>(100 + i)));
    }
    ASSERT_EQ(out[length], -7.0);  // nothing is written behind the block
  }
}

TEST(Array, NamesAndSizes) {
  EXPECT_EQ(name(DType::bfloat16), "bfloat16");
  EXPECT_EQ(name(DType::text), "text");
  EXPECT_EQ(size_of(DType::uint64), 8U);
  EXPECT_EQ(size_of(DType::boolean), 1U);
  EXPECT_EQ(size_of(DType::text), 0U);
  EXPECT_TRUE(is_floating(DType::float16) && is_floating(DType::float64));
  EXPECT_FALSE(is_floating(DType::int8) || is_floating(DType::text));
  EXPECT_TRUE(is_integer(DType::int8) && is_integer(DType::uint64) && is_integer(DType::boolean));
  EXPECT_FALSE(is_integer(DType::float64) || is_integer(DType::text));
}

TEST(Array, EveryDtypeIsReadAsDoublesAtItsLimits) {
  using Doubles = std::vector<double>;
  EXPECT_EQ(typed_array(DType::float16, {2}, raw<std::uint16_t>({0x3c00, 0xfbff})).doubles(),
            (Doubles{1, -65504}));
  // bfloat16 is the upper half of a float: 0x3f80 is 1, 0xc2f7 is -123.5.
  EXPECT_EQ(typed_array(DType::bfloat16, {2}, raw<std::uint16_t>({0x3f80, 0xc2f7})).doubles(),
            (Doubles{1, -123.5}));
  EXPECT_EQ(typed_array(DType::float32, {2}, raw<float>({1.5F, -0x1p127F})).doubles(),
            (Doubles{1.5, -0x1p127}));
  EXPECT_EQ(typed_array(DType::float64, {2}, raw<double>({0.1, -1e308})).doubles(),
            (Doubles{0.1, -1e308}));
  EXPECT_EQ(typed_array(DType::int8, {2}, raw<std::int8_t>({-128, 127})).doubles(),
            (Doubles{-128, 127}));
  EXPECT_EQ(typed_array(DType::int16, {2}, raw<std::int16_t>({-32768, 32767})).doubles(),
            (Doubles{-32768, 32767}));
  EXPECT_EQ(typed_array(DType::int32, {1}, raw<std::int32_t>({INT32_MIN})).doubles(),
            (Doubles{-0x1p31}));
  EXPECT_EQ(typed_array(DType::int64, {1}, raw<std::int64_t>({INT64_MIN})).doubles(),
            (Doubles{-0x1p63}));
  EXPECT_EQ(typed_array(DType::uint8, {1}, raw<std::uint8_t>({255})).doubles(), (Doubles{255}));
  EXPECT_EQ(typed_array(DType::uint16, {1}, raw<std::uint16_t>({65535})).doubles(),
            (Doubles{65535}));
  EXPECT_EQ(typed_array(DType::uint32, {1}, raw<std::uint32_t>({UINT32_MAX})).doubles(),
            (Doubles{4294967295.0}));
  EXPECT_EQ(typed_array(DType::uint64, {1}, raw<std::uint64_t>({1ULL << 63})).doubles(),
            (Doubles{0x1p63}));
  // NumPy takes every byte but 0 for True.
  EXPECT_EQ(typed_array(DType::boolean, {3}, raw<std::uint8_t>({0, 1, 7})).doubles(),
            (Doubles{0, 1, 1}));
}

TEST(Array, IntegersOfEveryDtype) {
  using Integers = std::vector<std::int64_t>;
  EXPECT_EQ(typed_array(DType::int8, {2}, raw<std::int8_t>({-128, 127})).integers(),
            (Integers{-128, 127}));
  EXPECT_EQ(typed_array(DType::int16, {1}, raw<std::int16_t>({-2})).integers(), (Integers{-2}));
  EXPECT_EQ(typed_array(DType::int32, {1}, raw<std::int32_t>({-3})).integers(), (Integers{-3}));
  // 2^53 + 1 has no double: integers must not pass through one.
  EXPECT_EQ(typed_array(DType::int64, {1}, raw<std::int64_t>({9007199254740993})).integers(),
            (Integers{9007199254740993}));
  EXPECT_EQ(typed_array(DType::uint8, {1}, raw<std::uint8_t>({200})).integers(), (Integers{200}));
  EXPECT_EQ(typed_array(DType::uint16, {1}, raw<std::uint16_t>({60000})).integers(),
            (Integers{60000}));
  EXPECT_EQ(typed_array(DType::uint32, {1}, raw<std::uint32_t>({4000000000U})).integers(),
            (Integers{4000000000}));
  EXPECT_EQ(typed_array(DType::uint64, {1}, raw<std::uint64_t>({9007199254740993ULL})).integers(),
            (Integers{9007199254740993}));
  EXPECT_EQ(typed_array(DType::boolean, {2}, raw<std::uint8_t>({2, 0})).integers(),
            (Integers{1, 0}));
  EXPECT_EQ(typed_array(DType::float32, {2}, raw<float>({3.0F, -4.0F})).integers(),
            (Integers{3, -4}));
  EXPECT_EQ(typed_array(DType::float16, {1}, raw<std::uint16_t>({0x4400})).integers(),
            (Integers{4}));
}

TEST(Array, IntegersRefuseWhatIsNotWhole) {
  const auto message = [](double value) {
    return error_of([value] { Array::from_doubles({1.0, value}, {2}).integers(); });
  };
  EXPECT_TRUE(holds(message(2.5), {"item 1 is 2.5", "whole numbers", "integer dtype"}));
  EXPECT_TRUE(holds(message(std::nan("")), {"item 1 is nan", "whole numbers"}));
  EXPECT_TRUE(holds(message(INFINITY), {"item 1 is inf"}));
  EXPECT_TRUE(holds(message(0x1p63), {"item 1 is 9.22", "does not fit"}));
  EXPECT_EQ(Array::from_doubles({-0x1p63}, {1}).integers()[0], INT64_MIN);
  const Array huge = typed_array(DType::uint64, {1}, raw<std::uint64_t>({UINT64_MAX}));
  EXPECT_TRUE(holds(error_of([&] { huge.integers(); }), {"18446744073709551615", "does not fit"}));
}

TEST(Array, StringsOfTextAndIntegers) {
  EXPECT_EQ(typed_array(DType::text, {3}, std::string("abc\0\0\0a\0b", 9), 3).strings(),
            (Texts{"abc", "", std::string("a\0b", 3)}));
  EXPECT_EQ(Array::from_integers({-5, 1LL << 60}, {2}).strings(),
            (Texts{"-5", "1152921504606846976"}));
  EXPECT_EQ(typed_array(DType::uint64, {1}, raw<std::uint64_t>({UINT64_MAX})).strings(),
            (Texts{"18446744073709551615"}));
  EXPECT_EQ(Array::from_doubles({7.0}, {1}).strings(), (Texts{"7"}));
  EXPECT_TRUE(
      holds(error_of([] { Array::from_doubles({7.5}, {1}).strings(); }), {"item 0 is 7.5"}));
}

TEST(Array, TextIsNotANumber) {
  const Array text = typed_array(DType::text, {2}, "abcd", 2);
  EXPECT_EQ(text.size(), 2U);
  EXPECT_TRUE(holds(error_of([&] { text.doubles(); }), {"holds text", "numeric dtype"}));
  EXPECT_TRUE(holds(error_of([&] { text.integers(); }), {"holds text"}));
}

TEST(Array, ShapeRowsAndColumns) {
  const Array cube = Array::from_integers(std::vector<std::int64_t>(24, 1), {2, 3, 4});
  EXPECT_EQ(cube.rank(), 3U);
  EXPECT_EQ(cube.size(), 24U);
  EXPECT_EQ(cube.rows(), 2U);
  EXPECT_EQ(cube.cols(), 12U);
  EXPECT_EQ(shape_text(cube.shape()), "[2, 3, 4]");
  EXPECT_EQ(shape_text({}), "[]");
  EXPECT_EQ(shape_text({7}), "[7]");
  const Array vector = Array::from_integers({1, 2}, {2});
  EXPECT_EQ(vector.rows(), 2U);
  EXPECT_EQ(vector.cols(), 1U);
  const Array scalar = Array::from_doubles({2.5}, {});
  EXPECT_EQ(scalar.size(), 1U);
  EXPECT_EQ(scalar.rows(), 0U);
  EXPECT_EQ(Array().size(), 0U);
  const Array empty = Array::from_doubles({}, {0, 10});
  EXPECT_EQ(empty.size(), 0U);
  EXPECT_EQ(empty.cols(), 10U);
  EXPECT_TRUE(empty.doubles().empty());
  EXPECT_TRUE(empty.integers().empty());
  EXPECT_TRUE(empty.strings().empty());
}

TEST(Array, ReadPartsRowsAndSlices) {
  const Array cube = Array::from_doubles({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {2, 3, 2});
  std::vector<double> part(3);
  cube.read(5, part);
  EXPECT_EQ(part, (std::vector<double>{5, 6, 7}));
  const Array second = cube.slice(1);
  EXPECT_EQ(second.shape(), (std::vector<std::size_t>{3, 2}));
  EXPECT_EQ(second.bytes().data(), cube.bytes().data() + 6 * sizeof(double));
  std::vector<double> row(2);
  second.read_row(2, row);
  EXPECT_EQ(row, (std::vector<double>{10, 11}));
  EXPECT_EQ(cube.reshaped({12}).slice(11).doubles(), (std::vector<double>{11}));
}

TEST(Array, RepeatedRowsReadAsIfAllWereHeld) {
  const Array array = Array::repeated({1, 2, 3}, {4, 3});
  const std::vector<double> all = {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3};
  EXPECT_EQ(array.rows(), 4U);
  EXPECT_EQ(array.cols(), 3U);
  EXPECT_EQ(array.size(), 12U);
  EXPECT_EQ(array.bytes().size(), 3 * sizeof(float));
  EXPECT_EQ(array.doubles(), all);
  for (std::size_t first = 0; first <= all.size(); ++first) {
    for (std::size_t count = 0; first + count <= all.size(); ++count) {
      std::vector<double> part(count);
      array.read(first, part);
      EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + std::ptrdiff_t(first)))
          << first << " " << count;
    }
  }
  EXPECT_EQ(array.slice(3).doubles(), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(array.reshaped({2, 6}).doubles(), all);
  std::vector<double> two(2);
  EXPECT_TRUE(holds(error_of([&] { array.read(11, two); }), {"items 11 to 13", "array of 12"}));
  EXPECT_TRUE(holds(error_of([&] { Array::repeated({1, 2}, {4, 3}); }), {"2 items", "[4, 3]"}));
}

TEST(Array, ASliceOutlivesTheArrayItCameFrom) {
  Array slice;
  {
    const Array whole = Array::from_integers({1, 2, 3, 4}, {2, 2});
    slice = whole.slice(1);
  }
  EXPECT_EQ(slice.integers(), (std::vector<std::int64_t>{3, 4}));
}

TEST(Array, WhatLiesOutsideIsAnError) {
  const Array array = Array::from_doubles({1, 2, 3}, {3});
  std::vector<double> out(2);
  EXPECT_TRUE(holds(error_of([&] { array.read(2, out); }), {"items 2 to 4", "array of 3"}));
  EXPECT_TRUE(holds(error_of([&] { array.read(SIZE_MAX, out); }), {"array of 3"}));
  EXPECT_TRUE(holds(error_of([&] { array.slice(3); }), {"part 3", "[3]"}));
  EXPECT_TRUE(holds(error_of([] { Array::from_doubles({1}, {}).slice(0); }), {"part 0", "[]"}));
  EXPECT_TRUE(holds(error_of([&] { array.reshaped({2, 2}); }), {"[3]", "[2, 2]"}));
  EXPECT_TRUE(holds(error_of([] { Array::from_doubles({1}, {2}); }), {"[2]", "8 bytes"}));
  EXPECT_TRUE(holds(error_of([] {
                      Array::from_doubles({}, {1ULL << 40, 1ULL << 40});
                    }),
                    {"more items than can be counted"}));
  EXPECT_TRUE(holds(error_of([] {
                      Array::from_doubles({}, {0, 1ULL << 40, 1ULL << 40});
                    }),
                    {"more items than can be counted"}));
  EXPECT_TRUE(holds(error_of([&] { Array(DType::float32, {3}, array.bytes(), nullptr, 8); }),
                    {"float32", "8 bytes"}));
}

}  // namespace
}  // namespace vestige::evidence
