// The npy reader: NumPy's own files (fixtures/make.py) and hand-built faults.
#include "vestige/evidence/formats/npy.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>

#include "tests/evidence/support.h"
#include "vestige/base/file.h"
#include "vestige/evidence/formats/mapped_file.h"
#include "vestige/evidence/formats/utf8.h"

namespace vestige::evidence {
namespace {

using testing::error_of;
using testing::fixture;
using testing::fixture_values;
using testing::hold;
using testing::holds;
using testing::npy;
using testing::raw;
using Shape = std::vector<std::size_t>;
using Texts = std::vector<std::string>;

constexpr std::string_view kPlain = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";

Array parsed_npy(std::string_view content) {
  const testing::Held held = hold(content);
  return parse_npy(held.bytes(), held.owner, "some/a.npy");
}

std::string npy_error(std::string_view content) {
  return error_of([content] { parsed_npy(content); });
}

struct TypeCase {
  const char* code;
  DType dtype;
};

class NpyTypes : public ::testing::TestWithParam<TypeCase> {};

TEST_P(NpyTypes, BothByteOrdersAndBothMemoryOrders) {
  for (const char* layout : {"little_c", "big_c", "little_fortran", "big_fortran"}) {
    const Array array = read_npy(fixture(fmt::format("{}_{}.npy", GetParam().code, layout)));
    EXPECT_EQ(array.dtype(), GetParam().dtype) << layout;
    EXPECT_EQ(array.shape(), (Shape{4, 3})) << layout;
    EXPECT_EQ(array.doubles(), fixture_values(GetParam().code[0])) << layout;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, NpyTypes,
    ::testing::Values(TypeCase{"f2", DType::float16}, TypeCase{"f4", DType::float32},
                      TypeCase{"f8", DType::float64}, TypeCase{"i1", DType::int8},
                      TypeCase{"i2", DType::int16}, TypeCase{"i4", DType::int32},
                      TypeCase{"i8", DType::int64}, TypeCase{"u1", DType::uint8},
                      TypeCase{"u2", DType::uint16}, TypeCase{"u4", DType::uint32},
                      TypeCase{"u8", DType::uint64}, TypeCase{"b1", DType::boolean}),
    [](const auto& test) { return std::string(test.param.code); });

TEST(Npy, Versions) {
  for (const char* file : {"version1.npy", "version2.npy", "version3.npy"}) {
    EXPECT_EQ(read_npy(fixture(file)).doubles(), fixture_values('f')) << file;
  }
}

TEST(Npy, ThreeDimensionsInFortranOrder) {
  const Array cube = read_npy(fixture("cube_fortran.npy"));
  EXPECT_EQ(cube.shape(), (Shape{2, 3, 4}));
  const std::vector<double> values = cube.doubles();
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(values[i], static_cast<double>(i));
}

TEST(Npy, ScalarAndEmpty) {
  const Array scalar = read_npy(fixture("scalar.npy"));
  EXPECT_EQ(scalar.shape(), Shape{});
  EXPECT_EQ(scalar.doubles(), std::vector<double>{2.5});
  const Array empty = read_npy(fixture("empty.npy"));
  EXPECT_EQ(empty.shape(), (Shape{0, 10}));
  EXPECT_TRUE(empty.doubles().empty());
  EXPECT_EQ(
      parsed_npy(npy("{'descr': '>f4', 'fortran_order': True, 'shape': (0, 3), }", "")).rows(), 0U);
}

TEST(Npy, Text) {
  const Texts words{"a", "Zürich", "", "日本語", "😀 ok"};
  for (const char* file : {"unicode_little.npy", "unicode_big.npy"}) {
    const Array array = read_npy(fixture(file));
    EXPECT_EQ(array.dtype(), DType::text);
    EXPECT_EQ(array.strings(), words) << file;
  }
  EXPECT_EQ(read_npy(fixture("bytes.npy")).strings(), (Texts{"forget", "", "row 3"}));
  const Array matrix = read_npy(fixture("bytes_matrix_fortran.npy"));
  EXPECT_EQ(matrix.shape(), (Shape{2, 2}));
  EXPECT_EQ(matrix.strings(), (Texts{"ab", "c", "", "de"}));
}

TEST(Npy, TextThatIsNotUnicodeIsNamedByRow) {
  EXPECT_TRUE(holds(error_of([] { read_npy(fixture("latin1.npy")); }),
                    {"latin1.npy", "row 1", "not UTF-8", "dtype U"}));
  // U+D800 is a surrogate, U+110000 lies beyond the last code point.
  for (const std::uint32_t point : {0xd800U, 0x110000U}) {
    EXPECT_TRUE(holds(npy_error(npy("{'descr': '<U1', 'fortran_order': False, 'shape': (2,), }",
                                    raw<std::uint32_t>({'a', point}))),
                      {"some/a.npy", "row 1", "not unicode"}));
  }
}

TEST(Npy, NativeArraysAreViewsOfTheFile) {
  const MappedFile file = map_file(fixture("f4_little_c.npy"));
  const Array view = parse_npy(file.bytes, file.owner, "x");
  EXPECT_EQ(view.bytes().data(), file.bytes.data() + 128);
  const MappedFile fortran = map_file(fixture("f4_little_fortran.npy"));
  const Array copy = parse_npy(fortran.bytes, fortran.owner, "x");
  EXPECT_NE(copy.bytes().data(), fortran.bytes.data() + 128);
  // One dimension is the same in both orders: no copy either.
  const testing::Held held =
      hold(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", raw<float>({1, 2})));
  const Array vector = parse_npy(held.bytes(), held.owner, "x");
  EXPECT_EQ(vector.bytes().data() + 8, held.bytes().data() + held.bytes().size());
}

TEST(Npy, AnArrayOutlivesTheReader) {
  Array array;
  {
    const testing::TemporaryFolder folder;
    write_file(folder / "a.npy", npy(kPlain, raw<float>({1.5F, 2.5F})));
    array = read_npy(folder / "a.npy");
  }
  EXPECT_EQ(array.doubles(), (std::vector<double>{1.5, 2.5}));
}

TEST(Npy, HeaderMayBeWrittenInOtherWays) {
  const std::string data = raw<float>({1, 2});
  for (const std::string_view header :
       {kPlain, std::string_view("{'shape':(2,),'fortran_order':False,'descr':'<f4'}"),
        std::string_view("  {  \"descr\" : \"<f4\" ,\n\t\"shape\" : ( 2 , ) , "
                         "\"fortran_order\" : False } \n\n"),
        std::string_view("{'descr': 'f4', 'fortran_order': False, 'shape': (2L,)}"),
        std::string_view("{'descr': '=f4', 'fortran_order': False, 'shape': (2,)}")}) {
    EXPECT_EQ(parsed_npy(npy(header, data)).doubles(), (std::vector<double>{1, 2})) << header;
    EXPECT_EQ(parsed_npy(npy(header, data, 2)).doubles(), (std::vector<double>{1, 2})) << header;
  }
}

TEST(Npy, UnreadableTypesSayWhatToDo) {
  const auto message = [](std::string_view file) {
    return error_of([file] { read_npy(fixture(file)); });
  };
  EXPECT_TRUE(holds(message("object.npy"),
                    {"object.npy", "object arrays cannot be read; export with a numeric dtype"}));
  EXPECT_TRUE(holds(message("complex.npy"), {"complex.npy", "complex numbers", "real numbers"}));
  EXPECT_TRUE(holds(message("datetime.npy"), {"datetime.npy", "dates or times", "integers"}));
  EXPECT_TRUE(holds(message("structured.npy"), {"structured.npy", "structured", "own array"}));
  EXPECT_TRUE(holds(message("longdouble.npy"), {"longdouble.npy", "<f16", "float64"}));
  EXPECT_TRUE(holds(message("void.npy"), {"void.npy", "|V4", "numeric dtype"}));
  EXPECT_TRUE(
      holds(npy_error(npy("{'descr': '<q\x1b', 'fortran_order': False, 'shape': (2,)}", "")),
            {"unknown dtype '<q?'"}));
  EXPECT_TRUE(holds(npy_error(npy("{'descr': '', 'fortran_order': False, 'shape': (2,)}", "")),
                    {"unknown dtype ''"}));
  for (const char* width : {"S", "S0", "U", "Ux", "U4294967296", "S-1", "U1 "}) {
    EXPECT_TRUE(holds(npy_error(npy(fmt::format("{{'descr': '|{}', 'fortran_order': False, "
                                                "'shape': (2,)}}",
                                                width),
                                    "")),
                      {"some/a.npy", "without a possible width"}))
        << width;
  }
}

TEST(Npy, ForeignFilesAreNamed) {
  EXPECT_TRUE(holds(npy_error("hello, world"), {"some/a.npy is not an npy file", "numpy.save"}));
  EXPECT_TRUE(holds(npy_error("PK\x03\x04........"), {"zip archive", ".npz"}));
  EXPECT_TRUE(holds(npy_error("\x89HDF\r\n"), {"HDF5"}));
  EXPECT_TRUE(holds(npy_error("\x1f\x8b\x08"), {"gzip"}));
  EXPECT_TRUE(holds(npy_error("\x80\x04\x95"), {"pickle", "numpy.save"}));
  EXPECT_TRUE(holds(npy_error("version https://git-lfs.github.com/spec/v1\n"), {"git lfs pull"}));
  EXPECT_TRUE(holds(npy_error("{\"a\": 1}"), {"text"}));
}

TEST(Npy, TruncatedAnywhereIsSaidSo) {
  const std::string file = npy(kPlain, raw<float>({1, 2}));
  const std::size_t header = file.size() - 8;
  for (std::size_t length = 0; length < file.size(); ++length) {
    const std::string text = npy_error(file.substr(0, length));
    EXPECT_TRUE(holds(text, {"some/a.npy", "truncated"})) << length;
    EXPECT_EQ(text.find("inside its header") != std::string::npos, length < header) << length;
  }
  EXPECT_EQ(npy_error(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (40, 10), }", "1234")),
            "some/a.npy holds 4 bytes of data, shape [40, 10] of float32 needs 1600: the file is "
            "truncated, export it again");
  const std::string second = npy(kPlain, raw<float>({1, 2}), 3);
  EXPECT_TRUE(holds(npy_error(second.substr(0, 11)), {"truncated inside its header"}));
}

TEST(Npy, TrailingBytesAreAnError) {
  EXPECT_TRUE(holds(npy_error(npy(kPlain, "123456789")),
                    {"some/a.npy holds 9 bytes", "needs 8", "1 trailing bytes"}));
}

TEST(Npy, ImpossibleShapes) {
  const auto message = [](std::string_view shape) {
    return npy_error(
        npy(fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': {}, }}", shape), ""));
  };
  EXPECT_TRUE(holds(message("(4, -1)"), {"some/a.npy", "negative dimension"}));
  EXPECT_TRUE(holds(message("(1099511627776, 1099511627776)"), {"larger than any file"}));
  EXPECT_TRUE(holds(message("(0, 1099511627776, 1099511627776)"), {"larger than any file"}));
  EXPECT_TRUE(holds(message("(99999999999999999999,)"), {"larger than any file"}));
  EXPECT_TRUE(holds(message("(2.5,)"), {"not a valid npy file"}));
  EXPECT_TRUE(holds(message("(x,)"), {"something else than whole numbers"}));
  EXPECT_TRUE(holds(message("(2)"), {"without the comma"}));
  EXPECT_TRUE(holds(message("[2, 3]"), {"'['", "'('"}));
  EXPECT_TRUE(holds(message("2"), {"'('"}));
  std::string deep = "(";
  for (int i = 0; i < 65; ++i) deep += "1,";
  EXPECT_TRUE(holds(message(deep + ")"), {"more than 64 dimensions"}));
}

TEST(Npy, MalformedHeaders) {
  const auto message = [](std::string_view header) { return npy_error(npy(header, "")); };
  EXPECT_TRUE(holds(message(""), {"ends where '{' is due", "numpy.save"}));
  EXPECT_TRUE(holds(message("{"), {"no quoted text"}));
  EXPECT_TRUE(holds(message("{'descr"), {"not closed"}));
  EXPECT_TRUE(holds(message("{'descr\\x': 1}"), {"escape"}));
  EXPECT_TRUE(holds(message("{'descr' '<f4'}"), {"''' where ':' is due"}));
  EXPECT_TRUE(holds(message("{'order': 1}"), {"unknown or repeated key 'order'"}));
  EXPECT_TRUE(holds(message("{'descr': '<f4', 'descr': '<f4'}"), {"repeated key 'descr'"}));
  EXPECT_TRUE(holds(message("{'fortran_order': 0}"), {"neither True nor False"}));
  EXPECT_TRUE(
      holds(message("{'descr': '<f4', 'fortran_order': False}"), {"lacks the key 'shape'"}));
  EXPECT_TRUE(holds(message("{'descr': '<f4', 'shape': ()}"), {"lacks the key 'fortran_order'"}));
  EXPECT_TRUE(holds(message("{'shape': (), 'fortran_order': True}"), {"lacks the key 'descr'"}));
  EXPECT_TRUE(holds(message(std::string(kPlain) + "x"), {"goes on after its closing brace"}));
  EXPECT_TRUE(holds(message("{'shape': () 'descr': '<f4'}"), {"where '}' is due"}));
}

TEST(Npy, UnknownVersionAndHugeHeader) {
  EXPECT_TRUE(holds(npy_error(npy(kPlain, "", 4)), {"some/a.npy", "version 4.0", "1.0 to 3.0"}));
  EXPECT_TRUE(holds(npy_error(npy(kPlain, "", 0)), {"version 0.0"}));
  std::string huge("\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr'", 20);
  EXPECT_TRUE(holds(npy_error(huge), {"header of 4294967295 bytes", "damaged"}));
}

TEST(MapFile, FaultsAreNamed) {
  const testing::TemporaryFolder folder;
  EXPECT_TRUE(
      holds(error_of([&] { read_npy(folder / "none.npy"); }), {"none.npy", "does not exist"}));
  EXPECT_TRUE(holds(error_of([&] { read_npy(folder.path()); }), {"is a folder"}));
  write_file(folder / "empty.npy", "");
  EXPECT_TRUE(holds(error_of([&] { read_npy(folder / "empty.npy"); }),
                    {"empty.npy is empty", "export it again"}));
  ASSERT_EQ(::mkfifo((folder / "pipe.npy").c_str(), 0666), 0);
  EXPECT_TRUE(
      holds(error_of([&] { read_npy(folder / "pipe.npy"); }), {"pipe.npy is not a regular file"}));
  write_file(folder / "secret.npy", "x");
  ASSERT_EQ(::chmod((folder / "secret.npy").c_str(), 0), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  EXPECT_TRUE(holds(testing::in_child([&]() -> std::string {
                      if (::geteuid() == 0 && ::seteuid(65534) != 0)
                        return "cannot drop privileges";
                      return error_of([&] { read_npy(folder / "secret.npy"); });
                    }),
                    {"cannot read", "secret.npy", "Permission denied", "permissions"}));
}

TEST(WriteNpy, TheBytesAreNumpysOwn) {
  for (const char* file :
       {"f2_little_c.npy", "f4_little_c.npy", "f8_little_c.npy", "i1_little_c.npy",
        "i8_little_c.npy", "u1_little_c.npy", "u2_little_c.npy", "b1_little_c.npy", "scalar.npy",
        "empty.npy", "unicode_little.npy"}) {
    EXPECT_EQ(write_npy(read_npy(fixture(file))), read_file(fixture(file))) << file;
  }
}

TEST(WriteNpy, RoundTripOfEveryShape) {
  for (const Shape& shape :
       {Shape{}, Shape{1}, Shape{0}, Shape{1, 1}, Shape{2, 0, 3}, Shape{2, 3}}) {
    std::size_t count = 1;
    for (const std::size_t length : shape) count *= length;
    const std::string file = write_npy(Array::from_doubles(std::vector<double>(count, 0.5), shape));
    EXPECT_EQ((file.size() - 8 * count) % 64, 0U);
    const Array back = parsed_npy(file);
    EXPECT_EQ(back.shape(), shape);
    EXPECT_EQ(back.doubles(), std::vector<double>(count, 0.5));
  }
}

TEST(WriteNpy, Bfloat16BecomesFloat32) {
  const testing::Held held = hold(raw<std::uint16_t>({0x3f80, 0xc2f7}));
  const Array back =
      parsed_npy(write_npy(Array(DType::bfloat16, {2}, held.bytes(), held.owner, 2)));
  EXPECT_EQ(back.dtype(), DType::float32);
  EXPECT_EQ(back.doubles(), (std::vector<double>{1, -123.5}));
}

TEST(Utf8, WhatAnErrorShowsCannotBreakTheLineOrSteerTheTerminal) {
  EXPECT_EQ(printable("a\n\x1b[31m\x7f\xc2\x9b"
                      "b"),
            "a??[31m??b");
  EXPECT_EQ(printable("Zürich \xff"), "Zürich ?");
  std::string cut(80, 'x');
  cut += "...";
  EXPECT_EQ(printable(std::string(81, 'x')), cut);
}

TEST(Utf8, RoundTripAndMalformed) {
  for (const char32_t point :
       {U'a', U'\x7f', U'\x80', U'\x7ff', U'\x800', U'\xffff', U'\x10000', U'\x10ffff'}) {
    std::string text;
    ASSERT_TRUE(append_utf8(text, point));
    EXPECT_EQ(code_points(text), std::u32string(1, point));
  }
  // Overlong, surrogate, beyond the end, lone continuation, cut short.
  for (const std::string_view text : {"\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                                      "\xf4\x90\x80\x80", "\x80", "\xe2\x82", "\xff"}) {
    EXPECT_FALSE(is_utf8(text));
    EXPECT_THROW(code_points(text), InputError);
  }
}

}  // namespace
}  // namespace vestige::evidence
