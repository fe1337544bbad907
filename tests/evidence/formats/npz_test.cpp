// The npz reader: NumPy's archives (fixtures/make.py), zip64, and damaged ones.
#include "vestige/evidence/formats/npz.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/evidence/support.h"
#include "vestige/base/file.h"
#include "vestige/base/parallel.h"
#include "vestige/evidence/formats/mapped_file.h"
#include "vestige/evidence/formats/npy.h"
#include "vestige/evidence/formats/zip_directory.h"

namespace vestige::evidence {
namespace {

using testing::error_of;
using testing::fixture;
using testing::fixture_values;
using testing::hold;
using testing::holds;
using Names = std::vector<std::string>;

Npz open(std::string_view content) {
  const testing::Held held = hold(content);
  return {held.bytes(), held.owner, "some/e.npz"};
}

std::string error_in(std::string_view content, const std::string& key = "labels/forget") {
  return error_of([&] { open(content).load(key); });
}

// CRC-32 bit by bit (polynomial 0xedb88320).
std::uint32_t crc32(std::string_view text) {
  std::uint32_t crc = 0xffffffff;
  for (const char character : text) {
    crc ^= static_cast<unsigned char>(character);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320U : 0U);
  }
  return ~crc;
}

std::string number(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

struct Member {
  std::string name;
  std::string content;
  std::uint64_t claimed;  // size as the directory states it
};

// A zip archive of stored members.
std::string zip(const std::vector<Member>& members) {
  std::string file, directory;
  for (const Member& member : members) {
    const std::string common = number(0, 2) + number(0, 2) + number(0, 2) + number(33, 2) +
                               number(crc32(member.content), 4) + number(member.claimed, 4) +
                               number(member.claimed, 4) + number(member.name.size(), 2) +
                               number(0, 2);
    directory += "PK\1\2" + number(20, 2) + number(20, 2) + common + number(0, 2) + number(0, 2) +
                 number(0, 2) + number(0, 4) + number(file.size(), 4) + member.name;
    file += "PK\3\4" + number(20, 2) + common + member.name + member.content;
  }
  const std::size_t place = file.size();
  return file + directory + "PK\5\6" + number(0, 2) + number(0, 2) + number(members.size(), 2) +
         number(members.size(), 2) + number(directory.size(), 4) + number(place, 4) + number(0, 2);
}

Member plain(const std::string& name, const std::string& content) {
  return {name, content, content.size()};
}

std::string labels() { return write_npy(Array::from_integers({3, 1, 2}, {3})); }

class NpzFiles : public ::testing::TestWithParam<const char*> {};

TEST_P(NpzFiles, AllArraysAreReadByKey) {
  const Npz archive(fixture(GetParam()));
  EXPECT_EQ(archive.keys(), (Names{"labels/forget", "original/0/forget", "original/0/retain"}));
  EXPECT_TRUE(archive.files().empty());
  EXPECT_EQ(archive.load("labels/forget").integers(), (std::vector<std::int64_t>{3, 1, 2}));
  EXPECT_EQ(archive.load("original/0/forget").dtype(), DType::float32);
  EXPECT_EQ(archive.load("original/0/forget").doubles(), fixture_values('f'));
  EXPECT_EQ(archive.load("original/0/retain").doubles(), fixture_values('f'));
}

INSTANTIATE_TEST_SUITE_P(Kinds, NpzFiles,
                         ::testing::Values("stored.npz", "deflated.npz", "zip64.npz"));

TEST(Npz, StoredMembersAreViewsOfTheFile) {
  for (const char* name : {"stored.npz", "zip64.npz", "zip64_directory.npz"}) {
    const MappedFile file = map_file(fixture(name));
    const Npz archive(file.bytes, file.owner, name);
    const Array array = archive.load("labels/forget");
    EXPECT_EQ(array.integers(), (std::vector<std::int64_t>{3, 1, 2}));
    EXPECT_GE(array.bytes().data(), file.bytes.data()) << name;
    EXPECT_LE(array.bytes().data() + array.bytes().size(), file.bytes.data() + file.bytes.size())
        << name;
  }
}

TEST(Npz, AnArrayOutlivesTheArchive) {
  Array stored, deflated;
  {
    stored = Npz(fixture("stored.npz")).load("labels/forget");
    deflated = Npz(fixture("deflated.npz")).load("labels/forget");
  }
  EXPECT_EQ(stored.integers(), deflated.integers());
}

TEST(Npz, OtherFilesAreReadAndFoldersPassedOver) {
  const Npz archive(fixture("with_files.npz"));
  EXPECT_EQ(archive.keys(), Names{"labels/forget"});
  EXPECT_EQ(archive.files(), Names{"evidence.toml"});
  EXPECT_EQ(archive.read("evidence.toml"), "kind = \"logits\"\n");
}

TEST(Npz, SeveralThreadsMayLoadAtOnce) {
  const Npz archive(fixture("deflated.npz"));
  std::vector<std::vector<double>> values(64);
  Arena(4).run([&] {
    parallel_for(values.size(), [&](std::size_t index) {
      values[index] = archive.load("original/0/forget").doubles();
    });
  });
  for (const auto& each : values) ASSERT_EQ(each, fixture_values('f'));
}

TEST(Npz, MissingKey) {
  EXPECT_TRUE(holds(error_of([] { Npz(fixture("stored.npz")).load("labels/retain"); }),
                    {"stored.npz", "no member labels/retain.npy"}));
}

TEST(Npz, ForeignFile) {
  EXPECT_TRUE(holds(error_in("this is not a zip archive at all"),
                    {"some/e.npz", "not a zip archive", "numpy.savez"}));
  EXPECT_TRUE(holds(error_in(""), {"some/e.npz"}));
}

TEST(Npz, TruncatedAnywhereIsAnError) {
  const std::string whole = read_file(fixture("stored.npz"));
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    EXPECT_TRUE(holds(error_in(whole.substr(0, length)), {"some/e.npz", "export it again"}))
        << length;
  }
}

TEST(Npz, AChangedByteFailsTheChecksum) {
  for (const char* name : {"stored.npz", "deflated.npz"}) {
    std::string content = read_file(fixture(name));
    const std::size_t start = content.find("labels/forget.npy") + 17;
    // Behind the first local header's extra field lies the npy; its last bytes are data.
    const std::size_t next = content.find("PK\3\4", start);
    content[next - 20] = static_cast<char>(content[next - 20] ^ 0x10);
    const std::string text = error_in(content);
    EXPECT_TRUE(holds(text, {"some/e.npz:labels/forget.npy", "damaged", "export it again"}))
        << name;
  }
  std::string stored = zip({plain("labels/forget.npy", labels())});
  const std::size_t data = stored.find("PK\1\2") - 8;
  stored[data] = 9;
  EXPECT_TRUE(holds(error_in(stored), {"some/e.npz:labels/forget.npy fails its checksum"}));
}

TEST(Npz, EncryptedMembers) {
  std::string content = zip({plain("labels/forget.npy", labels())});
  content[6] = 1;
  content[content.find("PK\1\2") + 8] = 1;
  EXPECT_TRUE(holds(error_in(content), {"labels/forget.npy is encrypted", "without a password"}));
}

TEST(Npz, OtherCompression) {
  EXPECT_TRUE(holds(error_of([] { Npz(fixture("bzip2.npz")).load("labels/forget"); }),
                    {"bzip2.npz:labels/forget.npy", "compression method 12", "savez"}));
}

TEST(Npz, TheNpyHeaderAndTheDirectoryMustAgree) {
  // An npy that asks for 8 million bytes, in a member of 72.
  const std::string header =
      testing::npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000,), }", "12345678");
  EXPECT_TRUE(holds(error_in(zip({plain("labels/forget.npy", header)})),
                    {"some/e.npz:labels/forget.npy holds", "asks for 80000"}));
  EXPECT_TRUE(holds(error_in(zip({plain("labels/forget.npy", labels() + "x")})), {"asks for"}));
  EXPECT_TRUE(holds(error_in(zip({plain("labels/forget.npy", "no npy")})), {"not an npy file"}));
  EXPECT_TRUE(holds(error_in(zip({plain("labels/forget.npy", "")})), {"truncated"}));
}

TEST(Npz, ADirectoryThatClaimsTooMuchIsRefusedBeforeMemoryIsTaken) {
  EXPECT_TRUE(holds(error_in(zip({{"labels/forget.npy", labels(), 0xfffffff0}})),
                    {"claims 4294967280 bytes"}));
  // The same for a deflated member: 4 GB out of a few hundred bytes.
  std::string content = read_file(fixture("deflated.npz"));
  const std::size_t entry = content.find("PK\1\2");
  content.replace(entry + 24, 4, number(0xfffffff0, 4));
  EXPECT_TRUE(holds(error_in(content), {"claims 4294967280 bytes", "damaged"}));
}

TEST(Npz, ADeflatedMemberThatIsLongerThanItClaims) {
  EXPECT_TRUE(holds(error_in(read_file(fixture("longer_than_claimed.npz"))),
                    {"some/e.npz:labels/forget.npy unpacks to more than the 152 bytes it claims"}));
}

TEST(Npz, TheSameNameTwice) {
  const std::string content =
      zip({plain("labels/forget.npy", labels()), plain("labels/forget.npy", labels())});
  EXPECT_TRUE(holds(error_in(content), {"some/e.npz holds labels/forget.npy twice"}));
}

TEST(Npz, ANameWithALineBreakDoesNotBreakTheError) {
  EXPECT_TRUE(holds(error_in(zip({plain("a\nb.npy", "no npy")}), "a\nb"), {"some/e.npz:a?b.npy"}));
}

TEST(Npz, AnEmptyArchiveHasNoKeys) { EXPECT_TRUE(open(zip({})).keys().empty()); }

TEST(ZipDirectory, FindsTheDataOfEveryMember) {
  const std::string content = zip({plain("a.npy", "first"), plain("b", "second")});
  const auto places = zip_data_places(std::as_bytes(std::span<const char>(content)));
  ASSERT_EQ(places.size(), 2U);
  EXPECT_EQ(content.substr(places.at("a.npy"), 5), "first");
  EXPECT_EQ(content.substr(places.at("b"), 6), "second");
  EXPECT_TRUE(zip_data_places({}).empty());
}

TEST(ZipDirectory, AnArchiveThatIsNotUnderstoodIsCopied) {
  // The archive's comment is itself an empty archive's end record: zip_data_places follows it,
  // libzip the real one.
  std::string content = zip({plain("labels/forget.npy", labels())});
  const std::string comment = "PK\5\6" + std::string(18, '\0');
  content.replace(content.size() - 2, 2, number(comment.size(), 2));
  content += comment;
  const testing::Held held = hold(content);
  ASSERT_TRUE(zip_data_places(held.bytes()).empty());
  const Array array = Npz(held.bytes(), held.owner, "e.npz").load("labels/forget");
  EXPECT_EQ(array.integers(), (std::vector<std::int64_t>{3, 1, 2}));
  EXPECT_TRUE(array.bytes().data() < held.bytes().data() ||
              array.bytes().data() >= held.bytes().data() + held.bytes().size());
}

}  // namespace
}  // namespace vestige::evidence
