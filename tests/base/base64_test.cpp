// The test vectors of RFC 4648, section 10.
#include "vestige/base/base64.h"

#include <gtest/gtest.h>

#include <string_view>

namespace vestige {
namespace {

std::string of(std::string_view text) { return base64(std::as_bytes(std::span(text))); }

TEST(Base64, IsThatOfTheRfc) {
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foo"), "Zm9v");
  EXPECT_EQ(of("foob"), "Zm9vYg==");
  EXPECT_EQ(of("fooba"), "Zm9vYmE=");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
}

TEST(Base64, TakesAllBytes) {
  // 0xfb 0xff 0xfe: 111110 111111 111111 111110 = 62, 63, 63, 62.
  EXPECT_EQ(of("\xfb\xff\xfe"), "+//+");
  EXPECT_EQ(of(std::string_view("\0\0\0", 3)), "AAAA");
}

}  // namespace
}  // namespace vestige
