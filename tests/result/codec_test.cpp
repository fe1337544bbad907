// What is written is read back: every enumerator, every reason, every field.
#include "vestige/result/codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "tests/support/sample_reasons.h"
#include "vestige/audit/remembered.h"
#include "vestige/result/remark.h"
#include "vestige/result/row.h"
#include "vestige/result/run.h"
#include "vestige/result/verdict.h"
#include "vestige/words/words.h"

namespace vestige::result {
namespace {

template <typename Enumeration>
void expect_round_trip() {
  for (const auto& [value, word] : Names<Enumeration>::list) {
    const Json json = json_of(value);
    EXPECT_EQ(json, std::string(word));
    EXPECT_EQ(from_json<Enumeration>(json), value);
    EXPECT_EQ(from_name<Enumeration>(word), value);
  }
  EXPECT_THROW(from_json<Enumeration>(Json("no such word")), InputError);
}

TEST(ResultCodec, EveryEnumerator) {
  expect_round_trip<Direction>();
  expect_round_trip<Status>();
  expect_round_trip<Control>();
  expect_round_trip<Cause>();
  expect_round_trip<Outcome>();
  expect_round_trip<Leaning>();
  expect_round_trip<Word>();
  expect_round_trip<Form>();
  expect_round_trip<Quantity>();
}

TEST(ResultCodec, EveryReason) {
  for (const Code code : all_codes()) {
    SCOPED_TRACE(name(code));
    const Reason reason = vestige::testing::sample_reason(code);
    EXPECT_EQ(from_json<Reason>(json_of(reason)), reason);
    EXPECT_EQ(code_of(name(code)), code);
  }
  EXPECT_EQ(from_json<Reason>(json_of(Reason())), Reason());
}

TEST(ResultCodec, TextsThatWereAddedForReadersAreNotReadBack) {
  const Reason reason = vestige::testing::sample_reason(Code::cannot_tell_original);
  Json json = {{"list", Json::array({json_of(reason)})}};
  words::add_texts(json);
  EXPECT_EQ(json["list"][0]["text"], words::text(reason));
  json["list"][0]["text"] = "something else";
  EXPECT_EQ(from_json<Reason>(json["list"][0]), reason);
}

TEST(ResultCodec, ReasonsOfLaterVersionsKeepTheirText) {
  const Json json = {{"code", "of_a_later_version"}, {"arguments", {{"n", 3}}}, {"text", "three"}};
  EXPECT_EQ(words::text(from_json<Reason>(json)), "three");
}

TEST(ResultCodec, NumbersThatJsonLacks) {
  EXPECT_TRUE(json_of(kUndefined).is_null());
  EXPECT_TRUE(std::isnan(from_json<double>(Json())));
  EXPECT_EQ(json_of(HUGE_VAL), "inf");
  EXPECT_EQ(from_json<double>(Json("-inf")), -HUGE_VAL);
}

/// Sets every field of a struct to something that is not its default.
struct Fill {
  void operator()(double& value) const { value = 0.5; }
  void operator()(bool& value) const { value = !value; }
  void operator()(char& value) const { value = 'B'; }
  void operator()(std::string& value) const { value = "text"; }
  void operator()(Json& value) const { value = {{"key", 1}}; }
  void operator()(Reason& value) const { value = Code::no_original_model; }
  void operator()(std::vector<std::pair<std::string, std::vector<double>>>& value) const {
    value = {{"x", {1, 2}}, {"y", {3, 4}}};
  }
  template <typename Integer>
  requires std::is_integral_v<Integer>
  void operator()(Integer& value) const { value = 7; }
  template <Named Enumeration>
  void operator()(Enumeration& value) const {
    // Neither the first nor, as for verdicts, the last is the default of the other.
    const auto& all = Names<Enumeration>::list;
    value = value == all.back().first ? all.front().first : all.back().first;
  }
  template <typename Value>
  void operator()(std::vector<Value>& values) const {
    values.resize(2);
    for (Value& value : values) (*this)(value);
  }
  template <typename Value>
  void operator()(std::optional<Value>& value) const {
    (*this)(value.emplace());
  }
  template <Listed Struct>
  void operator()(Struct& value) const {
    Struct::fields([&](const char*, auto member, const char*) { (*this)(value.*member); });
  }
};

template <typename Struct>
void expect_struct_round_trip() {
  Struct value;
  Fill{}(value);
  const Json json = json_of(value);
  EXPECT_EQ(json_of(from_json<Struct>(json)), json) << Struct::kType;
  // No field is left out: each differs from that of a fresh struct.
  const Json fresh = json_of(Struct{});
  for (const auto& [key, own] : json.items()) EXPECT_NE(own, fresh[key]) << Struct::kType << key;
}

TEST(ResultCodec, EveryField) {
  expect_struct_round_trip<Subject>();
  expect_struct_round_trip<Row>();
  expect_struct_round_trip<Series>();
  expect_struct_round_trip<Remark>();
  expect_struct_round_trip<Skipped>();
  expect_struct_round_trip<Grade>();
  expect_struct_round_trip<Difference>();
  expect_struct_round_trip<VerdictTest>();
  expect_struct_round_trip<VerdictAddition>();
  expect_struct_round_trip<Verdict>();
  expect_struct_round_trip<result::Run>();
  expect_struct_round_trip<RunSelection>();
  expect_struct_round_trip<SampleFile>();
  expect_struct_round_trip<SampleColumnInfo>();
  expect_struct_round_trip<audit::RememberedRows>();
  expect_struct_round_trip<audit::RememberedRow>();
}

// A place in a split that was written on a machine with larger numbers is no other place here.
TEST(ResultCodec, WholeNumbersThatDoNotFitAreAbsent) {
  EXPECT_EQ(from_json<std::uint32_t>(Json(4294967295U)), 4294967295U);
  EXPECT_EQ(from_json<std::uint32_t>(Json(std::uint64_t{1} << 32U)), 0U);
  EXPECT_EQ(from_json<std::uint64_t>(Json(-1)), 0U);
  EXPECT_EQ(from_json<int>(Json(-1)), -1);
  EXPECT_EQ(from_json<std::uint64_t>(Json(~std::uint64_t{0})), ~std::uint64_t{0});
}

TEST(Reasons, WrongArgumentsAreAnInternalError) {
  EXPECT_THROW(reason(Code::no_original_model, 1), std::logic_error);
  EXPECT_THROW(reason(Code::original_rated_better, 1.0), std::logic_error);
  EXPECT_THROW(reason(Code::only_on_request, 3), std::logic_error);
  EXPECT_NO_THROW(reason(Code::original_rated_better, 1, 2));  // counts are numbers too
}

}  // namespace
}  // namespace vestige::result
