// What verify says of parts that it could not check, and of forgeries whose hashes are right.
#include "vestige/practice/verify.h"

#include <gtest/gtest.h>

#include <span>

#include "tests/practice/keys.h"
#include "tests/support.h"
#include "tests/support/evidence_folder.h"
#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/sha256.h"
#include "vestige/practice/dossier.h"
#include "vestige/practice/envelope.h"
#include "vestige/practice/ledger.h"
#include "vestige/report/audit_run.h"
#include "vestige/report/json/read_results.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/page/html.h"

namespace vestige::practice {
namespace {

namespace fs = std::filesystem;

std::string hash_of(const std::string& text) { return sha256(std::as_bytes(std::span(text))); }

class VerifyTest : public ::testing::Test {
 protected:
  VerifyTest() {
    FileSet files(results, false);
    report::add_files(
        report::run_audit(evidence.path(),
                          {"vestige audit", {{"holdout_gap", "utility"}, 3, Json::object()}}),
        files);
    files.commit();
    options.results = results;
    options.evidence = evidence.path();
  }

  /// Replaces a file of an unsigned dossier and makes statement and sums fit: what a forger does.
  void forge(const std::string& name, const std::string& content) {
    write_file(out / name, content);
    Json statement = opened(read_file(out / kDossierFile), kDossierFile).statement;
    for (Json& subject : statement["subject"]) {
      if (subject["name"] == name) subject["digest"]["sha256"] = hash_of(content);
    }
    write_file(out / kDossierFile, sealed(statement, nullptr));
    std::map<std::string, std::string> sums;
    for (const Json& subject : statement["subject"]) {
      sums[subject["name"]] = subject["digest"]["sha256"];
    }
    sums[kDossierFile] = hash_of(read_file(out / kDossierFile));
    std::string text;
    for (const auto& [file, hash] : sums) text += hash + "  " + file + "\n";
    write_file(out / kSumsFile, text);
  }

  Validity outcome_of(const Verification& found, const std::string& part) const {
    for (const CheckedPart& own : found.findings) {
      if (own.what == part) return own.outcome;
    }
    ADD_FAILURE() << part << " is not among the findings:\n" << verification_text(found);
    return Validity::not_checked;
  }

  std::string refusal() {
    try {
      write_dossier(out, options);
    } catch (const InputError& error) {
      EXPECT_FALSE(fs::exists(out)) << "nothing may be written";
      return error.what();
    }
    return "accepted";
  }

  testing::EvidenceFolder evidence{testing::EvidenceShape{
      .classes = 3, .models = 1, .shadows = 0, .forget = 30, .retain = 30, .test = 40}};
  testing::TemporaryFolder folder;
  fs::path results = folder / "results", out = folder / "dossier";
  DossierOptions options;
};

// Neither a signature nor the numbers were checked: "valid" would say more than was tested.
TEST_F(VerifyTest, WhatWasNotCheckedIsIncomplete) {
  write_dossier(out, options);
  const Verification found = verify(out, {});
  EXPECT_FALSE(found.invalid());
  EXPECT_FALSE(found.valid());
  EXPECT_EQ(found.unchecked(false), (std::vector<std::string>{"signature", "numbers"}));
  EXPECT_NE(verification_text(found).find("INCOMPLETE"), std::string::npos);
  EXPECT_EQ(verification_json(found)["outcome"], "incomplete");

  EXPECT_FALSE(verify(out, {.allow_unchecked = {"signature"}}).valid());
  const Verification allowed = verify(out, {.allow_unchecked = {"signature", "numbers"}});
  EXPECT_TRUE(allowed.valid());
  EXPECT_NE(verification_text(allowed).find("allowed to stay unchecked: signature, numbers"),
            std::string::npos);
  EXPECT_TRUE(verify(out, {.evidence = evidence.path(), .allow_unchecked = {"signature"}}).valid());
  EXPECT_THROW(verify(out, {.allow_unchecked = {"signatur"}}), InputError);
}

// A signature by a key that came with the dossier says nothing about who signed.
TEST_F(VerifyTest, TheSignerIsCheckedByTheirOwnKeyOnly) {
  const testing::Keys keys;
  options.key = keys.put(folder / "key.pem");
  options.signer = "A. Person";
  write_dossier(out, options);
  write_file(folder / "pub.pem", keys.public_pem);
  const Verification without = verify(out, {.evidence = evidence.path()});
  EXPECT_EQ(outcome_of(without, "signature"), Validity::valid);
  EXPECT_EQ(outcome_of(without, "signer"), Validity::not_checked);
  EXPECT_FALSE(without.valid());
  const Verification with = verify(out, {folder / "pub.pem", evidence.path()});
  EXPECT_TRUE(with.valid()) << verification_text(with);
  EXPECT_EQ(with.unchecked(false).size() + with.unchecked(true).size(), 0U);
}

// The word, or the word and the outcome that it follows from: the sentences do not fit any more.
TEST_F(VerifyTest, ResultsEditedToForgottenAreFoundWithoutEvidence) {
  Json edited = Json::parse(read_file(results / "results.json"));
  edited["verdicts"][0]["word"] = "forgotten";
  // Before the dossier is made.
  const std::string honest = read_file(results / "results.json");
  write_file(results / "results.json", edited.dump(1) + "\n");
  EXPECT_NE(refusal().find("contradicts itself"), std::string::npos);
  write_file(results / "results.json", honest);
  // And afterwards, with all hashes made to fit.
  write_dossier(out, options);
  forge("results.json", edited.dump(1) + "\n");
  const Verification found = verify(out, {});
  EXPECT_EQ(outcome_of(found, "files"), Validity::valid);
  EXPECT_EQ(outcome_of(found, "results.json"), Validity::invalid);
  EXPECT_TRUE(found.invalid());
  // With sentences written anew by the program itself, the outcome still contradicts the word.
  const std::string consistent = report::results_text(report::results_of(edited, "x"));
  forge("results.json", consistent);
  EXPECT_EQ(outcome_of(verify(out, {}), "results.json"), Validity::invalid);
}

TEST_F(VerifyTest, AForeignPageIsFoundWithoutEvidence) {
  const std::string honest = read_file(results / "report.html");
  write_file(results / "report.html", honest + " ");
  EXPECT_NE(refusal().find("is not the page of"), std::string::npos);
  write_file(results / "report.html", honest);
  write_dossier(out, options);
  EXPECT_EQ(outcome_of(verify(out, {}), "report.html"), Validity::valid);
  forge("report.html", honest + " ");
  EXPECT_EQ(outcome_of(verify(out, {}), "report.html"), Validity::invalid);
}

TEST_F(VerifyTest, AForeignPlotIsFoundWithoutEvidence) {
  write_dossier(out, options);
  ASSERT_TRUE(fs::is_directory(out / "plots"));
  const std::string name = fs::directory_iterator(out / "plots")->path().filename().string();
  EXPECT_EQ(outcome_of(verify(out, {}), "plots"), Validity::valid);
  forge("plots/" + name, read_file(out / "plots" / name) + "\n");
  EXPECT_EQ(outcome_of(verify(out, {}), "plots/" + name), Validity::invalid);
}

// Another build words things differently: that proves nothing, so it is neither valid nor invalid.
TEST_F(VerifyTest, ResultsOfAnotherBuildAreNotChecked) {
  Json other = Json::parse(read_file(results / "results.json"));
  other["tool"]["commit"] = "0000000";
  other["verdicts"][0]["sentence"] = "Other words.";
  write_file(results / "results.json", other.dump(1) + "\n");
  write_dossier(out, options);
  const Verification found = verify(out, {.evidence = evidence.path()});
  EXPECT_FALSE(found.invalid()) << verification_text(found);
  EXPECT_FALSE(found.valid());
  for (const char* part : {"results.json", "report.html", "plots", "numbers"}) {
    EXPECT_EQ(outcome_of(found, part), Validity::not_checked) << part;
  }
}

TEST_F(VerifyTest, TheLedgersHeadIsStatedAndChecked) {
  const fs::path ledger = folder / "ledger.jsonl";
  const report::Results audited = report::read_results(results / "results.json");
  append_to_ledger(ledger, audited, std::string(64, 'a'));
  options.ledger = ledger;
  EXPECT_NE(refusal().find("has no entry of these results"), std::string::npos);
  append_to_ledger(ledger, audited, hash_of(read_file(results / "results.json")));
  write_dossier(out, options);
  EXPECT_EQ(outcome_of(verify(out, {}), "ledger"), Validity::not_checked);
  EXPECT_EQ(outcome_of(verify(out, {.ledger = ledger}), "ledger"), Validity::valid);
  const std::string lines = read_file(ledger);
  append_to_ledger(ledger, audited, std::string(64, 'b'));
  EXPECT_EQ(outcome_of(verify(out, {.ledger = ledger}), "ledger"), Validity::valid);
  // Without its last line the chain of hashes is whole; only the stated head tells.
  write_file(ledger, lines.substr(0, lines.find('\n') + 1));
  EXPECT_EQ(outcome_of(verify(out, {.ledger = ledger}), "ledger"), Validity::invalid);
}

}  // namespace
}  // namespace vestige::practice
