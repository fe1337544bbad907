// Hashes, signature, and the audit computed again: folders and zips.
#include "vestige/practice/verify.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <iterator>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/text.h"
#include "vestige/practice/archive.h"
#include "vestige/practice/dossier.h"
#include "vestige/practice/envelope.h"
#include "vestige/practice/verify_parts.h"
#include "vestige/report/json/json_fields.h"
#include "vestige/result/codec.h"
#include "vestige/words/words.h"

namespace vestige::practice {
namespace {

namespace fs = std::filesystem;
using result::Code;
using result::reason;

/// What can stay unchecked, as the findings name it.
constexpr const char* kParts[] = {"signature",   "signer",       "results.json", "report.html",
                                  "plots",       "policy",       "ledger",       "numbers",
                                  "samples.csv", "requests.csv", "statement",    kLetterFile};

/// A statement lists files of the evidence: at most some 100,000.
constexpr std::size_t kMostOfStatement = std::size_t{1} << 28U;
/// An archive is held in memory twice; larger ones can be unpacked by any unzip.
constexpr std::size_t kMostOfArchive = std::size_t{1} << 34U;

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
  require(fs::is_regular_file(fs::symlink_status(dossier / kDossierFile)),
          "{} has no {}: it is not a dossier, or its statement was removed", dossier.string(),
          kDossierFile);
  if (!options.key.empty()) CheckingKey::read(options.key);
  if (!options.ledger.empty()) read_file(options.ledger, kMostOfStream);
  require(options.evidence.empty() || fs::exists(options.evidence),
          "--evidence {} does not exist: give the folder or file that was audited",
          options.evidence.string());
  Verification verification;
  const Hashes hashes = hashes_below(dossier);
  for (const auto& [name, hash] : hashes) {
    if (hash.empty())
      verification.findings.push_back({name, Validity::invalid, Code::file_not_plain});
  }
  if (verification.invalid()) return verification;  // a pipe would be waited for
  Envelope envelope;
  try {
    envelope = opened(read_file(dossier / kDossierFile, kMostOfStatement), kDossierFile);
    require(report::text_of(envelope.statement, "predicateType") == kPredicateType,
            "the statement is not of the kind that vestige dossier writes");
  } catch (const InputError& error) {
    verification.findings.push_back(
        {kDossierFile, Validity::invalid, reason(Code::message, error.what())});
    return verification;
  }
  check_subjects(envelope.statement, hashes, verification.findings);
  check_sums(dossier, hashes, envelope.statement, verification.findings);
  check_signature(dossier, envelope, options, verification.findings);
  const Json& predicate = report::list_of(envelope.statement, "predicate");
  const fs::path evidence = options.evidence.empty() ? evidence_inside(dossier) : options.evidence;
  if (verification.invalid()) return verification;  // numbers of changed files say nothing
  check_results(dossier, predicate, verification.findings);
  check_ledger(dossier, report::list_of(predicate, "ledger"), options.ledger,
               verification.findings);
  if (verification.invalid()) return verification;
  if (!evidence.empty()) {
    check_numbers(dossier, evidence, options.evidence.string(), options.context,
                  verification.findings);
  } else {
    verification.findings.push_back(
        {"numbers", Validity::not_checked,
         reason(Code::numbers_not_computed, report::list_of(predicate, "evidence").size())});
  }
  return verification;
}

Verification verify_archive(const fs::path& file, const VerifyOptions& options) {
  const std::string archive = read_file(file, kMostOfArchive);
  Contents files;
  try {
    files = unpacked_archive(archive);
  } catch (const InputError& error) {
    return {{{file.filename().string(), Validity::invalid, reason(Code::message, error.what())}}};
  }
  if (!files.contains(kDossierFile)) {
    return {{{file.filename().string(), Validity::invalid,
              reason(Code::archive_without_statement, kDossierFile)}}};
  }
  const UnpackedFolder unpacked(files);
  Verification verification = verify_folder(unpacked.path(), options);
  if (const auto changed = changed_place(archive, files)) {
    verification.findings.push_back(
        {changed->member.empty() ? file.filename().string() : changed->member, Validity::invalid,
         reason(Code::archive_changed, changed->byte)});
  }
  return verification;
}

}  // namespace

bool Verification::invalid() const {
  return std::any_of(findings.begin(), findings.end(),
                     [](const CheckedPart& own) { return own.outcome == Validity::invalid; });
}

std::vector<std::string> Verification::unchecked(bool allowed) const {
  std::vector<std::string> parts;
  for (const CheckedPart& own : findings) {
    const bool accepted = std::find(allow_unchecked.begin(), allow_unchecked.end(), own.what) !=
                          allow_unchecked.end();
    if (own.outcome == Validity::not_checked && accepted == allowed) parts.push_back(own.what);
  }
  return parts;
}

bool Verification::valid() const { return !invalid() && unchecked(false).empty(); }

Verification verify(const fs::path& dossier, const VerifyOptions& options) {
  for (const std::string& name : options.allow_unchecked) {
    const std::vector<std::string> known(std::begin(kParts), std::end(kParts));
    require(std::find(known.begin(), known.end(), name) != known.end(),
            "--allow-unchecked {}: there is no such part: did you mean '{}'?", name,
            nearest(name, known));
  }
  std::error_code ignored;
  Verification verification;
  if (fs::is_regular_file(dossier, ignored)) {
    verification = verify_archive(dossier, options);
  } else {
    require(!fs::exists(dossier, ignored) || fs::is_directory(dossier, ignored),
            "{} is neither a folder nor a file: give the folder or zip that vestige dossier wrote",
            dossier.string());
    require(fs::is_directory(dossier, ignored),
            "{} does not exist: give the folder or zip that vestige dossier wrote",
            dossier.string());
    verification = verify_folder(dossier, options);
  }
  verification.allow_unchecked = options.allow_unchecked;
  return verification;
}

Json verification_json(const Verification& verification) {
  const char* outcome = verification.invalid() ? "invalid"
                        : verification.valid() ? "valid"
                                               : "incomplete";
  Json json = {{"valid", verification.valid()},
               {"outcome", outcome},
               {"allow_unchecked", verification.allow_unchecked},
               {"findings", result::json_of(verification.findings)}};
  words::add_texts(json);
  return json;
}

std::string verification_text(const Verification& verification) {
  const auto shown = [](Validity outcome) {
    switch (outcome) {
      case Validity::valid:
        return "valid";
      case Validity::invalid:
        return "INVALID";
      case Validity::not_checked:
        return "not checked";
    }
    return "";
  };
  std::string text;
  for (const CheckedPart& own : verification.findings) {
    text +=
        fmt::format("  {:<11}  {}: {}\n", shown(own.outcome), own.what, words::text(own.reason));
  }
  const result::Reason overall =
      verification.invalid() ? result::Reason(Code::dossier_invalid)
      : verification.valid() ? reason(Code::dossier_valid, verification.unchecked(true))
                             : reason(Code::dossier_incomplete, verification.unchecked(false));
  return text + words::text(overall) + "\n";
}

}  // namespace vestige::practice
