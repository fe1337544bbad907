// The two programs as one command: vestige starts vestige-lab, and says so where it is missing.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tests/cli/vestige.h"
#include "tests/support.h"
#include "vestige/base/file.h"
#include "vestige/base/json.h"

namespace vestige {
namespace {

namespace fs = std::filesystem;
using testing::Finished;
using testing::holds;
using testing::refuses;
using testing::run_program;
using testing::TemporaryFolder;

/// A copy of vestige in a folder of its own, where vestige-lab is what a test puts there.
class LabProgram : public ::testing::Test {
 protected:
  LabProgram() {
    fs::create_directory(folder_ / "bin");
    fs::create_directory(folder_ / "path");
    fs::copy_file(VESTIGE_BINARY_DIR "/vestige", folder_ / "bin/vestige");
  }

  /// A script in place of the lab, in bin (beside vestige) or in path (on the PATH).
  void put_lab(const std::string& place, const std::string& script) {
    const fs::path path = folder_ / place / "vestige-lab";
    write_file(path, "#!/bin/sh\n" + script);
    fs::permissions(path, fs::perms(0755));
  }

  Finished run(const std::vector<std::string>& arguments) const {
    const std::string path = (folder_ / "path").string() + ":/usr/bin:/bin";
    return run_program((folder_ / "bin/vestige").string(), arguments,
                       {.in_child = [path, folder = folder_.path().string()] {
                         if (::chdir(folder.c_str()) != 0) ::_exit(125);
                         ::setenv("PATH", path.c_str(), 1);
                       }});
  }

  TemporaryFolder folder_;
};

TEST_F(LabProgram, IsMissing) {
  for (const char* verb :
       {"train", "unlearn", "methods", "collect", "split", "models", "tune", "bench", "demo"}) {
    EXPECT_TRUE(refuses(run({verb, "--help"}), {verb, "vestige-lab", "make build", "package"}));
  }
}

TEST_F(LabProgram, GetsArgumentsAndGivesItsExitCode) {
  put_lab("path", "echo on the path: \"$@\"; exit 5");
  const Finished found = run({"train", "a b", "--x=1", "-"});
  EXPECT_EQ(found.code, 5);
  EXPECT_EQ(found.out, "on the path: train a b --x=1 -\n");
  put_lab("bin", "echo beside; exit 7");
  const Finished beside = run({"models"});
  EXPECT_EQ(beside.code, 7);
  EXPECT_EQ(beside.out, "beside\n");
}

TEST_F(LabProgram, IsTheSameProcess) {
  put_lab("bin", "kill -TERM $$");
  EXPECT_EQ(run({"bench", "x"}).signal, SIGTERM);
}

TEST_F(LabProgram, IsNotStartedForWhatNeedsNoLab) {
  put_lab("bin", "echo started; exit 9");
  EXPECT_EQ(run({"--version"}).code, 0);
  EXPECT_TRUE(refuses(run({"demo", "--evidence"}), {"demo/fashion-one"}));  // not in this folder
  EXPECT_TRUE(refuses(run({"trains"}), {"trains", "vestige --help"}));
}

TEST_F(LabProgram, ConformanceSaysWhatWasLeftOut) {
  const std::string cases = VESTIGE_SOURCE_DIR "/tests/reference/ssd_dampen";
  const Finished alone = run({"conformance", cases});
  EXPECT_EQ(alone.code, 0) << alone.err;
  EXPECT_TRUE(
      holds(alone.out, {"skipped (ssd_dampen): ", "vestige-lab", "make build", "0 passed"}));
  const Json outcomes = Json::parse(run({"conformance", cases, "--json", "-"}).out);
  ASSERT_GT(outcomes.size(), 0U);
  Json answer = outcomes;
  for (Json& entry : answer) entry["verdict"] = "passed";
  answer[0]["verdict"] = "failed";
  answer[0]["detail"] = "made up";
  write_file(folder_ / "answer", answer.dump());
  put_lab("bin", "cat " + (folder_ / "answer").string() + "; exit 1");
  const Finished both = run({"conformance", cases});
  EXPECT_EQ(both.code, 1) << both.err;
  EXPECT_TRUE(
      holds(both.out, {": made up", fmt::format("{} passed, 1 failed", answer.size() - 1)}));
  put_lab("bin", "exit 3");
  EXPECT_TRUE(refuses(run({"conformance", cases}), {"vestige-lab conformance did not finish"}));
}

// The program must start in milliseconds: nothing of the lab, nor what few metrics need.
TEST(Program, LinksNeitherTorchNorMpiNorXgboost) {
  const Finished linked = run_program("/bin/bash", {"/usr/bin/ldd", VESTIGE_BINARY_DIR "/vestige"});
  ASSERT_EQ(linked.code, 0) << linked.err;
  for (const char* library : {"torch", "mpi", "xgboost", "c10"}) {
    EXPECT_EQ(linked.out.find(std::string("lib") + library), std::string::npos) << linked.out;
  }
}

TEST(Program, CompletesTheLabsVerbs) {
  const Finished script = testing::vestige({"completion"});
  const TemporaryFolder folder;
  write_file(
      folder / "vestige",
      "#!/bin/sh\necho '  -h,--help   Print'; echo '  --workers INT=0  Processes, not --x'\n");
  fs::permissions(folder / "vestige", fs::perms(0755));
  write_file(folder / "try", script.out + "\nPATH=" + folder.path().string() +
                                 ":$PATH\nCOMP_WORDS=(vestige train --) COMP_CWORD=2\n"
                                 "_vestige; echo \"${COMPREPLY[@]}\"\n"
                                 "COMP_WORDS=(vestige unl) COMP_CWORD=1\n"
                                 "_vestige; echo \"${COMPREPLY[@]}\"\n");
  const Finished tried = run_program("/bin/bash", {(folder / "try").string()});
  EXPECT_EQ(tried.out, "--help --workers\nunlearn\n") << tried.err;
}

#ifdef VESTIGE_WITH_LAB
/// "  train    Train the ..." lines of a help, by verb.
std::map<std::string, std::string> verbs_of(const std::string& help) {
  std::map<std::string, std::string> verbs;
  std::istringstream lines(help);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    if (line.starts_with("  ") && line[2] >= 'a' && line[2] <= 'z' && words >> first) {
      std::getline(words >> std::ws, verbs[last = first]);
    } else if (line.starts_with("     ") && !last.empty()) {
      std::getline(words >> std::ws, first);
      verbs[last] += " " + first;
    } else {
      last.clear();
    }
  }
  return verbs;
}

// vestige --help lists the lab's verbs without starting it, so its words are a copy.
TEST(Program, DescribesTheLabsVerbsAsTheLabDoes) {
  const auto here = verbs_of(testing::vestige({"--help"}).out);
  const auto there = verbs_of(run_program(VESTIGE_BINARY_DIR "/vestige-lab", {"--help"}).out);
  EXPECT_EQ(there.size(), 12U);
  for (const auto& [verb, summary] : there) {
    // Divided between the two programs, or in both of them.
    if (verb == "demo" || verb == "conformance" || verb == "manual") continue;
    ASSERT_EQ(here.count(verb), 1U) << verb;
    EXPECT_EQ(here.at(verb), summary) << verb;
  }
}

TEST(Program, ConformanceCoversUnlearningMethods) {
  for (const char* method : {"ssd_dampen", "salun_mask", "scrub_kd"}) {
    const Finished done = testing::vestige(
        {"conformance", std::string(VESTIGE_SOURCE_DIR "/tests/reference/") + method});
    EXPECT_EQ(done.code, 0) << done.out << done.err;
    EXPECT_TRUE(holds(done.out, {std::string("passed  ") + method, " 0 failed\n"}));
    EXPECT_EQ(done.out.find("skipped"), std::string::npos) << done.out;
  }
}
#endif

}  // namespace
}  // namespace vestige
