// Every command and option that a message or a page recommends exists: the programs are asked.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "tests/cli/recommended.h"
#include "tests/cli/vestige.h"
#include "vestige/base/file.h"

namespace vestige {
namespace {

namespace fs = std::filesystem;
using testing::code_in;
using testing::commands_in;
using testing::literals_in;
using testing::options_in;
using testing::Recommended;

/// Whose help is the lab's, which a build without it cannot ask.
const std::set<std::string> kLabVerbs = {"split",  "train", "unlearn", "methods", "collect",
                                         "models", "bench", "tune",    "demo",    "recover"};

/// What `vestige VERB --help` lists; empty if there is no such verb. "" is the program itself.
const std::set<std::string>& listed(const std::string& verb) {
  static std::map<std::string, std::set<std::string>> known;
  const auto [place, fresh] = known.try_emplace(verb);
  if (fresh) {
    // A verb with verbs of its own: their options are theirs.
    std::vector<std::string> below = {""};
    if (verb == "import") below = {"openunlearning", "lm-eval", "easydub", "scores"};
    for (const std::string& format : below) {
      std::vector<std::string> arguments;
      if (!verb.empty()) arguments.push_back(verb);
      if (!format.empty()) arguments.push_back(format);
      const std::string last = arguments.empty() ? "" : arguments.back();
      arguments.push_back("--help");
      const testing::Finished help = testing::vestige(arguments);
      // Asked for the help of a verb that it does not know, the program gives its own.
      const bool own = help.out.find(" " + last + " [OPTIONS]") != std::string::npos;
      if (help.code != 0 || !(verb.empty() || own)) continue;
      for (const std::string& option : options_in(help.out)) place->second.insert(option);
      place->second.insert("--help");
    }
  }
  return place->second;
}

bool with_lab() { return !listed("train").empty(); }

std::vector<fs::path> files_below(const std::string& folder, const std::set<std::string>& endings) {
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(VESTIGE_SOURCE_DIR) / folder)) {
    if (endings.contains(entry.path().extension().string())) files.push_back(entry.path());
  }
  return files;
}

/// The message about one command that cannot be run as it is recommended; empty if it can.
std::string problem_of(const Recommended& command) {
  if (kLabVerbs.contains(command.verb) && !with_lab()) return {};
  const std::set<std::string>& known = listed(command.verb);
  if (known.empty()) return "there is no verb " + command.verb;
  for (const std::string& option : command.options) {
    if (!known.contains(option)) return "vestige " + command.verb + " has no option " + option;
  }
  return {};
}

TEST(Recommended, IsFoundInMessagesAndPages) {
  // The message of 0.1.0 that named an option which no verb had.
  const auto literals = literals_in(
      "f(\"grad_cam_tap\",  // vestige comment\n"
      "  \"name a tap (vestige models \"\n  \"--taps)\", '\"', \"give --force\\n\");");
  ASSERT_EQ(literals.size(), 3U);
  EXPECT_EQ(literals[1], "name a tap (vestige models --taps)");
  const auto commands = commands_in(literals[1]);
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_EQ(commands[0].verb, "models");
  EXPECT_EQ(commands[0].options, std::vector<std::string>{"--taps"});
  EXPECT_EQ(options_in(literals[2]), std::vector<std::string>{"--force"});
  EXPECT_TRUE(commands_in("vestige: warning, vestige.core and Vestige tells").empty());
  const auto code =
      code_in("Run `vestige split R\n--out x` or\n```sh\nvestige train r  # a\nb\n```\n");
  EXPECT_EQ(code, (std::vector<std::string>{"vestige split R --out x", "sh", "vestige train r  # a",
                                            "b"}));
}

TEST(Recommended, AVerbWithoutTheOptionIsAProblem) {
  EXPECT_EQ(problem_of({"audit", {"--out"}}), "");
  EXPECT_EQ(problem_of({"audit", {"--taps"}}), "vestige audit has no option --taps");
  EXPECT_EQ(problem_of({"audite", {}}), "there is no verb audite");
}

TEST(Hints, CommandsInMessagesExist) {
  int commands = 0;
  for (const char* folder : {"vestige", "cli"}) {
    for (const fs::path& file : files_below(folder, {".cpp", ".h"})) {
      for (const std::string& literal : literals_in(read_file(file))) {
        for (const Recommended& command : commands_in(literal)) {
          EXPECT_EQ(problem_of(command), "") << file << ": " << literal;
          ++commands;
        }
      }
    }
  }
  EXPECT_GT(commands, 8);
}

// "give --force" names no verb, so the option must be one of some verb.
TEST(Hints, OptionsInMessagesExist) {
  if (!with_lab()) GTEST_SKIP() << "the lab's options are not known without the lab";
  std::set<std::string> known = listed("");
  for (const char* verb :
       {"audit",       "inspect",    "report", "gate",    "compare", "ledger", "dossier", "verify",
        "conformance", "completion", "import", "recover", "metrics", "split",  "train",   "unlearn",
        "methods",     "collect",    "models", "bench",   "tune",    "demo"}) {
    ASSERT_FALSE(listed(verb).empty()) << verb;
    known.insert(listed(verb).begin(), listed(verb).end());
  }
  // Of lm-evaluation-harness, in advice on its logs: --limit and --log_samples, read up to "_".
  known.insert({"--limit", "--log"});
  int options = 0;
  for (const char* folder : {"vestige", "cli"}) {
    for (const fs::path& file : files_below(folder, {".cpp", ".h"})) {
      for (const std::string& literal : literals_in(read_file(file))) {
        // A literal that begins with an option declares it or speaks of what was given.
        const std::size_t start = literal.starts_with("--") ? literal.find_first_of(" ,") : 0;
        if (start == std::string::npos) continue;
        for (const std::string& option : options_in(literal.substr(start))) {
          EXPECT_TRUE(known.contains(option)) << file << ": " << literal;
          ++options;
        }
      }
    }
  }
  EXPECT_GT(options, 20);
}

TEST(Hints, CommandsInPagesExist) {
  std::vector<fs::path> pages = files_below("docs", {".md"});
  for (const char* page : {"README.md", "CONTRIBUTING.md"}) {
    pages.push_back(fs::path(VESTIGE_SOURCE_DIR) / page);
  }
  int commands = 0;
  for (const fs::path& page : pages) {
    for (const std::string& code : code_in(read_file(page))) {
      for (const Recommended& command : commands_in(code)) {
        EXPECT_EQ(problem_of(command), "") << page << ": " << code;
        ++commands;
      }
    }
  }
  EXPECT_GT(commands, 40);
}

}  // namespace
}  // namespace vestige
