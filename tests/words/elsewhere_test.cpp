// Sentences are made in words/ alone. This test reads the sources below vestige/ and finds texts of
// four and more words elsewhere. Left out are errors that are thrown at once (nobody branches on
// them) and help of options. What is allowed per file stands in elsewhere.txt: descriptions of
// metrics, methods and data sets, markup, and texts that still have to move. The numbers there may
// shrink, never grow.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support.h"
#include "vestige/base/file.h"

namespace vestige {
namespace {

namespace fs = std::filesystem;

/// The end of the literal that begins at `open`, past its quote.
std::size_t end_of_literal(const std::string& source, std::size_t open) {
  std::size_t at = open + 1;
  while (at < source.size() && source[at] != '"') at += source[at] == '\\' ? 2U : 1U;
  return at + 1;
}

/// Source without comments and includes.
std::string code_of(const std::string& source) {
  std::string code;
  for (std::size_t at = 0; at < source.size();) {
    if (source[at] == '"') {
      const std::size_t end = end_of_literal(source, at);
      code += source.substr(at, end - at);
      at = end;
    } else if (source.compare(at, 2, "//") == 0 || source.compare(at, 8, "#include") == 0) {
      at = std::min(source.find('\n', at), source.size());
    } else if (source[at] == '\'' && at + 2 < source.size() &&
               (source[at + 2] == '\'' || source[at + 1] == '\\')) {
      at = source.find('\'', at + 2) + 1;
    } else {
      code += source[at++];
    }
  }
  return code;
}

/// Places inside the parentheses of calls that throw or that declare options.
std::vector<bool> exempt_places(const std::string& code) {
  static const std::regex calls(
      R"(\b(require|fail|InputError|wrong|refuse|count|number|numbers|text|texts|choice|flag)\s*\()");
  std::vector<bool> exempt(code.size(), false);
  for (auto found = std::sregex_iterator(code.begin(), code.end(), calls);
       found != std::sregex_iterator(); ++found) {
    auto at = static_cast<std::size_t>(found->position() + found->length());
    for (int depth = 1; at < code.size() && depth > 0;) {
      if (code[at] == '"') {
        const std::size_t end = std::min(end_of_literal(code, at), code.size());
        std::fill(exempt.begin() + static_cast<std::ptrdiff_t>(at),
                  exempt.begin() + static_cast<std::ptrdiff_t>(end), true);
        at = end;
        continue;
      }
      depth += code[at] == '(' ? 1 : code[at] == ')' ? -1 : 0;
      ++at;
    }
  }
  return exempt;
}

std::size_t words_in(const std::string& text) {
  static const std::regex word("[A-Za-z]{2,}");
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), word), std::sregex_iterator()));
}

std::vector<std::string> sentences_in(const std::string& source) {
  const std::string code = code_of(source);
  const std::vector<bool> exempt = exempt_places(code);
  std::vector<std::string> found;
  for (std::size_t at = code.find('"'); at < code.size(); at = code.find('"', at)) {
    const bool counts = !exempt[at];
    std::string text;
    // Literals one after another are one text.
    while (at < code.size() && code[at] == '"') {
      const std::size_t end = std::min(end_of_literal(code, at), code.size());
      text += code.substr(at + 1, end - at - 2);
      at = std::min(code.find_first_not_of(" \n\t", end), code.size());
    }
    if (counts && text.find(' ') != std::string::npos && words_in(text) >= 4) found.push_back(text);
  }
  return found;
}

std::map<std::string, std::vector<std::string>> sentences_elsewhere() {
  std::map<std::string, std::vector<std::string>> all;
  const fs::path root = VESTIGE_SOURCE_DIR;
  for (const auto& entry : fs::recursive_directory_iterator(root / "vestige")) {
    const std::string file = fs::relative(entry.path(), root).string();
    const bool source = entry.path().extension() == ".cpp" || entry.path().extension() == ".h";
    if (!source || file.starts_with("vestige/words/")) continue;
    std::vector<std::string> found = sentences_in(read_file(entry.path()));
    if (!found.empty()) all[file] = std::move(found);
  }
  return all;
}

TEST(SentencesElsewhere, AreFound) {
  EXPECT_EQ(sentences_in("x = \"this is one sentence\";  // \"this is only a comment\"\n").size(),
            1U);
  EXPECT_EQ(sentences_in("x = \"this is \"\n    \"one sentence\";").size(), 1U);
  EXPECT_TRUE(sentences_in("require(ok, \"this is one sentence about {}\", name);").empty());
  EXPECT_TRUE(sentences_in("fail(\"{} (why) is wrong here\", f(x));").empty());
  EXPECT_TRUE(sentences_in("#include \"some/file.h\"\nx = \"three words only\";").empty());
}

TEST(SentencesElsewhere, OnlyThoseThatAreListed) {
  const fs::path list = fs::path(VESTIGE_SOURCE_DIR) / "tests/words/elsewhere.txt";
  const auto found = sentences_elsewhere();
  if (std::getenv("VESTIGE_WRITE_GOLDEN") != nullptr) {
    std::string text;
    for (const auto& [file, own] : found) text += fmt::format("{} {}\n", own.size(), file);
    write_file(list, text);
  }
  std::map<std::string, std::size_t> allowed;
  std::istringstream lines(read_file(list));
  std::size_t count = 0;
  for (std::string file; lines >> count >> file;) allowed[file] = count;
  for (const auto& [file, own] : found) {
    EXPECT_LE(own.size(), allowed[file])
        << file << ": make it a reason with its text in words/: \"" << own.back() << "\"";
  }
  for (const auto& [file, limit] : allowed) {
    const auto own = found.find(file);
    EXPECT_EQ(own == found.end() ? 0 : own->second.size(), limit)
        << file << " has fewer sentences than elsewhere.txt allows: lower the number";
  }
}

}  // namespace
}  // namespace vestige
