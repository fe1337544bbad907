// The safetensors reader: a file with every dtype (fixtures/make.py) and hand-built faults.
#include "vestige/evidence/formats/safetensors.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/evidence/support.h"
#include "vestige/evidence/formats/mapped_file.h"

namespace vestige::evidence {
namespace {

using testing::error_of;
using testing::fixture;
using testing::fixture_values;
using testing::hold;
using testing::holds;

std::string file(const std::string& header, const std::string& data) {
  const auto size = static_cast<std::uint64_t>(header.size());
  return testing::raw<std::uint64_t>({size}) + header + data;
}

std::map<std::string, Array> parsed_safetensors(const std::string& content) {
  const testing::Held held = hold(content);
  return parse_safetensors(held.bytes(), held.owner, "some/e.safetensors");
}

std::string safetensors_error(const std::string& content) {
  return error_of([&] { parsed_safetensors(content); });
}

TEST(Safetensors, EveryDtype) {
  const auto arrays = read_safetensors(fixture("all.safetensors"));
  ASSERT_EQ(arrays.size(), 13U);  // __metadata__ is none of them
  const std::vector<std::pair<std::string, DType>> dtypes{
      {"F16", DType::float16}, {"BF16", DType::bfloat16}, {"F32", DType::float32},
      {"F64", DType::float64}, {"I8", DType::int8},       {"I16", DType::int16},
      {"I32", DType::int32},   {"I64", DType::int64},     {"U8", DType::uint8},
      {"U16", DType::uint16},  {"U32", DType::uint32},    {"U64", DType::uint64},
      {"BOOL", DType::boolean}};
  for (const auto& [code, dtype] : dtypes) {
    const Array& array = arrays.at("all/" + code);
    EXPECT_EQ(array.dtype(), dtype) << code;
    EXPECT_EQ(array.shape(), (std::vector<std::size_t>{4, 3})) << code;
    const char kind = code == "BOOL"                     ? 'b'
                      : code[0] == 'B' || code[0] == 'F' ? 'f'
                      : code[0] == 'I'                   ? 'i'
                                                         : 'u';
    EXPECT_EQ(array.doubles(), fixture_values(kind)) << code;
  }
}

TEST(Safetensors, TensorsAreViewsThatOutliveTheReader) {
  const MappedFile mapped = map_file(fixture("all.safetensors"));
  auto arrays = parse_safetensors(mapped.bytes, mapped.owner, "x");
  const Array array = arrays.at("all/F32");
  arrays.clear();
  EXPECT_GE(array.bytes().data(), mapped.bytes.data());
  EXPECT_LT(array.bytes().data(), mapped.bytes.data() + mapped.bytes.size());
}

TEST(Safetensors, ScalarEmptyAndNoTensors) {
  const auto arrays =
      parsed_safetensors(file(R"({"s":{"dtype":"F32","shape":[],"data_offsets":[0,4]},
      "e":{"dtype":"I64","shape":[0,5],"data_offsets":[4,4]}}  )",
                              testing::raw<float>({2.5F})));
  EXPECT_EQ(arrays.at("s").doubles(), std::vector<double>{2.5});
  EXPECT_EQ(arrays.at("e").size(), 0U);
  EXPECT_TRUE(parsed_safetensors(file("{}", "")).empty());
}

TEST(Safetensors, ForeignAndTruncatedFiles) {
  EXPECT_TRUE(holds(safetensors_error("short"), {"some/e.safetensors", "truncated"}));
  EXPECT_TRUE(holds(safetensors_error("PK\3\4 a zip archive"),
                    {"some/e.safetensors", "not a safetensors"}));
  EXPECT_TRUE(holds(safetensors_error(file("", "")), {"not a safetensors file"}));
  EXPECT_TRUE(holds(safetensors_error(file("[1]", "")), {"not a safetensors file"}));
  EXPECT_TRUE(holds(safetensors_error(file("{\"a\":", "")), {"not valid JSON"}));
  EXPECT_TRUE(holds(safetensors_error(file("{\"a\xff\":1}", "")), {"not valid JSON"}));
  const std::string whole =
      file(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "12345678");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_TRUE(
        holds(safetensors_error(whole.substr(0, length)), {"some/e.safetensors", "truncated"}))
        << length;
  }
}

TEST(Safetensors, TensorsMustBeDescribedWhole) {
  const auto message = [](const std::string& entry) {
    return safetensors_error(file("{\"a\":" + entry + "}", "12345678"));
  };
  EXPECT_TRUE(holds(message("3"), {"the tensor a lacks"}));
  EXPECT_TRUE(holds(message(R"({"dtype":"F32","shape":[2]})"), {"lacks"}));
  EXPECT_TRUE(holds(message(R"({"dtype":7,"shape":[2],"data_offsets":[0,8]})"), {"dtype"}));
  EXPECT_TRUE(holds(message(R"({"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]})"),
                    {"some/e.safetensors", "tensor a has the dtype F8_E4M3", "F32"}));
  EXPECT_TRUE(holds(message(R"({"dtype":"F32","shape":2,"data_offsets":[0,8]})"), {"shape"}));
  EXPECT_TRUE(
      holds(message(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})"), {"dimension"}));
  EXPECT_TRUE(
      holds(message(R"({"dtype":"F32","shape":[2.0],"data_offsets":[0,8]})"), {"dimension"}));
  EXPECT_TRUE(holds(
      message(R"({"dtype":"F32","shape":[1099511627776,1099511627776],"data_offsets":[0,8]})"),
      {"larger than any file"}));
  EXPECT_TRUE(
      holds(message(R"({"dtype":"F32","shape":[2],"data_offsets":[0]})"), {"data_offsets"}));
  EXPECT_TRUE(
      holds(message(R"({"dtype":"F32","shape":[2],"data_offsets":[-8,0]})"), {"data_offsets"}));
  EXPECT_TRUE(holds(message(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})"), {"backwards"}));
  EXPECT_TRUE(holds(message(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})"),
                    {"tensor a has 8 bytes, shape [3] of float32 needs 12"}));
  EXPECT_TRUE(holds(message(R"({"dtype":"F32","shape":[2],"data_offsets":[4,12]})"),
                    {"ends at byte 12, the file holds 8", "truncated"}));
}

TEST(Safetensors, TensorsMustCoverTheDataOnce) {
  const auto message = [](const std::string& a, const std::string& b) {
    return safetensors_error(file(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + a +
                                      R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + b +
                                      "}}",
                                  "12345678"));
  };
  EXPECT_TRUE(holds(message("[0,4]", "[2,6]"), {"the tensor b overlaps another"}));
  EXPECT_TRUE(holds(message("[0,4]", "[0,4]"), {"overlaps another"}));
  EXPECT_TRUE(holds(safetensors_error(file(
                        R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})", "12345678")),
                    {"4 bytes before the tensor a"}));
  EXPECT_TRUE(holds(safetensors_error(file(
                        R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", "12345678")),
                    {"4 trailing bytes"}));
  EXPECT_TRUE(
      holds(safetensors_error(file(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                                   R"("a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})",
                                   "1234")),
            {"two tensors named a"}));
}

TEST(Safetensors, ANameWithALineBreakDoesNotBreakTheError) {
  EXPECT_TRUE(holds(safetensors_error(file("{\"a\\nb\":1}", "")), {"the tensor a?b lacks"}));
}

TEST(Safetensors, AHugeHeaderIsRefused) {
  EXPECT_TRUE(holds(safetensors_error(testing::raw<std::uint64_t>({1ULL << 60}) + "{}"),
                    {"header of 1152921504606846976 bytes"}));
}

}  // namespace
}  // namespace vestige::evidence
