// Nothing downstream of the registry knows a metric by name: a new family needs no change there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "vestige/base/file.h"
#include "vestige/metrics/family.h"

namespace vestige::report {
namespace {

namespace fs = std::filesystem;

/// Texts between quotes, line comments left out.
std::vector<std::string> literals(const std::string& source, const std::string& quotes) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source.compare(i, 2, "//") == 0) {
      i = std::min(source.find('\n', i), source.size());
      continue;
    }
    if (quotes.find(source[i]) == std::string::npos) continue;
    const char quote = source[i];
    std::string text;
    for (++i; i < source.size() && source[i] != quote && (quote == '`' || source[i] != '\n'); ++i) {
      if (source[i] == '\\') ++i;
      text += source[i];
    }
    found.push_back(text);
  }
  return found;
}

/// Dotted words of a text: "iam.online.auc of x" has iam.online.auc, of, x.
std::set<std::string> words(const std::string& text) {
  std::set<std::string> found;
  std::string word;
  for (const char character : text + " ") {
    const bool letter = (character >= 'a' && character <= 'z') || character == '_' ||
                        character == '.' || (character >= '0' && character <= '9');
    if (letter) {
      word += character;
      continue;
    }
    while (word.ends_with('.')) word.pop_back();
    if (!word.empty()) found.insert(word);
    word.clear();
  }
  return found;
}

/// An id or the beginning of one with its point, or a family's name and nothing else.
std::string metric_in(const std::string& literal) {
  const std::set<std::string> own = words(literal);
  for (const metrics::Family& family : metrics::families()) {
    const std::string name(family.name);
    // Models of this role serve the family of the same name.
    if (literal == name && literal != "verification") return name;
    for (const std::string& word : own) {
      if (word.starts_with(name + ".")) return word;
    }
  }
  return "";
}

std::vector<fs::path> sources() {
  const fs::path root = VESTIGE_SOURCE_DIR;
  std::vector<fs::path> files;
  for (const char* folder :
       {"vestige/audit", "vestige/study", "vestige/report", "vestige/experiment", "cli", "web"}) {
    for (const auto& entry : fs::directory_iterator(root / folder)) {
      // Reference cases are about functions, and say of which.
      if (entry.path().filename().string().find("conformance") != std::string::npos) continue;
      const std::string kind = entry.path().extension().string();
      if (kind == ".cpp" || kind == ".h" || kind == ".js") files.push_back(entry.path());
    }
  }
  return files;
}

TEST(Views, KnowNoMetricByName) {
  const std::vector<fs::path> files = sources();
  ASSERT_GT(files.size(), 50U);
  for (const fs::path& path : files) {
    const bool script = path.extension() == ".js";
    for (const std::string& literal : literals(read_file(path), script ? "'\"`" : "\"")) {
      if (!script && literal.ends_with(".h")) continue;  // an include
      EXPECT_EQ(metric_in(literal), "") << path << ": " << literal;
    }
  }
}

// The search itself: what it finds, and what it must not take for a metric.
TEST(Views, TheSearchFindsNames) {
  EXPECT_EQ(metric_in("utility"), "utility");
  EXPECT_EQ(metric_in("utility.accuracy."), "utility.accuracy");
  EXPECT_EQ(metric_in("see iam.online.auc"), "iam.online.auc");
  EXPECT_EQ(metric_in("utility lost"), "");
  EXPECT_EQ(literals("f(\"a\"); // \"b\"\ng('c')", "\"'"), (std::vector<std::string>{"a", "c"}));
}

}  // namespace
}  // namespace vestige::report
