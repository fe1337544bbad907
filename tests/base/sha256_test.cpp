// SHA-256 against the examples of FIPS 180-2, appendix B, and of NIST's test vectors.
#include "vestige/base/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace vestige {
namespace {

std::string digest(const std::string& text) {
  return sha256(std::as_bytes(std::span<const char>(text)));
}

TEST(Sha256, Abc) {
  EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, Empty) {
  EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, TwoBlocks) {
  EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, OneMillionTimesA) {
  EXPECT_EQ(digest(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, InputLongerThanOneInternalBlock) {
  // 2^26 + 1 zero bytes cross the block in which the loop hands data on; the value is coreutils':
  // head -c 67108865 /dev/zero | sha256sum
  EXPECT_EQ(digest(std::string((std::size_t{1} << 26) + 1, '\0')),
            "91990977345985aaf03af1358f4f989d7eaf985b58529efb72f613c588f6599a");
}

}  // namespace
}  // namespace vestige
