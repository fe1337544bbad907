// Hashes, signature, and the audit computed again: folders and zips.
#include "vestige/practice/verify.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/practice/archive.h"
#include "vestige/practice/dossier.h"
#include "vestige/practice/envelope.h"
#include "vestige/practice/verify_parts.h"
#include "vestige/report/json_fields.h"

namespace vestige::practice {
namespace {

namespace fs = std::filesystem;

/// A folder for what is in a zip; gone afterwards.
class UnpackedFolder {
 public:
  explicit UnpackedFolder(const Contents& files) {
    std::string name = (fs::temp_directory_path() / "vestige-verify-XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr, "cannot make a folder in {}: set TMPDIR to one",
            fs::temp_directory_path().string());
    path_ = name;
    for (const auto& [file, content] : files) {
      fs::create_directories((path_ / file).parent_path());
      write_unsynced(path_ / file, content);
    }
  }
  ~UnpackedFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  UnpackedFolder(const UnpackedFolder&) = delete;
  UnpackedFolder& operator=(const UnpackedFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Verification verify_folder(const fs::path& dossier, const VerifyOptions& options) {
  require(fs::exists(dossier / kDossierFile),
          "{} has no {}: it is no dossier, or its statement is gone", dossier.string(),
          kDossierFile);
  if (!options.key.empty()) CheckingKey::read(options.key);
  require(options.evidence.empty() || fs::exists(options.evidence),
          "--evidence {} does not exist: give the folder or file that was audited",
          options.evidence.string());
  Verification verification;
  const Hashes hashes = hashes_below(dossier);
  Envelope envelope;
  try {
    envelope = opened(read_file(dossier / kDossierFile), kDossierFile);
    require(report::text_of(envelope.statement, "predicateType") == kPredicateType,
            "the statement is of another kind than vestige's");
  } catch (const InputError& error) {
    verification.findings.push_back({kDossierFile, false, error.what()});
    return verification;
  }
  check_subjects(envelope.statement, hashes, verification.findings);
  check_sums(dossier, hashes, envelope.statement, verification.findings);
  check_signature(dossier, envelope, options, verification.findings);
  const Json& predicate = report::list_of(envelope.statement, "predicate");
  const fs::path evidence = options.evidence.empty() ? evidence_inside(dossier) : options.evidence;
  if (!verification.sound()) return verification;  // numbers of changed files say nothing
  if (!evidence.empty()) {
    check_numbers(
        dossier, evidence,
        options.evidence.empty() ? "the evidence in the dossier" : options.evidence.string(),
        verification.findings);
  } else {
    verification.findings.push_back(
        {"numbers", true,
         fmt::format("not computed again: the evidence ({} files) is not here; give --evidence",
                     report::list_of(predicate, "evidence").size())});
  }
  return verification;
}

Verification verify_archive(const fs::path& file, const VerifyOptions& options) {
  const std::string archive = read_file(file);
  Contents files;
  try {
    files = unpacked_archive(archive);
  } catch (const InputError& error) {
    return {{{file.filename().string(), false, error.what()}}};
  }
  if (!files.contains(kDossierFile)) {
    return {{{file.filename().string(), false,
              fmt::format("has no {}: it is no dossier, or its statement is gone", kDossierFile)}}};
  }
  const UnpackedFolder unpacked(files);
  Verification verification = verify_folder(unpacked.path(), options);
  if (const auto changed = changed_place(archive, files)) {
    verification.findings.push_back(
        {changed->member.empty() ? file.filename().string() : changed->member, false,
         fmt::format("the zip was changed at byte {}: it is not what vestige dossier makes of "
                     "these files",
                     changed->byte)});
  }
  return verification;
}

}  // namespace

bool Verification::sound() const {
  return std::all_of(findings.begin(), findings.end(),
                     [](const Finding& own) { return own.sound; });
}

Verification verify(const fs::path& dossier, const VerifyOptions& options) {
  std::error_code ignored;
  if (fs::is_regular_file(dossier, ignored)) return verify_archive(dossier, options);
  require(fs::is_directory(dossier, ignored),
          "{} does not exist: give the folder or zip that vestige dossier wrote", dossier.string());
  return verify_folder(dossier, options);
}

Json verification_json(const Verification& verification) {
  Json findings = Json::array();
  for (const Finding& own : verification.findings) {
    findings.push_back({{"what", own.what}, {"sound", own.sound}, {"text", own.text}});
  }
  return {{"sound", verification.sound()}, {"findings", findings}};
}

std::string verification_text(const Verification& verification) {
  std::string text;
  for (const Finding& own : verification.findings) {
    text += fmt::format("  {}  {}: {}\n", own.sound ? "sound" : "WRONG", own.what, own.text);
  }
  return text + (verification.sound() ? "the dossier is sound\n" : "the dossier is NOT SOUND\n");
}

}  // namespace vestige::practice
