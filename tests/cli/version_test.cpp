// Everything that states a version states the one of CMakeLists.txt. The wheel is compared in
// tests/python/wheel_test.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>

#include "tests/cli/vestige.h"
#include "tests/support/evidence_folder.h"
#include "vestige/base/file.h"
#include "vestige/base/json.h"

namespace vestige {
namespace {

/// What the group of `pattern` matches first in a text; empty if it matches nowhere.
std::string first_match(const std::string& text, const std::string& pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern, std::regex::multiline)) ? match[1].str()
                                                                                    : "";
}

std::string in_source(const std::string& file, const std::string& pattern) {
  return first_match(read_file(VESTIGE_SOURCE_DIR "/" + file), pattern);
}

std::string in_build(const std::string& file, const std::string& pattern) {
  return first_match(read_file(VESTIGE_BINARY_DIR "/" + file), pattern);
}

std::string declared_version() {
  return in_source("CMakeLists.txt", R"(project\(vestige VERSION (\d+\.\d+\.\d+) )");
}

TEST(Version, IsOneLine) {
  const testing::Finished version = testing::vestige({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_NE(declared_version(), "");
  EXPECT_TRUE(version.out.starts_with("vestige " + declared_version() + " (")) << version.out;
  EXPECT_TRUE(version.out.ends_with(")\n")) << version.out;
  EXPECT_EQ(std::count(version.out.begin(), version.out.end(), '\n'), 1);
}

#ifdef VESTIGE_WITH_LAB
TEST(Version, OfTheLabIsTheSame) {
  const testing::Finished lab =
      testing::run_program(VESTIGE_BINARY_DIR "/vestige-lab", {"--version"});
  EXPECT_EQ(lab.out, testing::vestige({"--version"}).out);
}
#endif

TEST(Version, IsInResults) {
  const testing::EvidenceFolder evidence(
      {.classes = 3, .models = 1, .forget = 12, .retain = 20, .test = 15});
  const std::string out = evidence / "../audit";
  const testing::Finished audit =
      testing::vestige({"audit", evidence.path().string(), "--metrics", "utility", "--out", out});
  ASSERT_EQ(audit.code, 0) << audit.err;
  EXPECT_EQ(Json::parse(read_file(out + "/results.json"))["tool"]["version"], declared_version());
}

// cpack takes the version of every Debian package from CPackConfig.cmake.
TEST(Version, OfPackagesIsTheSame) {
  EXPECT_EQ(in_build("CPackConfig.cmake", R"re(set\(CPACK_PACKAGE_VERSION "(.*)"\))re"),
            declared_version());
  EXPECT_EQ(in_build("vestigeConfigVersion.cmake", R"re(set\(PACKAGE_VERSION "(.*)"\))re"),
            declared_version());
}

TEST(Version, OfTheTextsIsTheSame) {
  const std::string dated = R"(^## \[[0-9.]+\] - (\d{4}-\d{2}-\d{2})$)";
  EXPECT_EQ(in_source("CITATION.cff", R"(^version: (.*)$)"), declared_version());
  EXPECT_EQ(in_source("CHANGELOG.md", R"(^## \[([0-9.]+)\])"), declared_version());
  EXPECT_NE(in_source("CHANGELOG.md", dated), "");
  EXPECT_EQ(in_source("CITATION.cff", R"(^date-released: (.*)$)"),
            in_source("CHANGELOG.md", dated));
}

}  // namespace
}  // namespace vestige
