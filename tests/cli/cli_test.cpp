// The command line: help, versions, mistakes, and what the verbs print.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/cli/vestige.h"
#include "tests/support/evidence_folder.h"
#include "vestige/base/file.h"
#include "vestige/base/json.h"

namespace vestige {
namespace {

namespace fs = std::filesystem;
using testing::EvidenceFolder;
using testing::EvidenceShape;
using testing::Finished;
using testing::holds;
using testing::refuses;
using testing::run_program;
using testing::TemporaryFolder;

const std::vector<std::string> kVerbs = {"audit", "inspect", "conformance", "completion"};

EvidenceShape small() {
  return {.classes = 3, .models = 4, .forget = 12, .retain = 20, .test = 15};
}

TEST(Help, NamesEveryVerb) {
  const Finished help = testing::vestige({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_EQ(help.err, "");
  for (const std::string& verb : kVerbs) EXPECT_TRUE(holds(help.out, {"\n  " + verb + " "}));
  EXPECT_TRUE(holds(help.out, {"--version"}));
}

// Help and documentation state the exit codes in the same words, wherever a line is broken.
TEST(Help, StatesTheExitCodesAsTheDocumentationDoes) {
  const std::string codes =
      "Exit codes: 0 success; 1 internal error or failed conformance case; 2 invalid input or "
      "command; 3 policy failed or dossier invalid; 130 interrupted";
  const std::string page = read_file(VESTIGE_SOURCE_DIR "/docs/practice/README.md");
  for (std::string text : {testing::vestige({"--help"}).out, page}) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    EXPECT_TRUE(holds(text, {codes}));
  }
}

// An option is shown with "=VALUE" or with the word default.
TEST(Help, OfEachVerbShowsEveryDefault) {
  for (const std::string& verb : kVerbs) {
    const Finished help = testing::vestige({verb, "--help"});
    EXPECT_EQ(help.code, 0);
    std::istringstream lines(help.out);
    std::vector<std::string> options;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("  --")) {
        options.push_back(line);
      } else if (line.starts_with("      ") && !options.empty()) {
        options.back() += line;
      }
    }
    for (const std::string& option : options) {
      // "  --seed UINT=1   Root ..." or "... (default: ...)"
      const std::size_t type = option.find(' ', 2) + 1;
      const std::string_view shown =
          std::string_view(option).substr(type, option.find(' ', type) - type);
      EXPECT_TRUE(shown.find('=') != shown.npos || option.find("default") != option.npos)
          << verb << ": " << option;
    }
  }
}

TEST(Completion, IsBash) {
  const Finished script = testing::vestige({"completion"});
  EXPECT_EQ(script.code, 0);
  EXPECT_TRUE(holds(script.out, {"complete ", "audit", "--epsilon-mode", "inspect"}));
  TemporaryFolder folder;
  write_file(folder / "script", script.out);
  const Finished check = run_program("/bin/bash", {"-n", (folder / "script").string()});
  EXPECT_EQ(check.code, 0) << check.err;
  write_file(folder / "try", script.out +
                                 "\nCOMP_WORDS=(vestige audit --epsilon-mo) COMP_CWORD=2\n"
                                 "_vestige; echo \"${COMPREPLY[@]}\"\n");
  const Finished tried = run_program("/bin/bash", {(folder / "try").string()});
  EXPECT_TRUE(holds(tried.out, {"--epsilon-mode --epsilon-models"})) << tried.err;
  EXPECT_TRUE(refuses(testing::vestige({"completion", "csh"}), {"csh", "bash"}));
}

TEST(Completion, OfZshIsThatOfBashAndFishHasEveryOption) {
  const std::string bash = testing::vestige({"completion", "bash"}).out;
  const std::string zsh = testing::vestige({"completion", "zsh"}).out;
  EXPECT_TRUE(zsh.ends_with(bash));
  EXPECT_NE(zsh.find("bashcompinit"), std::string::npos);
  const Finished fish = testing::vestige({"completion", "fish"});
  EXPECT_EQ(fish.code, 0);
  EXPECT_TRUE(holds(fish.out, {"-n __fish_use_subcommand -f -a audit -d ",
                               "-n '__fish_seen_subcommand_from audit' -l epsilon-mode -r -d "}));
}

TEST(Manual, HasEveryVerbAndOptionWithItsDefault) {
  const Finished manual = testing::vestige({"manual"});
  EXPECT_EQ(manual.code, 0);
  EXPECT_TRUE(holds(manual.out, {".TH vestige 1", ".SH NAME", ".SS vestige audit",
                                 ".B \\-\\-seed UINT=1", "EXIT STATUS"}));
  // A line of text that began with a point would be a command of roff.
  std::istringstream lines(manual.out);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('.')) continue;
    const std::string command = line.substr(0, line.find(' '));
    EXPECT_TRUE(command == ".TH" || command == ".SH" || command == ".SS" || command == ".TP" ||
                command == ".B" || command == ".nf" || command == ".fi")
        << line;
  }
}

TEST(Mistakes, OnTheCommandLine) {
  EXPECT_TRUE(refuses(testing::vestige({"frobnicate"}), {"frobnicate", "vestige --help"}));
  EXPECT_TRUE(refuses(testing::vestige({"--frobnicate"}), {"--frobnicate", "vestige --help"}));
  EXPECT_TRUE(refuses(testing::vestige({"audit"}), {"DIR is required", "vestige audit --help"}));
  EXPECT_TRUE(refuses(testing::vestige({"inspect"}), {"DIR is required", "inspect --help"}));
  EXPECT_TRUE(refuses(testing::vestige({"conformance"}), {"DIR is required"}));
  EXPECT_TRUE(refuses(testing::vestige({"audit", "x", "--frob"}), {"--frob", "audit --help"}));
  EXPECT_TRUE(refuses(testing::vestige({"audit", "x", "y"}), {"not expected: y"}));
  EXPECT_TRUE(refuses(testing::vestige({"audit", "x", "--threads", "two"}), {"--threads", "two"}));
  EXPECT_TRUE(refuses(testing::vestige({"audit", "x", "--threads", "-2"}), {"--threads is -2"}));
  EXPECT_TRUE(refuses(testing::vestige({"audit", "x", "--seed", "-1"}), {"--seed", "-1"}));
  EXPECT_TRUE(refuses(testing::vestige({"audit", "x", "--epsilon-mode", "fast"}),
                      {"--epsilon-mode", "fast", "exact,reference"}));
  EXPECT_TRUE(
      refuses(testing::vestige({"audit", "x", "--json", "file"}), {"file", "audit --help"}));
}

TEST(Mistakes, NoVerbShowsTheHelp) {
  const Finished nothing = testing::vestige({});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_TRUE(holds(nothing.out, {"Usage: vestige"}));
}

TEST(Audit, WritesResultsAndPrintsATable) {
  const EvidenceFolder folder(small());
  const TemporaryFolder out;
  const std::string target = (out / "deep/er").string();
  const Finished done = testing::vestige({"audit", folder.path().string(), "--out", target});
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.err, "");
  EXPECT_TRUE(holds(
      done.out, {"Evidence quality C", "12 forget examples", "finetune", target + "/results.json",
                 "open " + target, "methods is shown to forget like retraining"}));
  EXPECT_EQ(done.out.find("epsilon.f_score"), std::string::npos) << "--full has the numbers";
  std::vector<std::string> written = testing::listing(target);
  EXPECT_GT(
      std::erase_if(written, [](const std::string& name) { return name.ends_with(".vl.json"); }),
      2U);
  EXPECT_EQ(written, (std::vector<std::string>{"plots", "plots/summary.svg", "report.html",
                                               "results.json", "samples.csv"}));
  const Json json = Json::parse(read_file(target + "/results.json"));
  EXPECT_EQ(json["run"]["command"].get<std::string>().find("vestige audit "), 0U);
  std::istringstream lines(done.out);
  for (std::string line; std::getline(lines, line);) {
    const auto columns = std::count_if(line.begin(), line.end(), [](char byte) {
      return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
    });
    EXPECT_TRUE(columns <= 100 || line.find(target) != std::string::npos) << line;
  }
}

TEST(Audit, FullHasTheNumbersAndVerdictTheTests) {
  const EvidenceFolder folder(small());
  const Finished full = testing::vestige({"audit", folder.path().string(), "--full"});
  EXPECT_TRUE(holds(full.out, {"Evidence quality C", "epsilon.f_score", "nothing was written"}));
  const Finished one = testing::vestige({"audit", folder.path().string(), "--verdict", "finetune"});
  EXPECT_EQ(one.code, 0);
  EXPECT_TRUE(holds(one.out, {"finetune: ", "test (method - retrained)", "holdout_gap."}));
  const Finished none = testing::vestige({"audit", folder.path().string(), "--verdict", "finetun"});
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(holds(none.err, {"--verdict finetun", "did you mean 'finetune'?"}));
  const TemporaryFolder out;
  const Finished titled =
      testing::vestige({"audit", folder.path().string(), "--title", "Our own <title>", "--metrics",
                        "utility", "--out", (out / "x").string()});
  EXPECT_EQ(titled.code, 0);
  EXPECT_NE(read_file(out / "x/report.html").find("<h1>Our own &lt;title&gt;</h1>"),
            std::string::npos);
}

TEST(Audit, JsonOnStandardOutputStandsAlone) {
  const EvidenceFolder folder(small());
  const Finished done = testing::vestige({"audit", folder.path().string(), "--json", "-"});
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.err, "");
  const Json json = Json::parse(done.out);
  EXPECT_EQ(json["schema"], 3);
  EXPECT_GT(json["results"].size(), 10U);
  const std::vector<std::string> quick = {"audit", folder.path().string(), "--metrics", "utility"};
  std::vector<Json> results;
  for (const std::string spelling : {"--json", "--json=-"}) {
    std::vector<std::string> arguments = quick;
    arguments.insert(arguments.begin() + 1, spelling);
    results.push_back(Json::parse(testing::vestige(arguments).out)["results"]);
    EXPECT_EQ(results.back(), results.front()) << spelling;
    EXPECT_EQ(results.back().front(), json["results"].front()) << spelling;
  }
}

TEST(Audit, QuietKeepsTheResults) {
  const EvidenceFolder folder(small());
  const std::vector<std::string> arguments = {"audit", folder.path().string(), "--metrics",
                                              "utility"};
  std::vector<std::string> quiet = arguments;
  quiet.push_back("--quiet");
  const Finished done = testing::vestige(quiet);
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.err, "");
  EXPECT_EQ(done.out, testing::vestige(arguments).out);
  EXPECT_TRUE(holds(done.out, {"utility.accuracy"}));
}

TEST(Audit, MetricsSeedAndThreads) {
  const EvidenceFolder folder(small());
  const auto results = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"audit", folder.path().string(), "--json", "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished done = testing::vestige(arguments);
    EXPECT_EQ(done.code, 0) << done.err;
    return Json::parse(done.out);
  };
  const Json some = results({"--metrics", "utility.accuracy,epsilon.median", "--seed", "5"});
  for (const Json& row : some["results"]) {
    const auto id = row["metric"].get<std::string>();
    EXPECT_TRUE(id.starts_with("utility.accuracy") || id == "epsilon.median") << id;
    EXPECT_EQ(row["seed"], 5);
  }
  const Json one = results({"--threads", "1"});
  EXPECT_EQ(one["results"], results({"--threads", "3"})["results"]);
  EXPECT_EQ(one["run"]["threads"], 1);
}

TEST(Inspect, SaysWhatIsWrongAndExitsTwo) {
  EvidenceFolder folder(small());
  const Finished sound = testing::vestige({"inspect", folder.path().string()});
  EXPECT_EQ(sound.code, 0);
  EXPECT_TRUE(holds(sound.out, {"0 errors, 0 warnings", "epsilon", "utility"}));
  folder.change("labels/test", [](auto& labels) { labels[0] = 77; });
  folder.change("original/0/forget", [](auto& values) { values[0] = std::nan(""); });
  const Finished bad = testing::vestige({"inspect", folder.path().string()});
  EXPECT_EQ(bad.code, 2);
  EXPECT_TRUE(holds(bad.out, {"error E-LABELS: labels/test.npy has label 77 in row 0",
                              "error E-VALUES: original/0/forget.npy has 1 NaN", "2 errors"}));
}

TEST(Inspect, ReadsArchives) {
  const EvidenceFolder folder(small());
  EXPECT_EQ(testing::vestige({"inspect", folder.write_npz().string()}).code, 0);
  EXPECT_EQ(testing::vestige({"inspect", folder.write_safetensors().string()}).code, 0);
}

TEST(Conformance, RunsTheShippedCases) {
  const Finished done =
      testing::vestige({"conformance", VESTIGE_SOURCE_DIR "/tests/reference/dm_forget_score"});
  EXPECT_EQ(done.code, 0);
  EXPECT_TRUE(holds(done.out, {"passed  dm_forget_score/", "3 passed, 0 failed\n"}));
}

TEST(Conformance, AFailedCaseExitsOne) {
  const TemporaryFolder folder;
  fs::copy(VESTIGE_SOURCE_DIR "/tests/reference/dm_forget_score/n2", folder / "n2",
           fs::copy_options::recursive);
  Json json = Json::parse(read_file(folder / "n2/case.json"));
  json["expected"]["forget_score"] = 0.123;
  write_file(folder / "n2/case.json", json.dump());
  write_file(folder / "case.json", R"({"metric": "alchemy", "inputs": {}, "expected": {}})");
  const Finished done = testing::vestige({"conformance", folder.path().string()});
  EXPECT_EQ(done.code, 1);
  EXPECT_TRUE(holds(done.out, {"failed  dm_forget_score/n2: forget_score[0] = ", "0.123",
                               "skipped alchemy/", "1 skipped", "0 passed, 1 failed\n"}));
}

TEST(Conformance, WantsAFolderOfCases) {
  const TemporaryFolder folder;
  EXPECT_TRUE(
      refuses(testing::vestige({"conformance", folder.path().string()}), {"holds no case.json"}));
  EXPECT_TRUE(
      refuses(testing::vestige({"conformance", (folder / "x").string()}), {"is no folder"}));
  write_file(folder / "case.json", "{");
  const Finished bad = testing::vestige({"conformance", folder.path().string()});
  EXPECT_EQ(bad.code, 1);
  EXPECT_TRUE(holds(bad.out, {"is no valid JSON", "0 passed, 1 failed"}));
}

}  // namespace
}  // namespace vestige
