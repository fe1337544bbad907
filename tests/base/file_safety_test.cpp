// Files where others put something else: devices, pipes, links, foreseen names.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "tests/support.h"
#include "vestige/base/error.h"
#include "vestige/base/file.h"

namespace vestige {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::holds;
using testing::listing;
using testing::TemporaryFolder;
using Names = std::vector<std::string>;

TEST(FileSafety, APipeIsWrittenToAndStaysAPipe) {
  const TemporaryFolder folder;
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string heard;
  std::thread reader([&] { heard = read_file(pipe); });
  write_file(pipe, "text");
  reader.join();
  EXPECT_EQ(heard, "text");
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(listing(folder.path()), Names{"pipe"});
}

TEST(FileSafety, ADeviceStaysADevice) {
  write_file("/dev/null", "text");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(FileSafety, WhatNeverEndsIsRefused) {
  EXPECT_TRUE(holds(error_of([] { read_file("/dev/zero", 100'000); }), {"/dev/zero", "100000"}));
  const TemporaryFolder folder;
  write_file(folder / "x", "12345");
  EXPECT_EQ(read_file(folder / "x", 5), "12345");
  EXPECT_TRUE(holds(error_of([&] { read_file(folder / "x", 4); }), {"more than 4 bytes"}));
  // 20 GB that take no room on the disk.
  fs::resize_file(folder / "x", std::uintmax_t{20'000'000'000});
  EXPECT_TRUE(holds(error_of([&] { read_file(folder / "x", 1'000'000); }), {"1000000 bytes"}));
}

TEST(FileSafety, WhoMayReadAFileStaysAsItWas) {
  const TemporaryFolder folder;
  const fs::path file = folder / "results.json";
  write_file(file, "old");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  write_file(file, "new");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  FileSet files(folder.path(), true);
  files.add("results.json", "newer");
  files.commit();
  EXPECT_EQ(read_file(file), "newer");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

// In a folder that others may write to, they could put links under names that are foreseen.
TEST(FileSafety, TemporaryNamesAreNotForeseen) {
  const TemporaryFolder folder;
  Names seen;
  for (int time = 0; time < 2; ++time) {
    FileSet files(folder.path(), true);
    files.add("x", "text");
    const Names now = listing(folder.path());
    ASSERT_EQ(now.size(), 1U);
    EXPECT_EQ(now[0].find(std::to_string(::getpid()) + ".tmp"), std::string::npos) << now[0];
    seen.push_back(now[0]);
  }
  EXPECT_NE(seen[0], seen[1]);
}

// The third file cannot get its name: a folder of that name was made after it was added.
TEST(FileSafety, AFailureInCommitPutsBackWhatWasThere) {
  const TemporaryFolder folder;
  write_file(folder / "a", "old a");
  write_file(folder / "gone", "old gone");
  {
    FileSet files(folder.path(), true);
    files.add("a", "new a");
    files.add("b", "new b");
    files.remove("gone");
    files.add("c", "new c");
    fs::create_directory(folder / "c");
    EXPECT_TRUE(holds(error_of([&] { files.commit(); }), {"cannot write", "/c"}));
  }
  EXPECT_EQ(read_file(folder / "a"), "old a");
  EXPECT_EQ(read_file(folder / "gone"), "old gone");
  EXPECT_EQ(listing(folder.path()), (Names{"a", "c", "gone"}));
}

TEST(FileSafety, RemovedFilesGoWithCommitAndNotBefore) {
  const TemporaryFolder folder;
  write_file(folder / "old", "1");
  {
    FileSet files(folder.path(), true);
    files.remove("old");
    files.remove("never there");
  }
  EXPECT_EQ(listing(folder.path()), Names{"old"});
  FileSet files(folder.path(), true);
  files.add("new", "2");
  files.remove("old");
  files.remove("never there");
  files.commit();
  EXPECT_EQ(listing(folder.path()), Names{"new"});
}

}  // namespace
}  // namespace vestige
