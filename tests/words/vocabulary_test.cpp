// Words of earlier versions (docs/concepts/glossary.md has those that replaced them) are in no text
// that people read: the page's scripts, the programs, the library and the Python package.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/recommended.h"
#include "tests/support.h"
#include "vestige/base/file.h"

namespace vestige {
namespace {

/// Texts below a folder that may use an old word, and why.
struct Allowed {
  const char* file;  ///< the beginning of its path
  const char* text;  ///< a part of the text
};
constexpr Allowed kAllowed[] = {
    {"vestige/pool/", "make room"},               // on a disk
    {"vestige/base/options.cpp", "is now"},       // answers an old word with the new one
    {"vestige/study/read_checks.cpp", "is now"},  // likewise
    {"cli/ledger.cpp", "--mend is now --fix"},    // likewise
    {"cli/collect.cpp", "probes in the recipe"},  // the key of recipes
    {"cli/recover.cpp", "probes in the recipe"},
    {"vestige/report/json/parts_json.cpp", ""},         // reads earlier results
    {"vestige/models/unet.cpp", "a side of"},           // of a square
    {"vestige/evidence/requests.cpp", "is outside"},    // rows of forget.npy, by number
    {"vestige/experiment/experiment.cpp", "probes: "},  // the key of recipes
    {"vestige/experiment/experiment.cpp", "hardest"},
    {"python/", "orget row"},  // of arrays
    {"python/bindings/metrics_epsilon.cpp", "attack of both families"},
    {"python/vestige/_evidence.py", ".strip("},
};

/// The same in pages: names of C++, of statistics and of earlier versions.
constexpr Allowed kAllowedInPages[] = {
    {"CONTRIBUTING.md", "amil"},  // the C++ type is called Family
    {"docs/develop/architecture.md", "amil"},
    {"docs/metrics/epsilon.md", "famil"},  // of attacks
    // Pages that still have to change.
    {"docs/experiments/", ""},
    {"docs/validation/", ""},
    {"docs/python/", ""},
    {"docs/metrics/lm.md", ""},
};

/// Names of files, keys of recipes and terms of statistics that hold an old word.
const std::regex& names() {
  static const std::regex all(
      R"(linear probes?|\[\[probes\]\]|probes = |\(probes\)|: probes$|docs/lab/probes\.md|probed/|font-family)");
  return all;
}

const std::regex& old_words() {
  static const std::regex all(
      R"(\b(famil(y|ies)|strips?|arms?|room|fresh|accused|floor|ceiling|twins?|mend(ed|s|ing)?|)"
      R"(sound|yardsticks?|sureness|surer|a side|nobody saw|our fault|made-up|probe[sd]?|probing|)"
      R"((kept|forget|forgotten|retain|retained|unseen|test) rows?|collapsed control|renewed|)"
      R"(gate is (open|closed)|draw(n|s)? out)\b)",
      std::regex::icase);
  return all;
}

std::string old_word_in(const std::string& text) {
  const std::string rest = std::regex_replace(text, names(), " ");
  std::smatch found;
  return std::regex_search(rest, found, old_words()) ? found.str() : "";
}

/// Texts in quotes of a script, without comments: what spans lines is found line by line.
std::vector<std::string> quoted_in(const std::string& source, const char* comment) {
  static const std::regex quoted(R"x('([^'\n]*)'|"([^"\n]*)"|`([^`\n]*)`)x");
  std::vector<std::string> texts;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t start = line.find_first_not_of(' ');
    if (start == std::string::npos ||
        line.compare(start, std::string(comment).size(), comment) == 0)
      continue;
    for (std::sregex_iterator found(line.begin(), line.end(), quoted), end; found != end; ++found) {
      texts.push_back(found->str());
    }
  }
  return texts;
}

std::vector<std::string> texts_of(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  if (ending == ".cpp" || ending == ".h") return testing::literals_in(read_file(file));
  if (ending == ".js") return quoted_in(read_file(file), "//");
  if (ending == ".py") return quoted_in(read_file(file), "#");
  return {};
}

/// Lines of a page without code and without the targets of links.
std::vector<std::string> lines_of_prose(const std::string& page) {
  static const std::regex not_prose(R"(`[^`]*`|\]\([^)]*\))");
  std::vector<std::string> prose;
  std::istringstream lines(page);
  bool code = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      code = !code;
    } else if (!code) {
      prose.push_back(std::regex_replace(line, not_prose, " "));
    }
  }
  return prose;
}

TEST(Vocabulary, OldWordsAreFound) {
  EXPECT_EQ(old_word_in("One metric of each family"), "family");
  EXPECT_EQ(old_word_in("accuracy on kept rows"), "kept rows");
  EXPECT_EQ(old_word_in("models a side"), "a side");
  EXPECT_EQ(old_word_in("a freshly retrained model"), "");
  EXPECT_EQ(old_word_in("a linear probe; write [[probes]]"), "");
  EXPECT_EQ(lines_of_prose("a `forget rows` [b](family.md)\n```\ntwin\n```\n"),
            std::vector<std::string>{"a   [b "});
  EXPECT_EQ(quoted_in("a('x y');  \n// 'not this'\nb(\"z\")", "//").size(), 2U);
}

TEST(Vocabulary, IsTheSameInEveryText) {
  const std::filesystem::path root = VESTIGE_SOURCE_DIR;
  std::size_t texts = 0;
  for (const char* folder : {"web", "cli", "vestige", "python"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string file = std::filesystem::relative(entry.path(), root).string();
      if (!entry.is_regular_file() || file.find("vendor/") != std::string::npos) continue;
      for (const std::string& text : texts_of(entry.path())) {
        if (text.find(' ') == std::string::npos) continue;  // a key or a name
        ++texts;
        const std::string word = old_word_in(text);
        const bool allowed = std::any_of(std::begin(kAllowed), std::end(kAllowed), [&](auto own) {
          return file.starts_with(own.file) && text.find(own.text) != std::string::npos;
        });
        EXPECT_TRUE(word.empty() || allowed) << file << ": '" << word << "' in \"" << text << "\"";
      }
    }
  }
  EXPECT_GT(texts, 2000U);
}

TEST(Vocabulary, IsTheSameInEveryPage) {
  const std::filesystem::path root = VESTIGE_SOURCE_DIR;
  std::vector<std::filesystem::path> pages = {root / "README.md", root / "CONTRIBUTING.md"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  for (const auto& path : pages) {
    const std::string file = std::filesystem::relative(path, root).string();
    for (const std::string& line : lines_of_prose(read_file(path))) {
      const std::string word = old_word_in(line);
      const bool allowed = std::any_of(
          std::begin(kAllowedInPages), std::end(kAllowedInPages), [&](const Allowed& own) {
            return file.starts_with(own.file) && line.find(own.text) != std::string::npos;
          });
      EXPECT_TRUE(word.empty() || allowed) << file << ": '" << word << "' in \"" << line << "\"";
    }
  }
  EXPECT_GT(pages.size(), 100U);
}

}  // namespace
}  // namespace vestige
