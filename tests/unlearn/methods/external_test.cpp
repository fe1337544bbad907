// A method that is a command. The script of docs/methods/external.md is what runs here.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

#include "tests/support.h"
#include "tests/unlearn/bench.h"
#include "vestige/base/file.h"
#include "vestige/models/weights/safetensors.h"
#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/command.h"
#include "vestige/unlearn/parts/layers_of.h"
#include "vestige/unlearn/parts/script_files.h"
#include "vestige/unlearn/registry.h"

namespace vestige {
namespace {

using testing::error_of;
using testing::holds;
using testing::TemporaryFolder;
using testing::UnlearnBench;

/// The ```python block of the documentation page.
std::string script() {
  const std::string page = read_file(VESTIGE_SOURCE_DIR "/docs/methods/external.md");
  const std::string open = "```python\n";
  const std::size_t start = page.find(open) + open.size();
  return page.substr(start, page.find("```", start) - start);
}

std::string run_error(const Json& options) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  const std::string text = error_of([&] { bench.run("external", options, problem); });
  EXPECT_TRUE(testing::changed(problem.network, bench.original()).empty()) << text;
  return text;
}

TEST(External, RunsTheScriptOfTheDocumentation) {
  if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0)
    GTEST_SKIP() << "no numpy";
  const TemporaryFolder folder;
  write_file(folder / "unlearn.py", script());
  UnlearnBench& bench = UnlearnBench::of("random");
  const auto run = [&](std::uint64_t seed) {
    unlearn::Problem problem = bench.problem(seed);
    bench.run("external",
              {{"command", "/usr/bin/python3 " + (folder / "unlearn.py").string()},
               {"options", {{"layer", "linear2"}, {"noise", 0.5}}}},
              problem);
    return problem;
  };
  const unlearn::Problem first = run(7), same = run(7), other = run(8);
  EXPECT_EQ(testing::changed(first.network, bench.original()),
            (std::vector<std::string>{"linear2.weight", "linear2.bias"}));
  EXPECT_TRUE(testing::changed(first.network, same.network).empty());
  EXPECT_FALSE(testing::changed(first.network, other.network).empty());
  const torch::Tensor noise =
      unlearn::classifier(first.network).weight - unlearn::classifier(bench.original()).weight;
  // 512 draws: the standard error of the deviation is .5 / sqrt(1024) = .016.
  EXPECT_NEAR(noise.std().item<double>(), 0.5, 0.06);
  EXPECT_GT(bench.progress(first.network), 0.02);
}

TEST(External, HandsOverSplitOptionsAndData) {
  const TemporaryFolder folder;
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem(9);
  const std::string command =
      "test \"$PWD\" = \"$VESTIGE_FOLDER\" && test \"$1\" = \"$VESTIGE_FOLDER\" && "
      "cp split.json options.json data.safetensors " +
      folder.path().string() + " && cp original.safetensors unlearned.safetensors";
  const unlearn::Outcome outcome = bench.run(
      "external", {{"command", command}, {"data", true}, {"options", {{"a", 1}}}}, problem);
  EXPECT_TRUE(testing::changed(problem.network, bench.original()).empty());
  EXPECT_GT(outcome.cost.seconds, 0);
  const Json split = Json::parse(read_file(folder / "split.json"));
  EXPECT_EQ(split.at("forget").get<train::Rows>(), bench.forget());
  EXPECT_EQ(split.at("retain").get<train::Rows>(), bench.retain());
  EXPECT_EQ(split.at("validation").get<train::Rows>(), bench.validation());
  const Json options = Json::parse(read_file(folder / "options.json"));
  EXPECT_EQ(options.at("options"), (Json{{"a", 1}}));
  EXPECT_EQ(options.at("seed"), 9);
  auto data = models::from_safetensors(read_file(folder / "data.safetensors"), "data");
  train::Rows rows = bench.retain();
  rows.insert(rows.end(), bench.forget().begin(), bench.forget().end());
  rows.insert(rows.end(), bench.validation().begin(), bench.validation().end());
  const train::Batch expected = bench.samples().batch(std::span(rows));
  EXPECT_TRUE(torch::equal(data.at("rows"), expected.rows[0]));
  EXPECT_TRUE(torch::equal(data.at("labels"), expected.labels[0]));
  EXPECT_TRUE(torch::equal(data.at("inputs"), expected.inputs[0]));
}

TEST(External, SaysWhatWentWrong) {
  EXPECT_TRUE(holds(run_error(Json::object()), {"external", "command"}));
  EXPECT_TRUE(
      holds(run_error({{"command", "echo one; echo two >&2; exit 3"}}), {"code 3", "'two'"}));
  EXPECT_TRUE(holds(run_error({{"command", "kill -9 $$"}}), {"code 137", "printed nothing"}));
  EXPECT_TRUE(holds(run_error({{"command", "echo done"}}), {"unlearned.safetensors", "'done'"}));
  EXPECT_TRUE(holds(run_error({{"command", "echo hello > unlearned.safetensors"}}),
                    {"unlearned.safetensors"}));
  EXPECT_TRUE(holds(run_error({{"command", "true"}, {"limit_seconds", 0}}), {"limit_seconds"}));
}

TEST(External, RefusesWeightsThatAreNotFiniteOrDoNotFit) {
  const TemporaryFolder folder;
  UnlearnBench& bench = UnlearnBench::of("random");
  const auto written = [&](const char* name, const torch::Tensor& bias) {
    std::map<std::string, torch::Tensor> tensors;
    for (const auto& item : bench.original().named_parameters()) {
      tensors[item.key()] = item.value()[0].detach().clone();
    }
    tensors["linear2.bias"] = bias;
    write_file(folder / name, models::to_safetensors(tensors));
    return Json{{"command", "cp " + (folder / name).string() + " unlearned.safetensors"}};
  };
  EXPECT_TRUE(holds(run_error(written("nan", torch::full({4}, std::nan("")))),
                    {"linear2.bias", "not finite"}));
  EXPECT_TRUE(holds(run_error(written("shape", torch::zeros({5}))),
                    {"unlearned.safetensors", "linear2.bias", "5"}));
}

TEST(External, StopsAHangingCommandWithItsChildren) {
  const TemporaryFolder folder;
  const auto start = std::chrono::steady_clock::now();
  const std::string command =
      "sleep 60 & echo $! > " + (folder / "child").string() + "; echo waiting; wait";
  EXPECT_TRUE(holds(run_error({{"command", command}, {"limit_seconds", 0.3}}),
                    {"limit_seconds = 0.3", "'waiting'"}));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  // Signal 0 asks whether the process is there; a killed orphan may remain a zombie for a moment.
  const auto child = static_cast<pid_t>(std::stoi(read_file(folder / "child")));
  bool gone = false;
  for (int attempt = 0; attempt < 100 && !gone; ++attempt) {
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    std::string text((std::istreambuf_iterator<char>(stat)), {});
    gone = text.empty() || text.find(") Z") != std::string::npos;
    if (!gone) ::usleep(20000);
  }
  EXPECT_TRUE(gone);
}

// SIGTERM is ignored: SIGKILL follows after the grace of two seconds. Slow for that reason.
TEST(External, KillsWhatIgnoresSigterm) {
  const TemporaryFolder folder;
  const unlearn::CommandResult result =
      unlearn::run_command("trap '' TERM; while :; do sleep 0.05; done", folder.path(), 0.2, {});
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.code, 137);
}

TEST(External, StopsWhenTheCallerIsInterrupted) {
  const TemporaryFolder folder;
  int ticks = 0;
  EXPECT_THROW(unlearn::run_command("sleep 60", folder.path(), 60,
                                    [&] {
                                      if (++ticks > 1) throw Interrupted();
                                    }),
               Interrupted);
}

TEST(External, LeavesNoFolderBehindUnlessAsked) {
  const TemporaryFolder folder;
  const char* old = std::getenv("TMPDIR");
  const std::string before = old == nullptr ? "" : old;
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  UnlearnBench& bench = UnlearnBench::of("random");
  const std::string copy = "cp original.safetensors unlearned.safetensors";
  unlearn::Problem gone = bench.problem(), kept = bench.problem();
  bench.run("external", {{"command", copy}}, gone);
  run_error({{"command", "exit 1"}});
  EXPECT_TRUE(testing::listing(folder.path()).empty());
  const unlearn::Outcome outcome = bench.run("external", {{"command", copy}, {"keep", true}}, kept);
  EXPECT_TRUE(std::filesystem::exists(
      std::filesystem::path(outcome.facts.at("folder").get<std::string>()) / "split.json"));
  if (old == nullptr) {
    ::unsetenv("TMPDIR");
  } else {
    ::setenv("TMPDIR", before.c_str(), 1);
  }
}

TEST(External, ReportsItsOwnSeconds) {
  UnlearnBench& bench = UnlearnBench::of("random");
  const std::string copy = "cp original.safetensors unlearned.safetensors; ";
  const auto run = [&](const std::string& cost) {
    unlearn::Problem problem = bench.problem();
    return bench.run("external", {{"command", copy + "echo '" + cost + "' > cost.json"}}, problem);
  };
  const unlearn::Outcome outcome = run(R"({"seconds": 123.5, "steps": 7, "samples": 70})");
  EXPECT_EQ(outcome.seconds, 123.5);
  EXPECT_EQ(outcome.cost.seconds, 123.5);
  EXPECT_EQ(outcome.cost.steps, 7);
  EXPECT_EQ(outcome.cost.samples, 70);
  EXPECT_LT(outcome.facts.at("command_seconds").get<double>(), 100);
  EXPECT_FALSE(run("{}").seconds.has_value());
  EXPECT_TRUE(holds(error_of([&] { run(R"({"seconds": -1})"); }), {"cost.json", "seconds", "-1"}));
  EXPECT_TRUE(holds(error_of([&] { run("fast"); }), {"cost.json"}));
}

TEST(External, ScriptsAreKnownByWhatIsInThem) {
  const TemporaryFolder folder;
  const std::string script = (folder / "unlearn.py").string();
  const std::string table = (folder / "options.json").string();
  write_file(script, "print(1)\n");
  write_file(table, "{}");
  write_file(folder / "tool", std::string("\x7f") + "ELF...");
  const std::string command = (folder / "tool").string() + " '" + script + "' --table=" + table +
                              " --missing /no/such/file";
  const Json first = unlearn::script_hashes(command, {});
  ASSERT_EQ(first.size(), 2u) << first;
  // printf 'print(1)\\n' | sha256sum
  EXPECT_TRUE(first.contains(script) && first.contains(table));
  EXPECT_EQ(first, unlearn::script_hashes(command, {}));
  write_file(script, "print(2)\n");
  EXPECT_NE(first, unlearn::script_hashes(command, {}));
  // Files that the command does not name, and folders.
  std::filesystem::create_directories(folder / "package");
  write_file(folder / "package" / "a.py", "a");
  const Json more = unlearn::script_hashes("true", {(folder / "package").string()});
  EXPECT_TRUE(more.contains((folder / "package" / "a.py").string()));
  EXPECT_TRUE(holds(error_of([&] { unlearn::script_hashes("true", {"/no/such/file"}); }),
                    {"/no/such/file", "does not exist"}));
}

TEST(External, LastLine) {
  EXPECT_EQ(unlearn::last_line(""), "");
  EXPECT_EQ(unlearn::last_line("\n \n"), "");
  EXPECT_EQ(unlearn::last_line("a\nb\tc\r\n\n"), "b c");
  EXPECT_EQ(unlearn::last_line(std::string(500, 'x')).size(), 200U);
}

TEST(External, IsListedWithoutACommand) {
  const unlearn::MethodChoice choice = unlearn::read_choice("external", "test");
  EXPECT_EQ(choice.options.at("command"), "");
  EXPECT_EQ(choice.options.at("limit_seconds"), 3600);
}

}  // namespace
}  // namespace vestige
