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

/// A rule about forgetting that finetune keeps and the original breaks.
const std::string kLenient =
    "methods = [\"finetune\"]\n[[limit]]\nmetric = \"holdout_gap.log_odds\"\nmost = 3\n"
    "unreliable = \"counts\"\n";
/// One that even the original keeps.
const std::string kUninformative =
    "[[limit]]\nmetric = \"holdout_gap.probability\"\nmost = 0.99\nunreliable = \"counts\"\n";

class PracticeVerbs : public ::testing::Test {
 protected:
  Finished audit(std::vector<std::string> more, const std::string& out = "out") const {
    std::vector<std::string> arguments = {
        "audit", evidence.path().string(), "--metrics", "holdout_gap,utility", "--force", "--quiet",
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
TEST_F(PracticeVerbs, APolicyThatFailsEndsWithThree) {
  const Finished finished =
      audit({"--fail-on", "under", "--junit", at("junit.xml"), "--summary", at("summary.md")});
  EXPECT_EQ(finished.code, 3) << finished.err;
  EXPECT_NE(finished.out.find("FAIL  nothing: verdict is not under"), std::string::npos);
  EXPECT_TRUE(fs::exists(at("junit.xml")));
  EXPECT_TRUE(fs::exists(at("summary.md")));
  const std::string strict = put("strict.toml", "[verdicts]\nabsent = [\"under\"]\n");
  const std::string lenient = put("lenient.toml", kLenient);
  EXPECT_EQ(testing::vestige({"gate", at("out/results.json"), strict}).code, 3);
  EXPECT_EQ(testing::vestige({"gate", at("out/results.json"), lenient}).code, 0);
  EXPECT_EQ(audit({"--policy", lenient}).code, 0);
  const Json results = Json::parse(read_file(at("out/results.json")));
  EXPECT_EQ(results["gate"]["passed"], true);
  EXPECT_EQ(results["gate"]["sha256"].get<std::string>().size(), 64U);
  EXPECT_EQ(results["run"]["selection"]["metrics"], (Json{"holdout_gap", "utility"}));
}

TEST_F(PracticeVerbs, LimitsThatTheOriginalSatisfiesFail) {
  const std::string policy = put("wide.toml", kUninformative);
  const Finished finished = audit({"--policy", policy});
  EXPECT_EQ(finished.code, 3) << finished.err;
  EXPECT_NE(finished.out.find("not informative: an original model satisfies every limit too"),
            std::string::npos)
      << finished.out;
  evidence.remove_below("original");
  const Finished without = audit({"--policy", put("lenient.toml", kLenient)});
  EXPECT_EQ(without.code, 3) << without.err;
  EXPECT_NE(without.out.find("not tested: no original model has a usable value"), std::string::npos)
      << without.out;
}

// A folder as for compare and ledger; without a policy every method must be forgotten.
TEST_F(PracticeVerbs, GateReadsAFolderAndHasADefault) {
  EXPECT_EQ(audit({}).code, 0);
  const std::string policy = put("p.toml", "[verdicts]\nabsent = [\"under\"]\n");
  EXPECT_EQ(testing::vestige({"gate", at("out"), policy}).out,
            testing::vestige({"gate", at("out/results.json"), policy}).out);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"gate", at("out")}, {"gate", at("out"), "--default"}}) {
    const Finished finished = testing::vestige(arguments);
    EXPECT_EQ(finished.code, 3) << finished.err;
    EXPECT_NE(finished.out.find("FAIL  nothing: verdict is forgotten"), std::string::npos)
        << finished.out;
  }
  EXPECT_TRUE(refuses(testing::vestige({"gate", at("out"), policy, "--default"}),
                      {"--default", "one of them"}));
  EXPECT_TRUE(refuses(testing::vestige({"gate", at("out"), ""}), {"POLICY is empty"}));
  EXPECT_TRUE(refuses(testing::vestige({"gate", folder.path().string()}), {"results.json"}));
}

TEST_F(PracticeVerbs, WithoutRetrainedModelsNothingPasses) {
  fs::remove_all(evidence.path() / "retrained");
  const Finished finished = audit({"--fail-on", "under,over,utility"});
  EXPECT_EQ(finished.code, 3) << finished.err;
  EXPECT_NE(finished.out.find("under: not_tested"), std::string::npos) << finished.out;
  EXPECT_EQ(testing::vestige({"gate", at("out")}).code, 3);
}

TEST_F(PracticeVerbs, LaxMarginsAndDamagedModelsFail) {
  const std::string policy = put("p.toml", kLenient);
  EXPECT_EQ(audit({"--policy", policy}).code, 0);
  const Finished lax = audit({"--policy", policy, "--verdict-margin", "0.9"});
  EXPECT_EQ(lax.code, 3) << lax.err;
  EXPECT_NE(lax.out.find("margin 0.9 is above 0.25"), std::string::npos) << lax.out;
  EXPECT_NE(lax.out.find("Declared margins: 0.9 of"), std::string::npos) << lax.out;
  const std::string wide = put("wide.toml", kLenient + "[verdicts]\nmargin = 0.9\n");
  EXPECT_EQ(testing::vestige({"gate", at("out"), wide}).code, 0);

  write_file(evidence.path() / "unlearned/nothing/0/forget.npy", "damaged");
  const Finished damaged = audit({"--policy", policy, "--keep-going"});
  EXPECT_EQ(damaged.code, 3) << damaged.err;
  EXPECT_NE(damaged.out.find("FAIL  evidence: no model left out"), std::string::npos)
      << damaged.out;
  const std::string named =
      put("named.toml", "allow_left_out = [\"nothing\"]\n" + read_file(policy));
  EXPECT_EQ(testing::vestige({"gate", at("out"), named}).code, 0);
}

TEST_F(PracticeVerbs, PoliciesThatCheckNothingAreRefusedBeforeTheWork) {
  EXPECT_TRUE(refuses(audit({"--policy", ""}), {"--policy is empty"}));
  EXPECT_TRUE(refuses(audit({"--policy="}), {"--policy"}));
  EXPECT_TRUE(refuses(audit({"--fail-on", ""}), {"--fail-on"}));
  EXPECT_TRUE(refuses(audit({"--fail-on", "over"}), {"nothing about forgetting", "add under"}));
  const std::string none = put(
      "p.toml", "exclude = [\"finetune\", \"nothing\"]\n[verdicts]\npresent = [\"forgotten\"]\n");
  EXPECT_TRUE(refuses(audit({"--policy", none}), {"exclude leaves no method"}));
  EXPECT_FALSE(fs::exists(at("out")));
}

TEST_F(PracticeVerbs, ThePageShowsPolicyRulesAndOutcome) {
  audit({"--fail-on", "under"});
  const std::string page = read_file(at("out/report.html"));
  EXPECT_NE(page.find("Policy --fail-on: failed</summary>"), std::string::npos);
  EXPECT_NE(page.find("<td>verdict is not under</td>"), std::string::npos);
  EXPECT_NE(page.find("policy failed: 2 of 4 checks failed"), std::string::npos);
  const std::string policy = put("p.toml", "[verdicts]\npresent = [\"forgotten\"]\n");
  audit({});
  EXPECT_EQ(read_file(at("out/report.html")).find("id=\"policy\""), std::string::npos);
  const Finished made =
      testing::vestige({"report", at("out"), "--policy", policy, "--html", at("page.html")});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_NE(read_file(at("page.html")).find("Policy p.toml: failed"), std::string::npos);
  EXPECT_TRUE(refuses(testing::vestige({"report", at("out"), "--policy", "", "--force"}),
                      {"--policy is empty"}));
}

TEST_F(PracticeVerbs, MistakesInPoliciesAreOneSentence) {
  audit({});
  const std::string results = at("out/results.json");
  EXPECT_TRUE(refuses(testing::vestige({"gate", results, put("p.toml", "grad = \"B\"\n")}),
                      {"p.toml", "'grad'", "'grade'"}));
  EXPECT_TRUE(refuses(testing::vestige({"gate", results, at("none.toml")}), {"none.toml"}));
  EXPECT_TRUE(refuses(testing::vestige({"gate", put("r.json", "{\"schema\": 99, \"results\": []}"),
                                        put("q.toml", "[verdicts]\nabsent = [\"under\"]\n")}),
                      {"schema 99", "use the version that wrote it"}));
  EXPECT_TRUE(refuses(audit({"--fail-on", "undr"}), {"--fail-on", "'under'"}));
  EXPECT_TRUE(refuses(audit({"--fail-on", "inconclusive"}), {"is now 'undecided'"}));
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
  EXPECT_NE(finished.out.find("many (100 examples)"), std::string::npos) << finished.out;
  const std::string table = read_file(at("out/requests.csv"));
  EXPECT_NE(table.find("nothing,many,,,100,traces_remain,"), std::string::npos) << table;
  const std::string policy = put("p.toml", "[requests]\ntraces = \"fail\"\n");
  EXPECT_EQ(testing::vestige({"gate", at("out/results.json"), policy}).code, 3);
  evidence.put_file("requests.csv", "row,request\n120,late\n");
  EXPECT_TRUE(refuses(audit({}, "other"), {"requests.csv line 2", "rows 0 to 119"}));
  EXPECT_TRUE(refuses(testing::vestige({"inspect", evidence.path().string()}),
                      {"requests.csv line 2", "rows 0 to 119"}));
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
  EXPECT_TRUE(
      refuses(testing::vestige({"ledger", at("l.jsonl")}), {"line 3 is incomplete", "--fix"}));
  EXPECT_TRUE(
      refuses(testing::vestige({"ledger", at("l.jsonl"), "--mend"}), {"--mend is now --fix"}));
  EXPECT_EQ(testing::vestige({"ledger", at("l.jsonl"), "--fix"}).code, 0);

  const std::string filed = at("filed");
  const Finished made = testing::vestige(
      {"dossier", filed, "--results", out, "--evidence", evidence.path().string()});
  EXPECT_EQ(made.code, 0) << made.err;
  const Finished incomplete =
      testing::vestige({"verify", filed, "--evidence", evidence.path().string()});
  EXPECT_EQ(incomplete.code, 3) << "nobody signed";
  EXPECT_NE(incomplete.out.find("INCOMPLETE"), std::string::npos) << incomplete.out;
  EXPECT_TRUE(refuses(testing::vestige({"verify", filed, "--allow-unchecked", "sigature"}),
                      {"'signature'"}));
  const Finished valid =
      testing::vestige({"verify", filed, "--evidence", evidence.path().string(),
                        "--allow-unchecked", "signature", "--allow-unchecked", "ledger"});
  EXPECT_EQ(valid.code, 0) << valid.out << valid.err;
  EXPECT_NE(valid.out.find("computed again"), std::string::npos);
  put("filed/README.txt", "forged");
  const Finished spoilt = testing::vestige({"verify", filed});
  EXPECT_EQ(spoilt.code, 3);
  EXPECT_NE(spoilt.out.find("INVALID      README.txt: was changed"), std::string::npos)
      << spoilt.out;
  EXPECT_TRUE(refuses(testing::vestige({"verify", out}), {"no dossier.json"}));
  EXPECT_TRUE(refuses(testing::vestige({"verify", filed, "--evidence", at("gone")}), {"gone"}));
  EXPECT_TRUE(refuses(
      testing::vestige({"dossier", at("new"), "--results", out, "--evidence",
                        evidence.path().string(), "--key", at("nosuch.pem"), "--signer", "X"}),
      {"nosuch.pem: No such file or directory"}));
}

TEST_F(PracticeVerbs, AHeadShowsThatTheLastLineWasRemoved) {
  audit({});
  const std::string ledger = at("l.jsonl");
  testing::vestige({"ledger", ledger, "--add", at("out")});
  const std::string lines = read_file(ledger);
  const Finished added = testing::vestige({"ledger", ledger, "--add", at("out")});
  const std::size_t place = added.out.find("added entry 2; head ");
  ASSERT_NE(place, std::string::npos) << added.out;
  const std::string head = added.out.substr(place + 20, 64);
  EXPECT_NE(added.out.find("entry 2 holds the same results as entry 1"), std::string::npos);
  EXPECT_EQ(testing::vestige({"ledger", ledger, "--head", head}).code, 0);
  put("l.jsonl", lines);
  EXPECT_EQ(testing::vestige({"ledger", ledger}).code, 0) << "the chain alone cannot tell";
  EXPECT_TRUE(
      refuses(testing::vestige({"ledger", ledger, "--head", head}), {head, "were removed"}));
  EXPECT_TRUE(refuses(testing::vestige({"ledger", ledger, "--head", head, "--add", at("out")}),
                      {"were removed"}));
  EXPECT_EQ(read_file(ledger), lines) << "nothing may be added";
}

// From "nothing" being tested to its being left out.
TEST_F(PracticeVerbs, CompareFailsOnWhatIsWorse) {
  audit({});
  EXPECT_EQ(audit({"--exclude", "nothing"}, "fewer").code, 0);
  EXPECT_EQ(testing::vestige({"compare", at("out"), at("fewer")}).code, 0);
  EXPECT_EQ(testing::vestige({"compare", at("out"), at("fewer"), "--fail-on", "worse"}).code, 3);
  EXPECT_EQ(testing::vestige({"compare", at("fewer"), at("out"), "--fail-on", "worse"}).code, 0);
  EXPECT_TRUE(refuses(testing::vestige({"compare", at("out"), at("out"), "--fail-on", "bad"}),
                      {"--fail-on bad"}));
}

}  // namespace
}  // namespace vestige
