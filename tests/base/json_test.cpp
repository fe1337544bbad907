// JSON numbers that JSON lacks, and the order of keys.
#include "vestige/base/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace vestige {
namespace {

TEST(Json, NanIsNullAndInfinitiesAreText) {
  EXPECT_EQ(json_number(std::numeric_limits<double>::quiet_NaN()).dump(), "null");
  EXPECT_EQ(json_number(std::numeric_limits<double>::infinity()).dump(), "\"inf\"");
  EXPECT_EQ(json_number(-std::numeric_limits<double>::infinity()).dump(), "\"-inf\"");
}

TEST(Json, FiniteNumbersSurviveTheRoundTripExactly) {
  // 0.1 + 0.2 needs 17 digits; the others are the extremes of double.
  for (const double value : {0.0, -1.5, 0.1 + 0.2, std::numeric_limits<double>::max(),
                             std::numeric_limits<double>::denorm_min()}) {
    EXPECT_EQ(Json::parse(json_number(value).dump()).get<double>(), value);
  }
}

TEST(Json, KeysKeepTheirOrder) {
  Json json;
  json["zebra"] = 1;
  json["apple"] = 2;
  EXPECT_EQ(json.dump(), R"({"zebra":1,"apple":2})");
}

}  // namespace
}  // namespace vestige
