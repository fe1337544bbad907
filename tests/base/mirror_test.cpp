// tests/ and bench/ mirror vestige/: a folder without tests, or a metric group without a benchmark,
// fails here unless a README says where it is covered.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "vestige/base/file.h"

namespace vestige {
namespace {

const std::filesystem::path kSource = VESTIGE_SOURCE_DIR;

/// Whether a file below the folder has a name that ends so.
bool holds_file(const std::filesystem::path& folder, std::string_view ending) {
  if (!std::filesystem::is_directory(folder)) return false;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().filename().string().ends_with(ending)) return true;
  }
  return false;
}

/// Folders below `folder`, relative to it: all of them, or only its own.
std::vector<std::string> folders_below(const std::filesystem::path& folder, bool all) {
  std::vector<std::string> names;
  for (auto at = std::filesystem::recursive_directory_iterator(folder);
       at != std::filesystem::recursive_directory_iterator(); ++at) {
    if (!at->is_directory()) continue;
    names.push_back(std::filesystem::relative(at->path(), folder).string());
    if (!all) at.disable_recursion_pending();
  }
  return names;
}

/// Table lines "| `folder` | `file` ... |" of a README: folder -> files that cover it.
std::map<std::string, std::vector<std::string>> covered_folders(
    const std::filesystem::path& readme) {
  std::map<std::string, std::vector<std::string>> covered;
  const std::string text = read_file(readme);
  const std::regex line("\\| `([^`]+)` \\|([^\n]*)\n"), quoted("`((?:tests|bench)/[^`]+)`");
  for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at) {
    const std::string files = (*at)[2];
    std::vector<std::string>& of_folder = covered[(*at)[1]];
    for (std::sregex_iterator file(files.begin(), files.end(), quoted); file != end; ++file) {
      of_folder.push_back((*file)[1]);
    }
  }
  return covered;
}

/// `mirror` ("tests", "bench/metrics") has a file with this ending for each of the folders, or its
/// README names files that exist. A line for a folder that has files of its own, or is gone, is out
/// of date.
void expect_mirrored(const std::vector<std::string>& folders, const std::string& mirror,
                     const std::string& readme, const std::string& ending) {
  auto covered = covered_folders(kSource / readme);
  EXPECT_GT(folders.size(), 10U);
  for (const std::string& folder : folders) {
    const bool own = holds_file(kSource / mirror / folder, ending);
    const bool named = covered.count(folder) > 0;
    EXPECT_TRUE(own || named) << folder << ": add " << mirror << "/" << folder << "/*" << ending
                              << ", or a line in " << readme << " that says which file covers it";
    EXPECT_FALSE(own && named) << folder << " has a folder of its own: remove its line in "
                               << readme;
    if (!named) continue;
    EXPECT_FALSE(covered[folder].empty()) << readme << " names no file for " << folder;
    for (const std::string& file : covered[folder]) {
      EXPECT_TRUE(std::filesystem::is_regular_file(kSource / file)) << readme << ": " << file;
    }
    covered.erase(folder);
  }
  for (const auto& [folder, files] : covered) {
    ADD_FAILURE() << readme << ": there is no folder " << folder;
  }
}

TEST(Mirror, EveryFolderHasTests) {
  expect_mirrored(folders_below(kSource / "vestige", true), "tests", "tests/README.md",
                  "_test.cpp");
}

TEST(Mirror, EveryMetricGroupHasABenchmark) {
  expect_mirrored(folders_below(kSource / "vestige/metrics", false), "bench/metrics",
                  "bench/README.md", "_bench.cpp");
}

// A folder of more files is read by nobody: its prefixes ("plot_") are folders that were not made.
TEST(FolderSize, AtMostFortySources) {
  constexpr std::size_t kMost = 40;
  std::map<std::string, std::size_t> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource / "vestige")) {
    const auto extension = entry.path().extension();
    if (extension != ".cpp" && extension != ".h") continue;
    ++files[std::filesystem::relative(entry.path().parent_path(), kSource).string()];
  }
  EXPECT_GT(files.size(), 50U);
  for (const auto& [folder, count] : files) {
    EXPECT_LE(count, kMost) << folder << ": give what belongs together a folder of its own";
  }
}

}  // namespace
}  // namespace vestige
