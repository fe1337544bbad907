// One meaning per name: no two headers below vestige/ declare types of the same name, except for
// those of type_names.txt, which may go but not come.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "vestige/base/file.h"

namespace vestige {
namespace {

namespace fs = std::filesystem;

/// Types that a header declares for others: in a namespace, with a body, or by `using`. Those
/// inside another type have its name before theirs.
std::set<std::string> types_in(const std::string& source) {
  static const std::regex kType(
      R"(^(?:(?:struct|class|enum class)\s+([A-Z]\w*)\b(?!::)[^;()]*\{|using\s+([A-Z]\w*)\s*=))");
  std::set<std::string> found;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find("//"));
    std::smatch match;
    if (std::regex_search(line, match, kType)) found.insert(match[1].str() + match[2].str());
  }
  return found;
}

/// Names that several headers declare, and which.
std::map<std::string, std::set<std::string>> declared_twice() {
  const fs::path root = VESTIGE_SOURCE_DIR;
  std::map<std::string, std::set<std::string>> places;
  for (const auto& entry : fs::recursive_directory_iterator(root / "vestige")) {
    if (entry.path().extension() != ".h") continue;
    for (const std::string& type : types_in(read_file(entry.path()))) {
      places[type].insert(fs::relative(entry.path(), root).string());
    }
  }
  EXPECT_GT(places.size(), 400U);
  std::erase_if(places, [](const auto& own) { return own.second.size() < 2; });
  return places;
}

TEST(TypeNames, AreFound) {
  EXPECT_EQ(types_in("struct One {\n  struct Inside {\n};\nclass Two final : public One {\n"
                     "enum class Three { one, two };\nusing Four = int;\nstruct Five;\n"
                     "struct One::Part {\n// struct Six {\n"),
            (std::set<std::string>{"One", "Two", "Three", "Four"}));
}

TEST(TypeNames, HaveOneMeaning) {
  const auto twice = declared_twice();
  std::set<std::string> allowed;
  std::istringstream list(read_file(fs::path(VESTIGE_SOURCE_DIR) / "tests/base/type_names.txt"));
  for (std::string name; list >> name;) allowed.insert(name);
  for (const auto& [name, places] : twice) {
    std::string all;
    for (const std::string& place : places) all += " " + place;
    EXPECT_TRUE(allowed.contains(name))
        << name << " is declared in" << all << ": give one of them a name of its own";
  }
  for (const std::string& name : allowed) {
    EXPECT_TRUE(twice.contains(name)) << name << " has one meaning now: take it off the list";
  }
}

}  // namespace
}  // namespace vestige
