// Every family can be found by people: on a page (README.md's table shows the main ones, `vestige
// metrics` all).
#include <gtest/gtest.h>

#include <filesystem>

#include "vestige/base/file.h"
#include "vestige/metrics/family.h"

namespace vestige::metrics {
namespace {

namespace fs = std::filesystem;

TEST(Registry, EveryFamilyHasAPage) {
  const fs::path root = VESTIGE_SOURCE_DIR;
  std::string pages;
  for (const auto& entry : fs::directory_iterator(root / "docs/metrics")) {
    pages += read_file(entry.path());
  }
  for (const Family& family : families()) {
    const std::string name(family.name);
    EXPECT_TRUE(pages.find('`' + name + '.') != std::string::npos ||
                pages.find("# " + name + ':') != std::string::npos)
        << name << ": add its page to docs/metrics";
  }
}

}  // namespace
}  // namespace vestige::metrics
