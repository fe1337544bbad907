// Names that strangers choose.
#include "vestige/evidence/names.h"

#include <gtest/gtest.h>

#include <span>

#include "tests/support.h"
#include "vestige/base/file.h"
#include "vestige/evidence/formats/npy.h"
#include "vestige/evidence/source.h"

namespace vestige::evidence {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::holds;

TEST(Names, PathsBelowAFolderAreAccepted) {
  for (const char* name : {"original/0/forget", "text/forget.txt", "a..b/..c", "x y/\xc3\xa9"}) {
    EXPECT_NO_THROW(check_member_name(name, "x")) << name;
  }
}

TEST(Names, PathsThatLeaveTheFolderAreRefused) {
  using namespace std::string_view_literals;
  for (const std::string_view name :
       {""sv, ".."sv, "../x"sv, "a/../../x"sv, "a/.."sv, "/etc/x"sv, "a//b"sv, "a/"sv, "./a"sv,
        "a\\b"sv, "..\\x"sv, "C:\\x"sv, "a\0b"sv}) {
    EXPECT_TRUE(holds(error_of([&] { check_member_name(name, "x.npz"); }), {"x.npz"})) << name;
  }
}

TEST(Names, ControlsThatATerminalObeysAreFound) {
  // A line end, an escape, DEL, U+009B (the escape sequence in one character), the override of the
  // writing direction, a line separator.
  for (const char* text :
       {"a\nb", "\x1b[2J", "a\x7f", "\xc2\x9b", "\xe2\x80\xae", "\xe2\x80\xa8", "\xe2\x81\xa6"}) {
    EXPECT_TRUE(has_controls(text));
    EXPECT_THROW(check_member_name(text, "x"), InputError);
  }
  for (const char* text :
       {"plain", "\xc3\xa9", "\xc2\xa0", "\xe2\x80\x93", "\xe2\x82\xac", "\xff"}) {
    EXPECT_FALSE(has_controls(text)) << text;
  }
}

TEST(Names, MemoryWithABadNameIsRefused) {
  const double value = 1;
  const Array array(DType::float64, {1}, std::as_bytes(std::span(&value, 1)), nullptr, 8);
  EXPECT_TRUE(holds(error_of([&] { memory_source("evidence", {{"../x", array}}, {}); }), {"../x"}));
  EXPECT_TRUE(holds(error_of([&] {
                      memory_source("evidence", {{"x", array}}, {{"text/../../x", "text"}});
                    }),
                    {"text/../../x"}));
}

TEST(Names, AFolderWithAnEscapeSequenceInAFileNameIsRefused) {
  const testing::TemporaryFolder folder;
  fs::create_directories(folder / "unlearned/\x1b[2J/0");
  write_file(folder / "unlearned/\x1b[2J/0/forget.npy", "x");
  EXPECT_TRUE(holds(error_of([&] { open_source(folder.path()); }), {"control characters", "?[2J"}));
}

// Every folder leads to the next one in two ways: 2^40 walks.
TEST(Names, LinksThatMultiplyAreRefused) {
  const testing::TemporaryFolder folder;
  for (int level = 0; level < 40; ++level) {
    const fs::path own = folder.path() / std::to_string(level);
    fs::create_directory(own);
    for (const char* way : {"a", "b"}) {
      fs::create_directory_symlink(folder.path() / std::to_string(level + 1), own / way);
    }
  }
  fs::create_directory(folder / "40");
  EXPECT_TRUE(holds(error_of([&] { open_source(folder / "0"); }), {"more than 8 links"}));
}

}  // namespace
}  // namespace vestige::evidence
