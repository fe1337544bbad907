// Sources: a folder, a .npz and a .safetensors file look the same from outside.
#include "vestige/evidence/source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/evidence/support.h"
#include "vestige/base/file.h"
#include "vestige/base/sha256.h"
#include "vestige/evidence/formats/npy.h"

namespace vestige::evidence {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::fixture;
using testing::holds;
using testing::TemporaryFolder;
using Names = std::vector<std::string>;

void put(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  write_file(path, content);
}

std::string three_labels() { return write_npy(Array::from_integers({3, 1, 2}, {3})); }

std::string digest(const std::string& text) {
  return vestige::sha256(std::as_bytes(std::span<const char>(text)));
}

TEST(Source, AFolderWithArraysAndOtherFiles) {
  const TemporaryFolder folder;
  put(folder / "labels/forget.npy", three_labels());
  put(folder / "labels/retain.csv", "4\n5\n");
  put(folder / "unlearned/fine.tune/0/forget.npy", three_labels());
  put(folder / "evidence.toml", "kind = \"logits\"\n");
  put(folder / "text/forget.txt", "one\n");
  put(folder / ".hidden.npy", "no npy");
  put(folder / ".git/x.npy", "no npy");
  const Source source = open_source(folder.path());
  EXPECT_EQ(source.path(), folder.path());
  EXPECT_EQ(source.keys(),
            (Names{"labels/forget", "labels/retain", "unlearned/fine.tune/0/forget"}));
  EXPECT_EQ(source.files(), (Names{"evidence.toml", "text/forget.txt"}));
  EXPECT_TRUE(source.has("labels/forget"));
  EXPECT_FALSE(source.has("labels/test"));
  EXPECT_TRUE(source.has_file("evidence.toml"));
  EXPECT_FALSE(source.has_file("labels/forget.npy"));
  EXPECT_EQ(source.load("labels/forget").integers(), (std::vector<std::int64_t>{3, 1, 2}));
  EXPECT_EQ(source.load("labels/retain").integers(), (std::vector<std::int64_t>{4, 5}));
  EXPECT_EQ(source.file_of("labels/forget"), "labels/forget.npy");
  EXPECT_EQ(source.file_of("labels/retain"), "labels/retain.csv");
  EXPECT_EQ(source.read("text/forget.txt"), "one\n");
  EXPECT_EQ(source.sha256("labels/forget"), digest(three_labels()));
  EXPECT_EQ(source.sha256("labels/retain"), digest("4\n5\n"));
  EXPECT_EQ(source.sha256_file("text/forget.txt"), digest("one\n"));
}

TEST(Source, ArchivesHaveTheSameKeys) {
  const Names keys{"labels/forget", "original/0/forget", "original/0/retain"};
  for (const char* name : {"stored.npz", "deflated.npz"}) {
    const Source source = open_source(fixture(name));
    EXPECT_EQ(source.keys(), keys);
    EXPECT_EQ(source.load("labels/forget").integers(), (std::vector<std::int64_t>{3, 1, 2}));
    EXPECT_EQ(source.file_of("labels/forget"), "labels/forget");
    EXPECT_EQ(source.sha256("labels/forget"), digest(testing::raw<std::int64_t>({3, 1, 2})));
  }
  const Source with_files = open_source(fixture("with_files.npz"));
  EXPECT_EQ(with_files.files(), Names{"evidence.toml"});
  EXPECT_EQ(with_files.read("evidence.toml"), "kind = \"logits\"\n");
  EXPECT_EQ(with_files.sha256_file("evidence.toml"), digest("kind = \"logits\"\n"));

  const Source tensors = open_source(fixture("all.safetensors"));
  EXPECT_EQ(tensors.keys().size(), 13U);
  EXPECT_EQ(tensors.load("all/F16").doubles(), testing::fixture_values('f'));
  EXPECT_TRUE(tensors.files().empty());
}

TEST(Source, ASourceMayBeCopiedAndTheCopyOutlivesIt) {
  Source copy;
  {
    const Source source = open_source(fixture("stored.npz"));
    copy = source;
  }
  EXPECT_EQ(copy.load("labels/forget").size(), 3U);
}

TEST(Source, LinksAreFollowedButNotInCircles) {
  const TemporaryFolder folder;
  put(folder / "e/labels/forget.npy", three_labels());
  put(folder / "elsewhere/0/forget.npy", three_labels());
  fs::create_directory_symlink(folder / "elsewhere", folder / "e/original");
  fs::create_directory_symlink(folder / "e", folder / "e/labels/loop");
  fs::create_directory_symlink(".", folder / "e/here");
  fs::create_symlink("forget.npy", folder / "e/labels/retain.npy");
  EXPECT_EQ(open_source(folder / "e").keys(),
            (Names{"labels/forget", "labels/retain", "original/0/forget"}));
  fs::create_symlink("nowhere", folder / "e/labels/test.npy");
  EXPECT_TRUE(
      holds(error_of([&] { open_source(folder / "e"); }), {"labels/test.npy", "broken link"}));
}

TEST(Source, BothFormsOfOneArrayAreAnError) {
  const TemporaryFolder folder;
  put(folder / "labels/forget.npy", three_labels());
  put(folder / "labels/forget.csv", "3\n");
  EXPECT_TRUE(holds(error_of([&] { open_source(folder.path()); }),
                    {"both labels/forget.csv and labels/forget.npy", "remove one"}));
}

TEST(Source, NothingToRead) {
  const TemporaryFolder folder;
  EXPECT_TRUE(holds(error_of([&] { open_source(folder / "none"); }),
                    {"none does not exist", ".npz", ".safetensors"}));
  EXPECT_TRUE(holds(error_of([&] { open_source(folder.path()); }),
                    {folder.path().string(), "is empty", "original/0/forget.npy"}));
  put(folder / "readme.txt", "hello");
  EXPECT_TRUE(holds(error_of([&] { open_source(folder.path()); }), {"no .npy or .csv", "export"}));
  EXPECT_TRUE(holds(error_of([&] { open_source(folder / "readme.txt"); }),
                    {"readme.txt has no known ending", ".npz"}));
  put(folder / "empty.npz", std::string("PK\5\6") + std::string(18, '\0'));
  EXPECT_TRUE(
      holds(error_of([&] { open_source(folder / "empty.npz"); }), {"empty.npz holds no array"}));
}

TEST(Source, UnknownNamesAreErrors) {
  const Source source = open_source(fixture("stored.npz"));
  EXPECT_TRUE(holds(error_of([&] { source.load("x"); }), {"stored.npz has no array x"}));
  EXPECT_TRUE(holds(error_of([&] { source.sha256("x"); }), {"no array x"}));
  EXPECT_TRUE(holds(error_of([&] { source.read("x"); }), {"stored.npz has no file x"}));
}

TEST(Source, AnErrorInAFileNamesThatFile) {
  const TemporaryFolder folder;
  put(folder / "labels/forget.npy", three_labels().substr(0, 140));
  const Source source = open_source(folder.path());
  EXPECT_TRUE(holds(error_of([&] { source.load("labels/forget"); }),
                    {(folder / "labels/forget.npy").string(), "truncated"}));
}

TEST(Source, AnUnreadableFolderIsNamed) {
  const TemporaryFolder folder;
  put(folder / "labels/forget.npy", three_labels());
  put(folder / "original/0/forget.npy", three_labels());
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod((folder / "original/0").c_str(), 0), 0);
  const std::string text = testing::in_child([&]() -> std::string {
    if (::geteuid() == 0 && ::seteuid(65534) != 0) return "cannot drop privileges";
    return error_of([&] { open_source(folder.path()); });
  });
  ASSERT_EQ(::chmod((folder / "original/0").c_str(), 0755), 0);
  EXPECT_TRUE(holds(text, {"cannot read the folder", "original/0", "Permission denied"}));
}

}  // namespace
}  // namespace vestige::evidence
