// Zips that extract other files to some programs than to others.
#include "vestige/practice/zip_layout.h"

#include <gtest/gtest.h>

#include "tests/support.h"
#include "vestige/practice/archive.h"

namespace vestige::practice {
namespace {

using testing::error_of;
using testing::holds;

const Contents kFiles = {{"README.txt", "traces remain"}, {"results.json", "{}"}};

/// Adds `shift` to the little-endian number of four bytes at `place`.
void move_number(std::string& bytes, std::size_t place, std::size_t shift) {
  std::size_t value = 0;
  for (std::size_t i = 4; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[place + i]);
  value += shift;
  for (std::size_t i = 0; i < 4; ++i) bytes[place + i] = static_cast<char>(value >> (8 * i));
}

/// Puts bytes at `place`, before the central directory, and makes all offsets fit.
std::string with_bytes(std::string archive, std::size_t place, const std::string& bytes) {
  std::size_t directory = archive.find("PK\1\2");
  std::vector<std::size_t> entries;
  for (std::size_t at = directory; at != std::string::npos; at = archive.find("PK\1\2", at + 1)) {
    entries.push_back(at);
  }
  const std::size_t end = archive.find("PK\5\6");
  for (const std::size_t entry : entries) {
    std::size_t local = 0;
    for (std::size_t i = 4; i-- > 0;) {
      local = local << 8 | static_cast<unsigned char>(archive[entry + 42 + i]);
    }
    if (local >= place) move_number(archive, entry + 42, bytes.size());
  }
  move_number(archive, end + 16, bytes.size());
  return archive.insert(place, bytes);
}

std::string zip_refusal(const std::string& archive) {
  return error_of([&] { unpacked_archive(archive); });
}

TEST(ZipLayout, WhatWeWriteIsAccepted) {
  for (const Contents& files : {kFiles, Contents{{"a", ""}}, Contents{{"\xc3\xa9/b", "x"}}}) {
    EXPECT_NO_THROW(check_zip_layout(packed_archive(files)));
  }
}

// jar, 7z and bsdtar from a pipe would extract the second README.txt over the first.
TEST(ZipLayout, AHiddenSecondMemberIsRefused) {
  const std::string archive = packed_archive(kFiles);
  const std::string other = packed_archive({{"README.txt", "FORGOTTEN"}});
  const std::string hidden = other.substr(0, other.find("PK\1\2"));
  const std::size_t second = archive.find("PK\3\4", 4);
  for (const std::size_t place : {std::size_t{0}, second, archive.find("PK\1\2")}) {
    const std::string forged = with_bytes(archive, place, hidden);
    EXPECT_TRUE(holds(zip_refusal(forged), {"belong to no file"})) << place;
  }
  // Control: without bytes to hide, the same steps give a zip that is accepted.
  EXPECT_EQ(unpacked_archive(with_bytes(archive, second, "")), kFiles);
}

TEST(ZipLayout, HeadersThatDisagreeAreRefused) {
  const std::string archive = packed_archive(kFiles);
  std::string name = archive;
  name[30] = 'X';  // the local name of README.txt
  EXPECT_NE(zip_refusal(name), "");
  std::string flags = archive;
  flags[6] = 8;  // sizes would stand behind the data
  EXPECT_NE(zip_refusal(flags), "");
  std::string size = archive;
  move_number(size, 22, 1);
  EXPECT_NE(zip_refusal(size), "");
  std::string sum = archive;
  move_number(sum, 14, 1);
  EXPECT_NE(zip_refusal(sum), "");
  for (const std::string& forged : {name, flags, size, sum}) {
    EXPECT_THROW(check_zip_layout(forged), InputError);
  }
}

// An unzip makes a link of it, and writes the next file through it.
TEST(ZipLayout, LinksAreRefused) {
  std::string archive = packed_archive(kFiles);
  const std::size_t mode = archive.find("PK\1\2") + 38 + 2;
  archive[mode] = '\xff';
  archive[mode + 1] = '\xa1';  // 0120777
  EXPECT_TRUE(holds(zip_refusal(archive), {"README.txt", "no plain file"}));
}

// Field 0x7075 gives a file another name: Info-ZIP's unzip obeys it.
TEST(ZipLayout, ExtraFieldsAreRefused) {
  const std::string archive = packed_archive({{"a", "x"}});
  const std::string field("\x75\x70\x01\x00z", 5);
  std::string forged = archive;
  const std::size_t entry = forged.find("PK\1\2"), end = forged.find("PK\5\6");
  move_number(forged, end + 12, field.size());
  forged[entry + 30] = static_cast<char>(field.size());
  forged.insert(entry + 46 + 1, field);
  EXPECT_TRUE(holds(zip_refusal(forged), {"extra fields"}));
}

TEST(ZipLayout, EveryTruncationIsRefused) {
  const std::string archive = packed_archive(kFiles);
  for (std::size_t size = 0; size < archive.size(); ++size) {
    EXPECT_THROW(check_zip_layout(archive.substr(0, size)), InputError) << size;
  }
}

}  // namespace
}  // namespace vestige::practice
