// Dossiers of a real small audit: valid as written, and every changed byte is found.
#include "vestige/practice/dossier.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/practice/keys.h"
#include "tests/support.h"
#include "tests/support/evidence_folder.h"
#include "tests/support/process.h"
#include "vestige/base/base64.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/practice/archive.h"
#include "vestige/practice/verify.h"
#include "vestige/report/audit_run.h"
#include "vestige/report/json/read_results.h"
#include "vestige/report/page/html.h"

namespace vestige::practice {
namespace {

namespace fs = std::filesystem;

class DossierTest : public ::testing::Test {
 protected:
  DossierTest() {
    FileSet files(folder / "results", false);
    report::add_numbers(
        report::run_audit(
            evidence.path(),
            {"vestige audit", {{"holdout_gap", "utility", "conformal"}, 3, Json::object()}}),
        files);
    files.commit();
    options.results = folder / "results";
    options.evidence = evidence.path();
  }

  Dossier write(bool with_key) {
    if (with_key) {
      options.key = keys.put(folder / "key.pem");
      options.signer = "A. Person, data protection";
    }
    return write_dossier(out, options);
  }

  std::string refusal(const fs::path& existing = {}) {
    try {
      write_dossier(out, options);
    } catch (const InputError& error) {
      EXPECT_EQ(fs::exists(out), !existing.empty()) << "nothing may be written";
      return error.what();
    }
    return "accepted";
  }

  /// Every file of the dossier with its bytes.
  std::vector<std::pair<fs::path, std::string>> contents() const {
    std::vector<std::pair<fs::path, std::string>> files;
    for (const auto& entry : fs::recursive_directory_iterator(out)) {
      if (entry.is_regular_file()) files.emplace_back(entry.path(), read_file(entry.path()));
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  /// Changes single bytes at random places of the whole dossier and expects each to be found.
  void expect_every_change_found(int trials, const VerifyOptions& how) {
    const auto files = contents();
    std::size_t total = 0;
    for (const auto& [path, text] : files) total += text.size();
    Stream stream(7, "dossier test");
    for (int trial = 0; trial < trials; ++trial) {
      // Every other change hits the statement, which is small beside the rest.
      std::size_t place = stream.below(total);
      std::size_t file = 0;
      while (place >= files[file].second.size()) place -= files[file++].second.size();
      if (trial % 2 == 0) {
        while (files[file].first.filename() != kDossierFile) file = (file + 1) % files.size();
        place = stream.below(files[file].second.size());
      }
      std::string spoilt = files[file].second;
      spoilt[place] = static_cast<char>(static_cast<unsigned char>(spoilt[place]) ^
                                        static_cast<unsigned char>(1 + stream.below(255)));
      write_unsynced(files[file].first, spoilt);
      const Verification found = verify(out, how);
      ASSERT_TRUE(found.invalid()) << files[file].first << ", byte " << place;
      const std::string name = files[file].first.filename().string();
      bool named = name == kPublicKeyFile;  // found as a file and as a signature
      for (const CheckedPart& own : found.findings) {
        named = named || (own.outcome == Validity::invalid &&
                          (own.what.find(name) != std::string::npos || own.what == "signature"));
      }
      ASSERT_TRUE(named) << verification_text(found);
      write_unsynced(files[file].first, files[file].second);
    }
    EXPECT_FALSE(verify(out, how).invalid());
  }

  testing::EvidenceFolder evidence{testing::EvidenceShape{
      .classes = 3, .models = 1, .shadows = 0, .forget = 30, .retain = 30, .test = 40}};
  testing::TemporaryFolder folder;
  testing::Keys keys;
  fs::path out = folder / "dossier";
  DossierOptions options;
};

TEST_F(DossierTest, IsValidAndItsNumbersAreReproduced) {
  const Dossier dossier = write(true);
  EXPECT_TRUE(dossier.is_signed);
  write_file(folder / "pub.pem", keys.public_pem);
  const Verification found = verify(out, {folder / "pub.pem", evidence.path()});
  EXPECT_TRUE(found.valid()) << verification_text(found);
  EXPECT_EQ(found.findings.back().what, "numbers");
  EXPECT_EQ(found.findings.back().reason.code, result::Code::numbers_same);
}

// One thousand, half of them in the statement, with and without a signature.
TEST_F(DossierTest, EverySingleByteChangeIsFoundWhereItIsSigned) {
  write(true);
  expect_every_change_found(1000, {});
}

TEST_F(DossierTest, EverySingleByteChangeIsFoundWhereItIsNotSigned) {
  write(false);
  expect_every_change_found(1000, {});
}

// The same of a dossier that is one file: headers, directory and contents of the zip.
TEST_F(DossierTest, EverySingleByteChangeOfAZipIsFound) {
  for (const bool with_key : {true, false}) {
    out = folder / (with_key ? "signed.zip" : "plain.zip");
    write(with_key);
    options.key.clear();
    ASSERT_FALSE(verify(out, {}).invalid()) << verification_text(verify(out, {}));
    const std::string whole = read_file(out);
    Stream stream(8, "zip test");
    for (int trial = 0; trial < 1000; ++trial) {
      // Every third change hits the directory at the end, which is small beside the rest.
      const std::size_t from = trial % 3 == 0 ? whole.size() - 600 : 0;
      const std::size_t place = from + stream.below(whole.size() - from);
      std::string spoilt = whole;
      spoilt[place] = static_cast<char>(static_cast<unsigned char>(spoilt[place]) ^
                                        static_cast<unsigned char>(1 + stream.below(255)));
      write_unsynced(out, spoilt);
      ASSERT_TRUE(verify(out, {}).invalid()) << "byte " << place;
    }
    for (const std::size_t size : {std::size_t{0}, std::size_t{3}, whole.size() - 1}) {
      write_unsynced(out, whole.substr(0, size));
      EXPECT_TRUE(verify(out, {}).invalid()) << size << " bytes";
    }
    write_unsynced(out, whole + "x");
    EXPECT_TRUE(verify(out, {}).invalid());
  }
}

/// README.txt says "filed 2026-11-16T16:17:54Z".
std::string without_filing_time(std::string text) {
  const std::size_t at = text.find("filed 2");
  if (at != std::string::npos) text.erase(at, std::string("filed 2026-11-16T16:17:54Z").size());
  return text;
}

TEST_F(DossierTest, AZipHoldsTheSameAsAFolderAndOtherProgramsReadIt) {
  options.with_evidence = true;
  write(false);
  const auto files = contents();
  const fs::path folder_out = out;
  out = folder / "dossier.zip";
  write(false);
  const Contents inside = unpacked_archive(read_file(out));
  EXPECT_EQ(inside.size(), files.size());
  for (const auto& [path, text] : files) {
    const std::string name = path.lexically_relative(folder_out).generic_string();
    ASSERT_TRUE(inside.contains(name)) << name;
    // These hold the second of the writing, or the hash of one that does.
    if (name == kDossierFile || name == kSumsFile) continue;
    EXPECT_EQ(without_filing_time(inside.at(name)), without_filing_time(text)) << name;
  }
  const Verification found = verify(out, {.allow_unchecked = {"signature"}});
  EXPECT_TRUE(found.valid()) << verification_text(found);
  EXPECT_NE(verification_text(found).find("computed again from the evidence in the dossier"),
            std::string::npos);
  // Python's zipfile finds every checksum right.
  const testing::Finished finished =
      testing::run_program("/usr/bin/python3", {"-m", "zipfile", "-t", out.string()});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_NE(finished.out.find("Done testing"), std::string::npos) << finished.out;
  EXPECT_EQ(refusal(out), out.string() + " exists: give --force to replace it, or another name");
}

// What the dossier's maker put in wrongly has a right hash; only the evidence tells.
TEST_F(DossierTest, TablesAreComputedAgain) {
  const fs::path table = folder / "results/samples.csv";
  write(false);
  EXPECT_NE(verification_text(verify(out, {{}, evidence.path()}))
                .find("samples.csv: computed again: the same bytes"),
            std::string::npos);
  std::string forged = read_file(table);
  const std::size_t digit = forged.find_last_of("123456789", forged.size() - 30);
  ASSERT_NE(digit, std::string::npos);
  forged[digit] = forged[digit] == '1' ? '7' : '1';
  write_file(table, forged);
  options.force = true;
  write(false);
  EXPECT_FALSE(verify(out, {}).invalid()) << "hashes are right";
  const Verification found = verify(out, {{}, evidence.path()});
  EXPECT_TRUE(found.invalid());
  EXPECT_NE(verification_text(found).find("INVALID      samples.csv"), std::string::npos)
      << verification_text(found);
}

TEST_F(DossierTest, MissingAndAddedFilesAreFound) {
  write(false);
  write_file(out / "more.txt", "x");
  EXPECT_NE(verification_text(verify(out, {})).find("more.txt: was added"), std::string::npos);
  fs::remove(out / "more.txt");
  fs::remove(out / "samples.csv");
  EXPECT_NE(verification_text(verify(out, {})).find("samples.csv: is missing"), std::string::npos);
  fs::remove(out / kDossierFile);
  EXPECT_THROW(verify(out, {}), InputError);
}

TEST_F(DossierTest, AnotherKeyAndNoSignatureAreFound) {
  write(true);
  const testing::Keys other;
  write_file(folder / "other.pem", other.public_pem);
  const Verification found = verify(out, {folder / "other.pem", {}});
  EXPECT_TRUE(found.invalid());
  EXPECT_NE(verification_text(found).find("does not match the key"), std::string::npos);
  write_file(folder / "expired.pem", keys.certificate(-100, -10));
  EXPECT_THROW(verify(out, {folder / "expired.pem", {}}), InputError);
  write_file(folder / "valid.pem", keys.certificate(-100, 100));
  EXPECT_FALSE(verify(out, {folder / "valid.pem", {}}).invalid());
  // A forger signs anew with a key of their own: only the signer's own key tells.
  options.key = other.put(folder / "forged.pem");
  options.force = true;
  write_dossier(out, options);
  write_file(folder / "pub.pem", keys.public_pem);
  EXPECT_FALSE(verify(out, {}).invalid());
  EXPECT_TRUE(verify(out, {folder / "pub.pem", {}}).invalid());
}

// No byte of the private key may be in what was written, in any of the forms that a file could
// have.
TEST_F(DossierTest, NoSecretIsWritten) {
  write(true);
  ASSERT_EQ(keys.secret.size(), 32U);
  std::string hex;
  for (const char byte : keys.secret) {
    hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  const std::string encoded = base64(std::as_bytes(std::span(keys.secret)));
  const std::string body = keys.private_pem.substr(28, 40);
  for (const auto& [path, text] : contents()) {
    for (const std::string& form : {keys.secret, hex, encoded.substr(0, 40), body}) {
      EXPECT_EQ(text.find(form), std::string::npos) << path;
    }
    EXPECT_EQ(text.find("PRIVATE"), std::string::npos) << path;
  }
}

TEST_F(DossierTest, WithEvidenceItChecksItself) {
  options.with_evidence = true;
  write(false);
  const Verification found = verify(out, {.allow_unchecked = {"signature"}});
  EXPECT_TRUE(found.valid()) << verification_text(found);
  EXPECT_EQ(found.findings.back().reason.code, result::Code::numbers_same);
}

TEST_F(DossierTest, EvidenceThatIsGoneOrOtherIsRefused) {
  write(false);
  EXPECT_NE(verification_text(verify(out, {})).find("not checked  numbers: not computed again"),
            std::string::npos);
  EXPECT_THROW(verify(out, {{}, folder / "gone"}), InputError);
  // Evidence with other numbers: the hashes of the inputs and the values differ.
  const testing::EvidenceFolder other{testing::EvidenceShape{
      .classes = 3, .models = 1, .shadows = 0, .forget = 30, .retain = 30, .test = 40, .seed = 2}};
  const Verification found = verify(out, {{}, other.path()});
  EXPECT_TRUE(found.invalid());
  EXPECT_NE(verification_text(found).find("differ, the first"), std::string::npos);
  EXPECT_NE(verification_text(found).find("differs from what was audited"), std::string::npos);
  fs::remove_all(out);
  options.evidence = other.path();
  EXPECT_NE(refusal().find("differs from the file"), std::string::npos) << refusal();
  options.evidence = folder / "gone";
  EXPECT_NE(refusal().find("does not exist"), std::string::npos) << refusal();
}

TEST_F(DossierTest, ThePolicyMustBeTheOneOfTheResults) {
  const std::string policy = "[verdicts]\npresent = [\"forgotten\"]\n";
  write_file(folder / "policy.toml", policy);
  options.policy = folder / "policy.toml";
  write(false);
  EXPECT_FALSE(verify(out, {}).invalid()) << verification_text(verify(out, {}));
  EXPECT_EQ(read_file(out / "policy.toml"), policy);
  fs::remove_all(out);
  Json results = Json::parse(read_file(folder / "results/results.json"));
  results["gate"] = {{"policy", "p"}, {"sha256", "00"}, {"passed", true}};
  write_file(folder / "results/results.json", results.dump(1));
  EXPECT_NE(refusal().find("not the policy"), std::string::npos) << refusal();
  options.policy.clear();
  EXPECT_NE(refusal().find("give it with --policy"), std::string::npos) << refusal();
}

TEST_F(DossierTest, SigningNeedsAName) {
  options.key = keys.put(folder / "key.pem");
  EXPECT_NE(refusal().find("--signer"), std::string::npos);
}

// coreutils reads the list.
TEST_F(DossierTest, Sha256sumAgrees) {
  write(true);
  const testing::Finished finished = testing::run_program(
      "/bin/sh", {"-c", "cd '" + out.string() + "' && sha256sum --strict --quiet -c SHA256SUMS"});
  EXPECT_EQ(finished.code, 0) << finished.err;
}

TEST(NumberDifferences, LastDigitsCountApart) {
  const Json stored = {{"a", 1.0}, {"b", {1.0, "x"}}, {"tool", "one"}};
  Json fresh = stored;
  fresh["tool"] = "two";
  fresh["a"] = 1.0 + 1e-12;
  EXPECT_EQ(differences_between(stored, fresh).nearly, 1U);
  EXPECT_EQ(differences_between(stored, fresh).equal, 2U);
  fresh["b"][0] = 1.0 + 1e-6;
  fresh["c"] = 2;
  EXPECT_EQ(differences_between(stored, fresh).different.size(), 2U);
}

}  // namespace
}  // namespace vestige::practice
