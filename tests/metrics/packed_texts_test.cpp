// Texts in one piece come back as they were given.
#include "vestige/metrics/packed_texts.h"

#include <gtest/gtest.h>

#include <string>

namespace vestige::metrics {
namespace {

TEST(PackedTexts, GiveEachTextBack) {
  PackedTexts texts = {"0 1", "", "12"};
  texts.push_back("");
  texts.shrink_to_fit();
  ASSERT_EQ(texts.size(), 4U);
  EXPECT_EQ(texts[0], "0 1");
  EXPECT_EQ(texts[1], "");
  EXPECT_EQ(texts[2], "12");
  EXPECT_EQ(texts[3], "");
}

TEST(PackedTexts, AreEmptyOnlyWithoutTexts) {
  EXPECT_TRUE(PackedTexts().empty());
  EXPECT_FALSE((PackedTexts{""}).empty());
}

}  // namespace
}  // namespace vestige::metrics
