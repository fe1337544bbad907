// The verbs of practice as people start them: exit codes, files, and one sentence for every
// mistake.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/vestige.h"
#include "tests/support.h"
#include "tests/support/evidence_folder.h"
#include "vestige/base/file.h"
#include "vestige/base/json.h"

namespace vestige {
namespace {

namespace fs = std::filesystem;
using testing::Finished;
using testing::refuses;

class PracticeVerbs : public ::testing::Test {
 protected:
  Finished audit(std::vector<std::string> more, const std::string& out = "out") const {
    std::vector<std::string> arguments = {
        "audit", evidence.path().string(), "--metrics", "yardstick,utility", "--force", "--quiet",
        "--out", (folder / out).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return testing::vestige(arguments);
  }
  std::string put(const std::string& name, const std::string& text) const {
    write_file(folder / name, text);
    return (folder / name).string();
  }
  std::string at(const std::string& name) const { return (folder / name).string(); }

  testing::EvidenceFolder evidence{testing::EvidenceShape{
      .classes = 4, .models = 1, .shadows = 0, .forget = 120, .retain = 60, .test = 200}};
  testing::TemporaryFolder folder;
};

// The method "nothing" is the original: traces.
TEST_F(PracticeVerbs, TheGateEndsWithThree) {
  const Finished finished =
      audit({"--fail-on", "under", "--junit", at("junit.xml"), "--summary", at("summary.md")});
  EXPECT_EQ(finished.code, 3) << finished.err;
  EXPECT_NE(finished.out.find("FAIL  nothing: no verdict under"), std::string::npos);
  EXPECT_TRUE(fs::exists(at("junit.xml")));
  EXPECT_TRUE(fs::exists(at("summary.md")));
  const std::string closed = put("closed.toml", "[verdicts]\nabsent = [\"under\"]\n");
  const std::string open = put("open.toml", "grade = \"B\"\n");
  EXPECT_EQ(testing::vestige({"gate", at("out/results.json"), closed}).code, 3);
  EXPECT_EQ(testing::vestige({"gate", at("out/results.json"), open}).code, 0);
  EXPECT_EQ(audit({"--policy", open}).code, 0);
  const Json results = Json::parse(read_file(at("out/results.json")));
  EXPECT_EQ(results["gate"]["passed"], true);
  EXPECT_EQ(results["gate"]["sha256"].get<std::string>().size(), 64U);
  EXPECT_EQ(results["run"]["selection"]["metrics"], (Json{"yardstick", "utility"}));
}

TEST_F(PracticeVerbs, MistakesOfTheGateAreOneSentence) {
  audit({});
  const std::string results = at("out/results.json");
  EXPECT_TRUE(refuses(testing::vestige({"gate", results, put("p.toml", "grad = \"B\"\n")}),
                      {"p.toml", "'grad'", "'grade'"}));
  EXPECT_TRUE(refuses(testing::vestige({"gate", results, at("none.toml")}), {"none.toml"}));
  EXPECT_TRUE(refuses(testing::vestige({"gate", put("r.json", "{\"schema\": 99, \"results\": []}"),
                                        put("q.toml", "grade = \"B\"\n")}),
                      {"schema 99", "use the version that wrote it"}));
  EXPECT_TRUE(refuses(audit({"--fail-on", "undr"}), {"--fail-on", "'under'"}));
  EXPECT_TRUE(refuses(audit({"--junit", at("j.xml")}), {"--policy"}));
  EXPECT_TRUE(refuses(audit({"--policy", at("q.toml"), "--fail-on", "over"}), {"one of them"}));
}

TEST_F(PracticeVerbs, RequestsAreJudgedAndTheirMistakesNamed) {
  std::string lines = "row,request\n";
  for (int row = 0; row < 100; ++row) lines += std::to_string(row) + ",many\n";
  lines += "110,one\n";
  evidence.put_file("requests.csv", lines);
  const Finished finished = audit({});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_NE(finished.out.find("many (100 rows)"), std::string::npos) << finished.out;
  const std::string table = read_file(at("out/requests.csv"));
  EXPECT_NE(table.find("nothing,many,,,100,TRACES REMAIN,"), std::string::npos) << table;
  const std::string policy = put("p.toml", "[requests]\ntraces = \"fail\"\n");
  EXPECT_EQ(testing::vestige({"gate", at("out/results.json"), policy}).code, 3);
  evidence.put_file("requests.csv", "row,request\n120,late\n");
  EXPECT_TRUE(refuses(audit({}, "other"), {"requests.csv line 2", "rows 0 to 119"}));
  EXPECT_FALSE(fs::exists(at("other")));
}

TEST_F(PracticeVerbs, CompareLedgerDossierAndVerify) {
  audit({});
  const std::string out = at("out");
  const Finished same = testing::vestige({"compare", out, out, "--html", at("changes.html")});
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_NE(same.out.find("no verdict changed"), std::string::npos);
  EXPECT_TRUE(fs::exists(at("changes.html")));
  EXPECT_TRUE(refuses(testing::vestige({"compare", out}), {"two or more"}));

  EXPECT_EQ(testing::vestige({"ledger", at("l.jsonl"), "--add", out}).code, 0);
  const Finished history =
      testing::vestige({"ledger", at("l.jsonl"), "--add", out, "--html", at("history.html")});
  EXPECT_NE(history.out.find("2 audits"), std::string::npos) << history.err;
  put("l.jsonl", read_file(at("l.jsonl")) + "{\"ent");
  EXPECT_TRUE(refuses(testing::vestige({"ledger", at("l.jsonl")}), {"line 3 is torn", "--mend"}));
  EXPECT_EQ(testing::vestige({"ledger", at("l.jsonl"), "--mend"}).code, 0);

  const std::string filed = at("filed");
  const Finished made = testing::vestige(
      {"dossier", filed, "--results", out, "--evidence", evidence.path().string()});
  EXPECT_EQ(made.code, 0) << made.err;
  const Finished sound =
      testing::vestige({"verify", filed, "--evidence", evidence.path().string()});
  EXPECT_EQ(sound.code, 0) << sound.out << sound.err;
  EXPECT_NE(sound.out.find("computed again"), std::string::npos);
  put("filed/README.txt", "forged");
  const Finished spoilt = testing::vestige({"verify", filed});
  EXPECT_EQ(spoilt.code, 3);
  EXPECT_NE(spoilt.out.find("WRONG  README.txt: was changed"), std::string::npos) << spoilt.out;
  EXPECT_TRUE(refuses(testing::vestige({"verify", out}), {"no dossier.json"}));
  EXPECT_TRUE(refuses(testing::vestige({"verify", filed, "--evidence", at("gone")}), {"gone"}));
}

}  // namespace
}  // namespace vestige
