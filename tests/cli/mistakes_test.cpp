// Mistakes that people make at the command line: one sentence with the remedy, exit code 2.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

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
using testing::TemporaryFolder;
using testing::vestige;

const EvidenceShape kFew{.classes = 3, .models = 2, .forget = 12, .retain = 20, .test = 15};

TEST(Misspelt, Verbs) {
  EXPECT_TRUE(refuses(vestige({"trian"}), {"no verb \"trian\"", "did you mean train?", "--help"}));
  EXPECT_TRUE(refuses(vestige({"inspekt", "x"}), {"did you mean inspect?"}));
  // Asked for the help of a verb that is none, the program gave its own and said 0.
  EXPECT_TRUE(refuses(vestige({"nosuchverb", "--help"}), {"no verb \"nosuchverb\"", "--help"}));
  EXPECT_TRUE(refuses(vestige({"probe", "x"}), {"no verb \"probe\" (it is now recover)"}));
  const Finished far = vestige({"frobnicate"});
  EXPECT_TRUE(refuses(far, {"frobnicate"}));
  EXPECT_EQ(far.err.find("did you mean"), std::string::npos);
}

TEST(Misspelt, Options) {
  EXPECT_TRUE(refuses(vestige({"audit", "x", "--shadows", "4"}),
                      {"--shadows", "did you mean --iam-shadows", "audit --help"}));
  EXPECT_TRUE(refuses(vestige({"audit", "x", "--metric", "a"}), {"did you mean --metrics?"}));
  EXPECT_TRUE(refuses(vestige({"inspect", "x", "--strikt"}), {"did you mean --strict?"}));
}

TEST(Misspelt, Metrics) {
  const EvidenceFolder folder(kFew);
  const auto asked = [&](const std::string& name) {
    return vestige({"audit", folder.path().string(), "--metrics", name});
  };
  EXPECT_TRUE(refuses(asked("accuracy"), {"the nearest is \"utility.accuracy\""}));
  EXPECT_TRUE(refuses(asked("f_score"), {"the nearest is \"epsilon.f_score\""}));
  EXPECT_TRUE(refuses(asked("iam.auc"), {"the nearest is \"iam.online.auc\""}));
  EXPECT_TRUE(refuses(asked("utlity"), {"the nearest is \"utility\""}));
  EXPECT_TRUE(refuses(vestige({"metrics", "iam.auc"}), {"\"iam.online.auc\""}));
}

TEST(Lists, MayHaveSpaces) {
  const EvidenceFolder folder(kFew);
  const auto families = [&](const std::vector<std::string>& words) {
    std::vector<std::string> arguments = {"audit", folder.path().string(), "--json", "--metrics"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const Finished done = vestige(arguments);
    EXPECT_EQ(done.code, 0) << done.err;
    return done.code == 0 ? Json::parse(done.out)["results"] : Json();
  };
  const Json plain = families({"utility,conformal"});
  EXPECT_EQ(families({"utility, conformal"}), plain);
  EXPECT_EQ(families({" utility ,conformal,"}), plain);
}

TEST(Audit, MethodsAndExclude) {
  const EvidenceFolder folder(kFew);
  const std::string path = folder.path().string();
  const auto subjects = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"audit", path, "--json", "--metrics", "utility"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished done = vestige(arguments);
    EXPECT_EQ(done.code, 0) << done.err;
    return done.out;
  };
  EXPECT_EQ(subjects({"--methods", "finetune"}).find("unlearned/nothing"), std::string::npos);
  EXPECT_TRUE(holds(subjects({"--methods", "finetune, nothing"}), {"unlearned/nothing"}));
  EXPECT_TRUE(holds(subjects({"--exclude", "finetune"}), {"unlearned/nothing"}));
  EXPECT_EQ(subjects({"--exclude", "finetune"}).find("unlearned/finetune"), std::string::npos);
  EXPECT_TRUE(refuses(vestige({"audit", path, "--methods", "finetun"}),
                      {"--methods", "no method \"finetun\"", "\"finetune\""}));
}

TEST(Audit, KeepGoing) {
  EvidenceFolder folder(kFew);
  folder.put_file("unlearned/finetune/1/test.npy", "broken");
  const std::string path = folder.path().string();
  EXPECT_TRUE(refuses(vestige({"audit", path}), {"unlearned/finetune/1/test.npy"}));
  const Finished done = vestige({"audit", path, "--keep-going", "--metrics", "utility"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(holds(done.out, {"warning W-LEFT-OUT", "unlearned/finetune x 1"}));
  const Finished json = vestige({"audit", path, "--keep-going", "--metrics", "utility", "--json"});
  const Json checks = Json::parse(json.out)["evidence"]["checks"];
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0]["code"], "W-LEFT-OUT");
  EXPECT_EQ(checks[0]["severity"], "warning");
  EXPECT_EQ(checks[0]["model"], "unlearned/finetune/1");
}

TEST(Inspect, StrictAndJson) {
  EvidenceFolder folder(kFew);
  const std::string path = folder.path().string();
  EXPECT_EQ(vestige({"inspect", path, "--strict"}).code, 0);
  folder.remove("unlearned/finetune/1/forget");
  const Finished lenient = vestige({"inspect", path});
  EXPECT_EQ(lenient.code, 0);
  EXPECT_TRUE(holds(lenient.out, {"warning W-NO-FORGET: unlearned/finetune/1", "1 warning"}));
  EXPECT_EQ(vestige({"inspect", path, "--strict"}).code, 2);
  const Finished as_json = vestige({"inspect", path, "--json", "--strict"});
  EXPECT_EQ(as_json.code, 2);
  const Json json = Json::parse(as_json.out);
  EXPECT_EQ(json["warnings"], 1);
  EXPECT_EQ(json["errors"], 0);
  EXPECT_EQ(json["checks"][0]["code"], "W-NO-FORGET");
  EXPECT_EQ(json["checks"][0]["reason"]["code"], "forget_missing");
  EXPECT_GT(json["support"].size(), 5U);
}

// A retrained model under the name of a method: inspect warns, and terminal, results and page say
// which files are the same.
TEST(Inspect, CopiesAreNamed) {
  EvidenceFolder folder(kFew);
  for (const char* split : {"forget", "retain", "test", "calibration"}) {
    folder.put(std::string("unlearned/finetune/1/") + split,
               folder.array(std::string("retrained/1/") + split));
  }
  const std::string path = folder.path().string();
  const Finished lenient = vestige({"inspect", path});
  EXPECT_EQ(lenient.code, 0);
  EXPECT_TRUE(holds(lenient.out, {"warning W-SAME: unlearned/finetune/1/"}));
  EXPECT_EQ(vestige({"inspect", path, "--strict"}).code, 2);
  const TemporaryFolder out;
  const std::string results = (out / "results").string();
  const Finished audited = vestige({"audit", path, "--metrics", "utility", "--out", results});
  EXPECT_EQ(audited.code, 0);
  EXPECT_TRUE(holds(audited.out, {"NOT TESTED"}));
  const Json json = Json::parse(read_file(out / "results/results.json"));
  EXPECT_EQ(json["evidence"]["checks"][0]["code"], "W-SAME");
  EXPECT_EQ(json["verdicts"][0]["word"], "not_tested");
  EXPECT_EQ(json["verdicts"][0]["same_as"], "retrained/1");
  EXPECT_TRUE(
      holds(read_file(out / "results/report.html"), {"has exactly the values of retrained/1/"}));
}

#ifdef VESTIGE_WITH_LAB

/// A small recipe with something wrong in it.
class BadRecipe : public ::testing::Test {
 protected:
  Finished train(const std::string& text, const std::vector<std::string>& more = {}) {
    write_file(folder / "recipe.toml", text);
    std::vector<std::string> arguments = {"train", (folder / "recipe.toml").string(), "--pool",
                                          (folder / "pool").string(), "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return vestige(arguments);
  }

  TemporaryFolder folder;
  const std::string kData = "data = { name = \"synthetic\", rows = 200, test_rows = 50 }\n";
};

TEST_F(BadRecipe, NoEpochs) {
  EXPECT_TRUE(refuses(train(kData + "[train]\nepochs = 0\n"),
                      {"[train]", "epochs", "0 trains nothing", "[pool] random"}));
}

TEST_F(BadRecipe, NoData) {
  EXPECT_TRUE(refuses(train(""), {"[data]", "name", "it is missing", "fashion_mnist, "}));
  EXPECT_TRUE(refuses(train("[train]\nepochs = 1\n"), {"[data]", "it is missing"}));
  EXPECT_FALSE(fs::exists(folder / "pool"));
}

TEST_F(BadRecipe, UnknownPresets) {
  EXPECT_TRUE(refuses(train(kData + "[train]\npreset = \"competitoin\"\n"),
                      {"'competitoin'", "did you mean 'competition'?", "competition_text, "}));
}

TEST_F(BadRecipe, NegativeWorkers) {
  EXPECT_TRUE(refuses(train(kData, {"--workers", "-1"}),
                      {"--workers: -1 is negative: give 0 or more", "train --help"}));
}

#endif

}  // namespace
}  // namespace vestige
