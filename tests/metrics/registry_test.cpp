// Every family can be found by people: in README.md's table and on a page.
#include <gtest/gtest.h>

#include <filesystem>

#include "vestige/base/file.h"
#include "vestige/metrics/family.h"

namespace vestige::metrics {
namespace {

namespace fs = std::filesystem;

TEST(Registry, EveryFamilyIsInTheTableAndHasAPage) {
  const fs::path root = VESTIGE_SOURCE_DIR;
  const std::string readme = read_file(root / "README.md");
  const std::size_t first = readme.find("## What it measures");
  ASSERT_NE(first, std::string::npos);
  const std::string table = readme.substr(first, readme.find("\n## ", first + 1) - first);
  std::string pages;
  for (const auto& entry : fs::directory_iterator(root / "docs/metrics")) {
    pages += read_file(entry.path());
  }
  for (const Family& family : families()) {
    const std::string name(family.name);
    EXPECT_TRUE(table.find('`' + name + '`') != std::string::npos ||
                table.find('[' + name + "](docs/metrics/") != std::string::npos)
        << name << ": add it to the table of README.md";
    EXPECT_TRUE(pages.find('`' + name + '.') != std::string::npos ||
                pages.find("# " + name + ':') != std::string::npos)
        << name << ": add its page to docs/metrics";
  }
}

}  // namespace
}  // namespace vestige::metrics
