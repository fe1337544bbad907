// A signer who changes an audit before signing it: hashes and signature fit, the words do not.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>
#include <map>
#include <span>

#include "tests/practice/keys.h"
#include "tests/support.h"
#include "tests/support/evidence_folder.h"
#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/sha256.h"
#include "vestige/practice/dossier.h"
#include "vestige/practice/envelope.h"
#include "vestige/practice/gate.h"
#include "vestige/practice/verify.h"
#include "vestige/report/audit_run.h"
#include "vestige/report/json/read_results.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/page/html.h"

namespace vestige::practice {
namespace {

namespace fs = std::filesystem;
using Change = std::function<void()>;
using ChangeOfPredicate = std::function<void(Json& predicate)>;

std::string digest_of(const std::string& text) { return sha256(std::as_bytes(std::span(text))); }

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t place = text.find(what);
  EXPECT_NE(place, std::string::npos) << what;
  return place == std::string::npos ? text : text.replace(place, what.size(), by);
}

class Forgery : public ::testing::Test {
 protected:
  Forgery() {
    write_file(folder / "policy.toml", "[verdicts]\npresent = [\"forgotten\"]\n");
    report::Audited audited = report::run_audit(
        evidence.path(), {"vestige audit", {{"holdout_gap", "utility"}, 3, Json::object()}});
    audited.results.gate = gate(audited.results, read_policy(folder / "policy.toml"));
    EXPECT_FALSE(audited.results.gate->passed);
    FileSet files(folder / "results", false);
    report::add_files(audited, files);
    files.commit();
    write_file(folder / "key.pub", keys.public_pem);
    write_dossier(out, {.results = folder / "results",
                        .evidence = evidence.path(),
                        .policy = folder / "policy.toml",
                        .key = keys.put(folder / "key.pem"),
                        .signer = "A. Person"});
  }

  /// Changes the dossier, states the hashes that its files have now, and signs that.
  Verification forged(
      const Change& change, const ChangeOfPredicate& predicate = [](Json&) {}) {
    change();
    Json statement = opened(read_file(out / kDossierFile), kDossierFile).statement;
    predicate(statement["predicate"]);
    std::map<std::string, std::string> sums;
    for (const std::string& name : testing::listing(out)) {
      if (fs::is_directory(out / name) || name == kDossierFile || name == kSumsFile) continue;
      sums[name] = digest_of(read_file(out / name));
    }
    statement["subject"] = Json::array();
    for (const auto& [name, hash] : sums) {
      statement["subject"].push_back({{"name", name}, {"digest", {{"sha256", hash}}}});
    }
    const SigningKey key = SigningKey::read(folder / "key.pem");
    write_file(out / kDossierFile, sealed(statement, &key));
    sums[kDossierFile] = digest_of(read_file(out / kDossierFile));
    std::string text;
    for (const auto& [name, hash] : sums) text += hash + "  " + name + "\n";
    write_file(out / kSumsFile, text);
    return verify(out, {folder / "key.pub", evidence.path()});
  }

  /// The part is invalid, and the forgery itself was flawless: files and signature fit.
  static ::testing::AssertionResult found(const Verification& verification,
                                          const std::string& part) {
    bool fits = false, invalid = false;
    for (const CheckedPart& own : verification.findings) {
      if (own.what == "signer") fits = own.outcome == Validity::valid;
      if (own.what == part) invalid = invalid || own.outcome == Validity::invalid;
    }
    if (fits && invalid && verification.invalid()) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << part << ":\n" << verification_text(verification);
  }

  void change_file(const std::string& name, const std::string& what, const std::string& by) const {
    write_file(out / name, replaced(read_file(out / name), what, by));
  }

  testing::EvidenceFolder evidence{testing::EvidenceShape{
      .classes = 3, .models = 1, .shadows = 0, .forget = 30, .retain = 30, .test = 40}};
  testing::TemporaryFolder folder;
  testing::Keys keys;
  fs::path out = folder / "dossier";
};

TEST_F(Forgery, WithoutAChangeTheDossierIsValid) {
  const Verification found = forged([] {});
  EXPECT_TRUE(found.valid()) << verification_text(found);
}

TEST_F(Forgery, TheLetter) {
  EXPECT_TRUE(found(forged([&] { change_file("README.txt", "FAILED", "passed"); }), "README.txt"));
}

TEST_F(Forgery, NoLetter) {
  EXPECT_TRUE(found(forged([&] { fs::remove(out / "README.txt"); }), "README.txt"));
}

TEST_F(Forgery, TheTableOfThePolicy) {
  EXPECT_TRUE(found(forged([&] { change_file("gate.md", "**FAIL**", "pass"); }), "policy"));
}

TEST_F(Forgery, ThePolicyIsTakenOut) {
  EXPECT_TRUE(found(forged([&] { fs::remove(out / "policy.toml"); }), "policy"));
  EXPECT_TRUE(found(forged([&] { fs::remove(out / "gate.md"); }), "policy"));
}

TEST_F(Forgery, AnotherPolicy) {
  EXPECT_TRUE(found(forged([&] { change_file("policy.toml", "forgotten\"", "traces_remain\""); }),
                    "policy"));
}

// The page is made again from the changed results, so that it fits.
TEST_F(Forgery, TheOutcomeInTheResults) {
  const auto edit = [&](const std::function<void(Json & gate)>& change) {
    return [&, change] {
      Json json = Json::parse(read_file(out / "results.json"));
      change(json["gate"]);
      const report::Results results = report::results_of(json, "x");
      write_file(out / "results.json", report::results_text(results));
      write_file(out / "report.html", report::html(results));
    };
  };
  const auto all_pass = [](Json& gate) {
    gate["passed"] = true;
    for (Json& check : gate["checks"]) check["passed"] = true;
  };
  const std::string honest = read_file(out / "results.json");
  EXPECT_TRUE(found(forged(edit(all_pass)), "policy"));
  write_file(out / "results.json", honest);
  EXPECT_TRUE(found(forged(edit([](Json& gate) { gate["checks"][0]["findings"] = Json::array(); })),
                    "policy"));
  write_file(out / "results.json", honest);
  // As if --fail-on had been given, which has no file.
  const auto without_file = [&](Json& gate) {
    all_pass(gate);
    gate["policy"] = "--fail-on";
    gate["sha256"] = "";
  };
  EXPECT_TRUE(found(forged([&] {
                      edit(without_file)();
                      fs::remove(out / "policy.toml");
                      fs::remove(out / "gate.md");
                    }),
                    "policy"));
}

TEST_F(Forgery, WhatIsSignedAboutTheResults) {
  const std::pair<const char*, ChangeOfPredicate> changes[] = {
      {"word", [](Json& p) { p["verdicts"][0]["word"] = "forgotten"; }},
      {"sentence", [](Json& p) { p["verdicts"][0]["sentence"] = "All is well."; }},
      {"fewer", [](Json& p) { p["verdicts"] = Json::array(); }},
      {"answer", [](Json& p) { p["answer"] = "all methods have forgotten"; }},
      {"policy", [](Json& p) { p["policy"]["passed"] = true; }},
      {"grade", [](Json& p) { p["grade"] = "A"; }},
      {"margins", [](Json& p) { p["margins"]["margin"] = 0.01; }},
      {"evidence", [](Json& p) { p["evidence"] = Json::array(); }},
      {"program", [](Json& p) { p["by"]["version"] = "9.9.9"; }},
      {"more", [](Json& p) { p["note"] = "approved by the authority"; }},
      {"time", [](Json& p) { p["created"] = "today\nApproved."; }}};
  const std::string honest = read_file(out / kDossierFile);
  for (const auto& [name, change] : changes) {
    EXPECT_TRUE(found(forged([] {}, change), "statement")) << name;
    write_file(out / kDossierFile, honest);
  }
}

TEST_F(Forgery, AFileThatNoDossierHas) {
  EXPECT_TRUE(
      found(forged([&] { write_file(out / "APPROVED.txt", "by the authority"); }), "APPROVED.txt"));
}

// A changed commit makes texts incomparable; that never makes the dossier valid, and what needs no
// texts is compared still.
TEST_F(Forgery, TheCommitOfTheProgram) {
  const auto other_build = [&] {
    Json json = Json::parse(read_file(out / "results.json"));
    json["tool"]["commit"] = "0000000";
    write_file(out / "results.json", json.dump(1) + "\n");
    change_file("README.txt", "FAILED", "passed");
  };
  const auto fitting = [](Json& predicate) { predicate["by"]["commit"] = "0000000"; };
  const Verification partly = forged(other_build, fitting);
  EXPECT_FALSE(partly.valid()) << verification_text(partly);
  EXPECT_TRUE(found(forged([] {},
                           [&](Json& predicate) {
                             fitting(predicate);
                             predicate["verdicts"][0]["word"] = "forgotten";
                           }),
                    "statement"));
}

// Options that a stranger chose must not cost hours.
TEST_F(Forgery, OptionsWithoutEnd) {
  Json json = Json::parse(read_file(out / "results.json"));
  json["run"]["options"]["sde.shuffles"] = 1'000'000'000;
  const report::Results results = report::results_of(json, "x");
  EXPECT_TRUE(found(forged([&] {
                      write_file(out / "results.json", report::results_text(results));
                      write_file(out / "report.html", report::html(results));
                    }),
                    "numbers"));
}

TEST_F(Forgery, PipesAndLinksAreNotRead) {
  fs::remove(out / "README.txt");
  ASSERT_EQ(::mkfifo((out / "README.txt").c_str(), 0600), 0);
  const Verification pipe = verify(out, {});
  EXPECT_TRUE(pipe.invalid());
  fs::remove(out / "README.txt");
  fs::create_symlink(folder / "key.pub", out / "README.txt");
  EXPECT_TRUE(verify(out, {}).invalid());
  fs::remove(out / kDossierFile);
  ASSERT_EQ(::mkfifo((out / kDossierFile).c_str(), 0600), 0);
  EXPECT_THROW(verify(out, {}), InputError);
  EXPECT_THROW(verify("/dev/zero", {}), InputError);
}

// An audit with --force into the folder of another one leaves none of its plots.
TEST_F(Forgery, PlotsOfAnEarlierAuditAreNotFiled) {
  const fs::path results = folder / "results";
  write_file(results / "plots" / "roc.vl.json", "{}");
  write_file(results / "plots" / "mine.txt", "a user's own file");
  fs::remove_all(out);
  write_dossier(
      out, {.results = results, .evidence = evidence.path(), .policy = folder / "policy.toml"});
  EXPECT_FALSE(fs::exists(out / "plots" / "roc.vl.json"));
  report::Audited audited = report::run_audit(
      evidence.path(), {"vestige audit", {{"holdout_gap", "utility"}, 3, Json::object()}});
  write_file(results / "requests.csv", "request\n");
  FileSet files(results, true);
  report::add_files(audited, files);
  files.commit();
  EXPECT_FALSE(fs::exists(results / "plots" / "roc.vl.json"));
  EXPECT_FALSE(fs::exists(results / "requests.csv"));
  EXPECT_TRUE(fs::exists(results / "plots" / "mine.txt"));
}

}  // namespace
}  // namespace vestige::practice
