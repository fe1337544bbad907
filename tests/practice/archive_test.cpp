// Zip archives byte by byte, and those that must be refused.
#include "vestige/practice/archive.h"

#include <gtest/gtest.h>

#include <span>

#include "vestige/base/error.h"
#include "vestige/base/sha256.h"

namespace vestige::practice {
namespace {

/// Two bytes, little-endian.
int field(const std::string& bytes, std::size_t place) {
  return static_cast<unsigned char>(bytes[place]) | static_cast<unsigned char>(bytes[place + 1])
                                                        << 8;
}

// Header of a member by PKWARE APPNOTE 6.3, section 4.3.7: "a" holds "hello", whose CRC-32 is
// 0x3610a686 (zlib.crc32(b"hello") of Python); stored, of the first date there is.
TEST(Archive, IsWhatTheFormatSays) {
  const std::string archive = packed_archive({{"a", "hello"}});
  EXPECT_EQ(archive.substr(0, 4), "PK\3\4");
  EXPECT_EQ(field(archive, 8), 0) << "stored";
  EXPECT_EQ(field(archive, 10), 0) << "midnight";
  EXPECT_EQ(field(archive, 12), 0x0021) << "1980-01-01";
  EXPECT_EQ(field(archive, 14), 0xa686);
  EXPECT_EQ(field(archive, 16), 0x3610);
  for (const std::size_t size : {18U, 22U}) EXPECT_EQ(field(archive, size), 5);
  EXPECT_EQ(field(archive, 26), 1) << "length of the name";
  EXPECT_EQ(field(archive, 28), 0) << "no extra field";
  EXPECT_EQ(archive.substr(30, 6), "ahello");
  EXPECT_EQ(archive, packed_archive({{"a", "hello"}})) << "nothing but the files counts";
}

// Whoever wrote the rest of the zip: the digest at the end is that of all bytes before it.
TEST(Archive, EndsInTheDigestOfEverythingBefore) {
  const std::string archive = packed_archive({{"a", "hello"}});
  const std::string_view all = archive;
  const std::size_t sealed = archive.size() - 64;
  EXPECT_EQ(all.substr(sealed), sha256(std::as_bytes(std::span(all.substr(0, sealed)))));
  // Headers as another version of libzip would write them ("made by" 3.1), sealed: no accusation.
  std::string other = archive;
  const std::size_t central = other.find("PK\1\2");
  ASSERT_NE(central, std::string::npos);
  other[central + 4] = 31;
  EXPECT_EQ(changed_place(other, {{"a", "hello"}})->byte, central + 4);
  other.replace(sealed, 64, sha256(std::as_bytes(std::span(other).first(sealed))));
  EXPECT_FALSE(changed_place(other, unpacked_archive(other)));
}

TEST(Archive, BytesAreReadWithTheirChecksum) {
  std::string archive = packed_archive({{"a", "hello"}, {"b", "world"}});
  archive[31] = 'j';
  try {
    unpacked_archive(archive);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "a was changed: it does not match its checksum in the zip");
  }
}

TEST(Archive, GivesBackWhatWasPutIn) {
  const Contents files = {
      {"README.txt", "text\n"}, {"empty", ""}, {"plots/summary.svg", std::string(70000, '\xff')}};
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
       {"../x", "/etc/x", "a/../../x", "a//b", "a/", "a\\b", ".", "..", "\xff", "a\x01"}) {
    EXPECT_THROW(unpacked_archive(packed_archive({{name, "x"}})), InputError) << name;
  }
  EXPECT_THROW(unpacked_archive(""), InputError);
  EXPECT_THROW(unpacked_archive("PK\3\4"), InputError);
  EXPECT_THROW(unpacked_archive("no zip at all, but long enough to hold a header"), InputError);
}

}  // namespace
}  // namespace vestige::practice
