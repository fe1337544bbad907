// Files: a failure leaves what was there before, and nothing else.
#include "vestige/base/file.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>

#include "tests/support.h"
#include "vestige/base/error.h"

namespace vestige {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::holds;
using testing::in_child;
using testing::listing;
using testing::TemporaryFolder;
using Names = std::vector<std::string>;

constexpr uid_t kNobody = 65534;

TEST(ReadFile, WholeFileWithZeroBytes) {
  const TemporaryFolder folder;
  const std::string content = std::string(100000, 'x') + std::string("a\0b\n", 4);
  write_file(folder / "x", content);
  EXPECT_EQ(read_file(folder / "x"), content);
}

TEST(FileSet, PiecesAreOneFile) {
  const TemporaryFolder folder;
  FileSet files(folder / "out", false);
  files.add_pieces("x", [](const TextSink& sink) {
    sink("a");
    sink("");
    sink("bc");
  });
  files.commit();
  EXPECT_EQ(read_file(folder / "out" / "x"), "abc");
}

TEST(FileSet, PiecesThatFailLeaveNothing) {
  const TemporaryFolder folder;
  {
    FileSet files(folder / "out", false);
    EXPECT_THROW(files.add_pieces("x",
                                  [](const TextSink& sink) {
                                    sink("a");
                                    throw std::runtime_error("no more");
                                  }),
                 std::runtime_error);
    EXPECT_EQ(listing(folder / "out"), Names{});
  }
  EXPECT_EQ(listing(folder.path()), Names{});
}

TEST(ReadFile, MissingFileAndFolderAreNamed) {
  const TemporaryFolder folder;
  EXPECT_TRUE(holds(error_of([&] { read_file(folder / "none"); }), {"none", "No such file"}));
  EXPECT_TRUE(holds(error_of([&] { read_file(folder.path()); }), {"vestige-test-", "directory"}));
}

TEST(WriteFile, ReplacesTheOldFileAndLeavesNoOther) {
  const TemporaryFolder folder;
  write_file(folder / "results.json", "old");
  write_file(folder / "results.json", "new");
  EXPECT_EQ(read_file(folder / "results.json"), "new");
  EXPECT_EQ(listing(folder.path()), Names{"results.json"});
}

TEST(WriteFile, WorksInTheCurrentFolder) {
  const TemporaryFolder folder;
  EXPECT_EQ(in_child([&]() -> std::string {
              fs::current_path(folder.path());
              write_file("plain", "x");
              return read_file("plain") == "x" ? "" : "not written";
            }),
            "");
}

TEST(WriteFile, MissingFolderIsAnError) {
  const TemporaryFolder folder;
  EXPECT_TRUE(holds(error_of([&] { write_file(folder / "none" / "x", "y"); }),
                    {"cannot write", "none/x", "No such file"}));
}

TEST(WriteFile, AFolderOfThatNameIsNotReplaced) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "x");
  EXPECT_TRUE(holds(error_of([&] { write_file(folder / "x", "y"); }), {"cannot write"}));
  EXPECT_EQ(listing(folder.path()), Names{"x"});
}

// Writes beyond 4096 bytes fail with EFBIG from here on, in this process.
void limit_file_size() {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{4096, 4096};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) throw std::runtime_error("setrlimit failed");
}

TEST(WriteFile, AFailureInTheMiddleLeavesTheOldFile) {
  const TemporaryFolder folder;
  write_file(folder / "results.json", "old");
  const std::string text = in_child([&]() -> std::string {
    limit_file_size();
    return error_of([&] { write_file(folder / "results.json", std::string(10000, 'x')); });
  });
  EXPECT_TRUE(
      holds(text, {"cannot write", "results.json", "File too large", "nothing was changed"}));
  EXPECT_EQ(read_file(folder / "results.json"), "old");
  EXPECT_EQ(listing(folder.path()), Names{"results.json"});
}

// Two audits into one folder: the second would replace the first one's files.
TEST(FileSet, AFolderThatIsHeldIsRefused) {
  const testing::TemporaryFolder folder;
  const auto out = folder / "out";
  {
    FileSet first(out, false, FileSet::Others::refused);
    first.add("a", "1");
    for (const bool force : {false, true}) {
      try {
        FileSet second(out, force, FileSet::Others::refused);
        ADD_FAILURE() << "accepted";
      } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("another process is writing to"),
                  std::string::npos)
            << error.what();
      }
    }
    first.commit();
  }
  EXPECT_EQ(read_file(out / "a"), "1");
  EXPECT_FALSE(std::filesystem::exists(out / ".vestige.lock"));
  EXPECT_THROW(FileSet(out, false, FileSet::Others::refused), InputError) << "not empty";
  FileSet again(out, true, FileSet::Others::refused);
}

// A process that is killed leaves its lock file; it keeps nobody out, and the folder counts as
// empty.
TEST(FileSet, TheLockOfADeadProcessIsFree) {
  const testing::TemporaryFolder folder;
  const auto out = folder / "out";
  const pid_t child = ::fork();
  if (child == 0) {
    const FileSet held(out, false, FileSet::Others::refused);
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_TRUE(std::filesystem::exists(out / ".vestige.lock"));
  FileSet files(out, false, FileSet::Others::refused);
  files.add("a", "1");
  files.commit();
  EXPECT_FALSE(std::filesystem::exists(out / ".vestige.lock"));
}

TEST(FileSet, FilesAppearOnlyWithCommit) {
  const TemporaryFolder folder;
  const fs::path out = folder / "out";
  {
    FileSet files(out, false);
    files.add("results.json", "{}");
    files.add("samples.csv", "id\n");
    EXPECT_FALSE(fs::exists(out / "results.json"));
    files.commit();
  }
  EXPECT_EQ(listing(out), (Names{"results.json", "samples.csv"}));
  EXPECT_EQ(read_file(out / "results.json"), "{}");
}

TEST(FileSet, FilesOfSubfoldersAppearWithCommitToo) {
  const TemporaryFolder folder;
  const fs::path out = folder / "out";
  {
    FileSet files(out, false);
    files.add("plots/roc.vl.json", "{}");
    EXPECT_FALSE(fs::exists(out / "plots/roc.vl.json"));
  }
  EXPECT_FALSE(fs::exists(out));  // without commit not even the folders stay
  FileSet files(out, false);
  files.add("report.html", "<p>");
  files.add("plots/roc.vl.json", "{}");
  files.commit();
  EXPECT_EQ(listing(out), (Names{"plots", "plots/roc.vl.json", "report.html"}));
  FileSet again(out, true);
  write_file(out / "file", "");
  EXPECT_THROW(again.add("file/x", ""), InputError);
}

TEST(FileSet, WithoutCommitNothingIsLeftNotEvenFolders) {
  const TemporaryFolder folder;
  for (const char* name : {"out", "a/b/c", "a/b/c/"}) {
    {
      FileSet files(folder / name, false);
      files.add("results.json", "{}");
      EXPECT_TRUE(fs::is_directory(folder / name));
    }
    EXPECT_EQ(listing(folder.path()), Names{}) << name;
  }
}

TEST(FileSet, WithoutCommitAnExistingFolderStays) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "out");
  { FileSet(folder / "out", false).add("results.json", "{}"); }
  EXPECT_EQ(listing(folder.path()), Names{"out"});
}

TEST(FileSet, RefusesAFolderThatIsNotEmptyUnlessForced) {
  const TemporaryFolder folder;
  write_file(folder / "notes.txt", "mine");
  write_file(folder / "results.json", "old");
  EXPECT_TRUE(holds(error_of([&] { FileSet(folder.path(), false); }),
                    {"exists and is not empty", "--force", folder.path().string()}));
  EXPECT_EQ(read_file(folder / "results.json"), "old");
  {
    FileSet files(folder.path(), true);
    files.add("results.json", "new");
    EXPECT_EQ(read_file(folder / "results.json"), "old");
    files.commit();
  }
  EXPECT_EQ(read_file(folder / "results.json"), "new");
  EXPECT_EQ(read_file(folder / "notes.txt"), "mine");
  EXPECT_EQ(listing(folder.path()), (Names{"notes.txt", "results.json"}));
}

TEST(FileSet, ForcedWithoutCommitKeepsTheOldFiles) {
  const TemporaryFolder folder;
  write_file(folder / "results.json", "old");
  { FileSet(folder.path(), true).add("results.json", "new"); }
  EXPECT_EQ(read_file(folder / "results.json"), "old");
  EXPECT_EQ(listing(folder.path()), Names{"results.json"});
}

TEST(FileSet, AFileOfThatNameAndAnEmptyNameAreErrors) {
  const TemporaryFolder folder;
  write_file(folder / "out", "x");
  EXPECT_TRUE(holds(error_of([&] { FileSet(folder / "out", true); }), {"is a file", "folder"}));
  EXPECT_TRUE(holds(error_of([&] { FileSet("", false); }), {"--out"}));
  EXPECT_TRUE(
      holds(error_of([&] { FileSet(folder / "out/below", false); }), {"cannot make the folder"}));
  EXPECT_EQ(listing(folder.path()), Names{"out"});
}

TEST(FileSet, AFolderInTheWayOfOneFileChangesNone) {
  const TemporaryFolder folder;
  write_file(folder / "results.json", "old");
  fs::create_directory(folder / "samples.csv");
  const std::string text = error_of([&] {
    FileSet files(folder.path(), true);
    files.add("results.json", "new");
    files.add("samples.csv", "id\n");
    files.commit();
  });
  EXPECT_TRUE(holds(text, {"samples.csv", "is a folder"}));
  EXPECT_EQ(read_file(folder / "results.json"), "old");
  EXPECT_EQ(listing(folder.path()), (Names{"results.json", "samples.csv"}));
}

TEST(FileSet, AFailedWriteLeavesNothing) {
  const TemporaryFolder folder;
  const std::string text = in_child([&]() -> std::string {
    limit_file_size();
    return error_of([&] {
      FileSet files(folder / "a/b", false);
      files.add("results.json", "{}");
      files.add("samples.csv", std::string(10000, 'x'));
      files.commit();
    });
  });
  EXPECT_TRUE(holds(text, {"cannot write", "a/b/samples.csv", "File too large"}));
  EXPECT_EQ(listing(folder.path()), Names{});
}

// Root may write anywhere, so the attempt is made as nobody.
std::string as_nobody(const std::function<void()>& action) {
  return in_child([&]() -> std::string {
    if (::geteuid() == 0 && (::setegid(kNobody) != 0 || ::seteuid(kNobody) != 0)) {
      return "cannot drop privileges";
    }
    return error_of(action);
  });
}

TEST(FileSet, AFolderWithoutPermissionIsAnError) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "locked");
  ASSERT_EQ(::chmod((folder / "locked").c_str(), 0555), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  EXPECT_TRUE(holds(as_nobody([&] { FileSet(folder / "locked", true); }),
                    {"cannot write to", "locked", "Permission denied", "another --out"}));
  EXPECT_TRUE(holds(as_nobody([&] { FileSet(folder / "locked/new", true); }),
                    {"cannot make the folder", "locked/new", "Permission denied"}));
  EXPECT_TRUE(holds(as_nobody([&] { write_file(folder / "locked/x", "y"); }),
                    {"cannot write", "Permission denied"}));
  EXPECT_EQ(listing(folder.path()), Names{"locked"});
}

// A tmpfs of 16 pages at `place`, seen by this process only; empty on success.
std::string mount_small_disk(const fs::path& place) {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
      return std::string("skip: no mount namespace: ") + std::strerror(errno);
    }
    // Without these maps the user and the group could own nothing on the new disk.
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
    std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
  }
  // Keep the mount out of the parent's namespace.
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tmpfs", place.c_str(), "tmpfs", 0, "size=64k") != 0) {
    return std::string("skip: cannot mount: ") + std::strerror(errno);
  }
  return {};
}

TEST(FileSet, AFullDiskLeavesWhatWasThere) {
  const TemporaryFolder folder;
  const std::string text = in_child([&]() -> std::string {
    if (std::string reason = mount_small_disk(folder.path()); !reason.empty()) return reason;
    fs::create_directory(folder / "out");
    write_file(folder / "out/results.json", "old");
    const std::string error = error_of([&] {
      FileSet files(folder / "out", true);
      files.add("results.json", "new");
      files.add("samples.csv", std::string(200000, 'x'));
      files.commit();
    });
    if (!holds(error, {"cannot write", "samples.csv", "No space left"})) return "error: " + error;
    if (read_file(folder / "out/results.json") != "old") return "the old file changed";
    if (listing(folder / "out") != Names{"results.json"}) return "something was left";
    return {};
  });
  if (text.starts_with("skip: ")) GTEST_SKIP() << text.substr(6);
  EXPECT_EQ(text, "");
}

}  // namespace
TEST(FileSet, WhatAKilledRunLeftIsNothingToProtect) {
  const TemporaryFolder folder;
  write_file(folder.path() / ".results.json.123.tmp", "half");
  {
    FileSet files(folder.path(), false);
    files.add("results.json", "whole");
    files.commit();
  }
  EXPECT_EQ(read_file(folder.path() / "results.json"), "whole");
  const TemporaryFolder other;
  write_file(other.path() / ".hidden", "the user's");
  EXPECT_THROW(FileSet(other.path(), false), InputError);
}

}  // namespace vestige
