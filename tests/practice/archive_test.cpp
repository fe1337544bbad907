// Zip archives byte by byte, and those that must be refused.
#include "vestige/practice/archive.h"

#include <gtest/gtest.h>

#include "vestige/base/error.h"

namespace vestige::practice {
namespace {

// "a" holds "hello": CRC-32 0x3610a686 (zlib.crc32(b"hello") of Python).
TEST(Archive, IsWhatTheFormatSays) {
  using namespace std::string_literals;
  const std::string local =
      "PK\3\4\x14\0\0\x08\0\0\0\0\x21\0\x86\xa6\x10\x36\5\0\0\0\5\0\0\0\1\0\0\0"s + "ahello";
  const std::string central =
      "PK\1\2\x14\3\x14\0\0\x08\0\0\0\0\x21\0\x86\xa6\x10\x36\5\0\0\0\5\0\0\0\1\0\0\0"s +
      "\0\0\0\0\0\0\0\0\xa4\x81\0\0\0\0a"s;
  const std::string end = "PK\5\6\0\0\0\0\1\0\1\0\x2f\0\0\0\x24\0\0\0\0\0"s;
  EXPECT_EQ(packed_archive({{"a", "hello"}}), local + central + end);
}

TEST(Archive, GivesBackWhatWasPutIn) {
  const Contents files = {
      {"README.txt", "text\n"}, {"empty", ""}, {"plots/strip.svg", std::string(70000, '\xff')}};
  const std::string archive = packed_archive(files);
  EXPECT_EQ(unpacked_archive(archive), files);
  EXPECT_FALSE(changed_place(archive, files));
}

TEST(Archive, TheFirstChangedByteIsNamedWithItsMember) {
  const Contents files = {{"a", "hello"}, {"b", "world"}};
  std::string archive = packed_archive(files);
  archive[36 + 10] = 1;  // the time of b, whose header begins at 30 + 1 + 5
  const auto found = changed_place(archive, unpacked_archive(archive));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->byte, 46U);
  EXPECT_EQ(found->member, "b");
  archive = packed_archive(files) + "!";
  EXPECT_EQ(changed_place(archive, files)->member, "");
}

TEST(Archive, NamesThatLeaveTheFolderAreRefused) {
  for (const char* name :
       {"../x", "/etc/x", "a/../../x", "a//b", "a/", "a\\b", ".", "..", "\xff"}) {
    EXPECT_THROW(unpacked_archive(packed_archive({{name, "x"}})), InputError) << name;
  }
  EXPECT_THROW(unpacked_archive(""), InputError);
  EXPECT_THROW(unpacked_archive("PK\3\4"), InputError);
  EXPECT_THROW(unpacked_archive("no zip at all, but long enough to hold a header"), InputError);
}

}  // namespace
}  // namespace vestige::practice
