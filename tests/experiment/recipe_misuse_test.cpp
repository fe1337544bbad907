// Recipes that leave things out or spoil them never reassure, as evidence on the command line:
// docs/validation/misuse-recipes.md.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/experiment/tiny_experiment.h"
#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/practice/gate.h"
#include "vestige/report/json/read_results.h"
#include "vestige/report/summary_plot.h"
#include "vestige/words/verdicts.h"

namespace vestige::experiment {
namespace {

using testing::TemporaryFolder;

const char* const kPage = VESTIGE_SOURCE_DIR "/docs/validation/misuse-recipes.md";
/// Where numbers decide, and with them the processor that trained the models.
const char* const kNotForgotten = "not FORGOTTEN";

/// Models that memorise: the original is right on 96 % of the forget set, retrained ones on 49 %.
Json right_recipe() {
  return parse_toml(
      "name = 'tiny'\n"
      "seed = 1\n"
      "data = {name = 'synthetic', rows = 3000, test_rows = 1200, classes = 4, height = 8, width = "
      "8, label_noise = 0, idiosyncrasy = 3}\n"
      "split = {train = 600, test = 1200}\n"
      "forget = {kind = 'random', count = 300}\n"
      "model = {name = 'small_cnn', width = 8}\n"
      "train = {epochs = 40, batch = 32, rate = 0.02}\n"
      "pool = {original = 3, retrained = 3}\n"
      "methods = ['retrain']\n"
      "bench = {metrics = ['utility']}\n",
      "tiny.toml");
}

struct Mistake {
  std::string what;
  std::vector<std::string> settings;  ///< as of bench --set
  std::string method;                 ///< a TOML table; empty: retrain
  std::string said;  ///< the word on the method, or words of the error of a recipe that is refused
};

/// An external method by a command of the shell.
std::string external(const std::string& command) {
  return "{name = 'external', label = 'mine', command = \"\"\"" + command + "\"\"\"}";
}

/// Every weight is 0: the model answers constantly.
const char* const kZeros =
    "n=$(od -An -t u8 -N 8 original.safetensors); size=$(wc -c < original.safetensors); "
    "head -c $((8 + n)) original.safetensors > unlearned.safetensors; "
    "head -c $((size - 8 - n)) /dev/zero >> unlearned.safetensors";

std::vector<Mistake> mistakes() {
  return {
      {"there are no retrained models", {"pool.retrained=0"}, "", kNotForgotten},
      {"there are no originals", {"pool.original=0"}, "", "no method was judged"},
      {"there are three test examples", {"split.test=3"}, "", kNotForgotten},
      {"five examples of a split are collected", {"collect.rows=5"}, "", kNotForgotten},
      {"one example is forgotten", {"forget.count=1"}, "", "NOT TESTED"},
      {"no example is forgotten", {"forget.count=0"}, "", "count: 0 must be 1 or more"},
      {"all training examples are forgotten",
       {"forget.count=600"},
       "",
       "all 600 rows of train would be forgotten: leave some to retain"},
      {"training examples stand in the test set too", {"data.distinct=400"}, "", "NOT TESTED"},
      {"models are trained for one epoch and learn nothing", {"train.epochs=1"}, "", kNotForgotten},
      {"one method stands under two labels",
       {},
       "'retrain', {name = 'retrain', label = 'again'}",
       kNotForgotten},
      {"the method returns the original",
       {},
       external("cp original.safetensors unlearned.safetensors"),
       "TRACES REMAIN"},
      {"the method returns weights of 0", {}, external(kZeros), "COLLAPSED"},
      {"the method returns nothing", {}, external("true"), "NOT TESTED"},
      {"the method fails", {}, external("exit 3"), "NOT TESTED"},
      {"the recipe has no method", {}, "none", "no method was judged"},
  };
}

struct Answer {
  std::string said;
  std::string headline;
  bool forgotten = false;
  bool passed = false;  ///< the default policy
};

/// Models that recipes share are trained once.
Answer answer_to(const Mistake& mistake, const TemporaryFolder& folder) {
  Json recipe = right_recipe();
  if (!mistake.method.empty()) {
    const std::string methods = mistake.method == "none" ? "" : mistake.method;
    recipe["methods"] = parse_toml("methods = [" + methods + "]\n", "methods").at("methods");
  }
  ConductorSettings settings = testing::quiet_settings(folder, recipe);
  settings.request.settings = mistake.settings;
  settings.force = true;
  Answer answer;
  ::testing::internal::CaptureStderr();
  try {
    Conductor(settings, testing::alone()).run();
  } catch (const InputError& error) {
    ::testing::internal::GetCapturedStderr();
    answer.said = error.what();
    return answer;
  }
  ::testing::internal::GetCapturedStderr();
  const report::Results results =
      report::results_of(Json::parse(read_file(folder / "out/results.json")), "results.json");
  answer.said = "no method was judged";
  for (const result::Verdict& verdict : results.verdicts) {
    answer.said = words::word(verdict.word);
    answer.forgotten = answer.forgotten || verdict.word == result::Word::forgotten;
  }
  answer.headline = report::answer(report::summary_plots(results), results.verdicts);
  answer.passed = practice::gate(results, practice::default_policy()).passed;
  return answer;
}

std::string page() {
  std::string text =
      "# Wrong recipes, and what bench says\n\n"
      "As [wrong evidence](misuse.md), from a recipe: each line makes one mistake in the same "
      "small "
      "experiment on synthetic data, with three originals, three retrained models and the method "
      "`retrain`. A message is the error of a recipe that is refused (exit code 2). *Not "
      "FORGOTTEN* "
      "stands where numbers decide between NOT DECIDED and NOT TESTED.\n\n"
      "No mistake may end in FORGOTTEN or pass the default policy. The suite RecipeMisuse of the "
      "lab's tests runs them all.\n\n"
      "| mistake | what bench says |\n|---|---|\n";
  for (const Mistake& mistake : mistakes()) {
    text += "| " + mistake.what + " | " + mistake.said + " |\n";
  }
  return text;
}

TEST(RecipeMisuse, NeverEndsInForgotten) {
  const TemporaryFolder folder;
  for (const Mistake& mistake : mistakes()) {
    const Answer answer = answer_to(mistake, folder);
    EXPECT_FALSE(answer.forgotten) << mistake.what << ": " << answer.headline;
    EXPECT_FALSE(answer.passed) << mistake.what << ": the default policy passed";
    for (const char* reassuring : {"No trace", "are shown to forget", " is shown to forget"}) {
      const bool none = answer.headline.starts_with("None of");
      EXPECT_TRUE(none || answer.headline.find(reassuring) == std::string::npos)
          << mistake.what << ": " << answer.headline;
    }
    if (mistake.said == kNotForgotten) continue;
    EXPECT_NE(answer.said.find(mistake.said), std::string::npos)
        << mistake.what << ": " << answer.said;
  }
}

// Without a mistake models that never saw the examples are told from those that did.
TEST(RecipeMisuse, ARightRecipeIsJudged) {
  const TemporaryFolder folder;
  const Answer fresh = answer_to({"nothing is wrong", {}, "", ""}, folder);
  EXPECT_TRUE(fresh.said == "FORGOTTEN" || fresh.said == "NOT DECIDED") << fresh.said;
  const Answer copy =
      answer_to({"", {}, external("cp original.safetensors unlearned.safetensors"), ""}, folder);
  EXPECT_EQ(copy.said, "TRACES REMAIN") << copy.headline;
}

// Margins are not part of the policy's file, and the gate sees them all the same.
TEST(RecipeMisuse, LaxMarginsFailTheDefaultPolicy) {
  const TemporaryFolder folder;
  EXPECT_FALSE(answer_to({"", {"bench.options={verdict.margin=0.9}"}, "", ""}, folder).passed);
}

TEST(RecipeMisuse, PageIsUpToDate) {
  if (std::getenv("VESTIGE_WRITE_GOLDEN") != nullptr) write_file(kPage, page());
  EXPECT_EQ(read_file(kPage), page()) << "run the suite RecipeMisuse with VESTIGE_WRITE_GOLDEN=1";
}

}  // namespace
}  // namespace vestige::experiment
