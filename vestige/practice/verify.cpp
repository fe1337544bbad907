// Hashes, signature, and the audit computed again.
#include "vestige/practice/verify.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <span>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/sha256.h"
#include "vestige/practice/archive.h"
#include "vestige/practice/dossier.h"
#include "vestige/practice/envelope.h"
#include "vestige/report/audit_run.h"
#include "vestige/report/html.h"
#include "vestige/report/json_fields.h"
#include "vestige/report/read_results.h"
#include "vestige/report/requests_views.h"
#include "vestige/report/results_json.h"
#include "vestige/report/samples_csv.h"

namespace vestige::practice {
namespace {

namespace fs = std::filesystem;
using report::text_of;

/// Every file below the folder and its hash; what is no plain file has none.
std::map<std::string, std::string> hashes_below(const fs::path& folder) {
  std::map<std::string, std::string> hashes;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    check_interrupt();
    if (entry.is_directory() && !entry.is_symlink()) continue;
    const std::string name = entry.path().lexically_relative(folder).generic_string();
    if (entry.is_symlink() || !entry.is_regular_file()) {
      hashes[name] = "";
    } else {
      const std::string content = read_file(entry.path());
      hashes[name] = sha256(std::as_bytes(std::span(content)));
    }
  }
  return hashes;
}

void check_subjects(const Json& statement, const std::map<std::string, std::string>& hashes,
                    std::vector<Finding>& findings) {
  std::map<std::string, std::string> stated;
  for (const Json& subject : report::list_of(statement, "subject")) {
    stated[text_of(subject, "name")] = text_of(report::list_of(subject, "digest"), "sha256");
  }
  std::size_t sound = 0;
  for (const auto& [name, hash] : stated) {
    const auto found = hashes.find(name);
    if (found == hashes.end()) {
      findings.push_back({name, false, "is missing"});
    } else if (found->second != hash) {
      findings.push_back({name, false, "was changed: its SHA-256 is not the one in dossier.json"});
    } else {
      ++sound;
    }
  }
  for (const auto& [name, hash] : hashes) {
    if (name == kDossierFile || name == kSumsFile || stated.count(name) > 0) continue;
    findings.push_back({name, false, "is no part of the dossier: it was added"});
  }
  findings.push_back({"files", sound == stated.size(),
                      fmt::format("{} of {} have the stated SHA-256", sound, stated.size())});
}

/// SHA256SUMS says the same as the files, dossier.json included: the second witness, which an
/// unsigned dossier needs.
void check_sums(const fs::path& folder, const std::map<std::string, std::string>& hashes,
                const Json& statement, std::vector<Finding>& findings) {
  if (hashes.count(kSumsFile) == 0) {
    findings.push_back({kSumsFile, false, "is missing"});
    return;
  }
  std::map<std::string, std::string> expected;
  for (const Json& subject : report::list_of(statement, "subject")) {
    expected[text_of(subject, "name")] = text_of(report::list_of(subject, "digest"), "sha256");
  }
  expected[kDossierFile] = hashes.at(kDossierFile);
  std::string text;
  for (const auto& [name, hash] : expected) text += hash + "  " + name + "\n";
  const std::string actual = read_file(folder / kSumsFile);
  if (actual == text) return;
  const bool of_dossier =
      actual.find(expected[kDossierFile] + "  " + kDossierFile + "\n") == std::string::npos;
  findings.push_back({of_dossier ? std::string(kDossierFile) + " or " + kSumsFile : kSumsFile,
                      false, "was changed: the two do not say the same"});
}

void check_signature(const fs::path& folder, const Envelope& envelope, const VerifyOptions& options,
                     std::vector<Finding>& findings) {
  const std::string signer = text_of(report::list_of(envelope.statement, "predicate"), "signer");
  if (envelope.signatures.empty()) {
    const bool wanted = !options.key.empty() || fs::exists(folder / kPublicKeyFile);
    findings.push_back({"signature", !wanted,
                        "there is none: the files belong together, but nobody vouches for them"});
    return;
  }
  if (!options.key.empty()) {
    const CheckingKey key = CheckingKey::read(options.key);
    const bool fits = signed_by(envelope, key);
    findings.push_back({"signature", fits,
                        fits ? fmt::format("of {} fits the key {}", signer, options.key.string())
                             : fmt::format("does not fit the key {}: another key signed, or the "
                                           "statement was changed",
                                           options.key.string())});
  }
  // The key that lies here tells whether the statement is whole, not who signed it.
  bool fits = false;
  if (fs::exists(folder / kPublicKeyFile)) {
    try {
      fits = signed_by(envelope, CheckingKey::read(folder / kPublicKeyFile));
    } catch (const InputError&) {
      fits = false;
    }
  }
  if (!fits) {
    findings.push_back(
        {"signature", false,
         "does not fit the key in the dossier: dossier.json or the key was changed"});
  } else if (options.key.empty()) {
    findings.push_back({"signature", true,
                        fmt::format("of {} fits the key in the dossier; whose key that is, only "
                                    "--key with the signer's own can tell",
                                    signer)});
  }
}

/// The evidence that lies in the dossier; empty if there is none. A folder of one archive is that.
fs::path evidence_inside(const fs::path& folder) {
  const fs::path inside = folder / "evidence";
  if (!fs::is_directory(inside)) return {};
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(inside)) entries.push_back(entry.path());
  const bool archive = entries.size() == 1 && fs::is_regular_file(entries.front());
  return archive ? entries.front() : inside;
}

std::vector<std::string> names_in(const Json& selection, const char* key) {
  std::vector<std::string> names;
  for (const Json& name : report::list_of(selection, key)) {
    if (name.is_string()) names.push_back(name.get<std::string>());
  }
  return names;
}

/// Names the first input whose bytes are not those that the results were measured on.
void check_evidence_bytes(const Json& stated, const Json& given, const std::string& evidence,
                          std::vector<Finding>& findings) {
  std::map<std::string, std::string> now;
  for (const Json& input : given) now[text_of(input, "path")] = text_of(input, "sha256");
  for (const Json& input : stated) {
    const std::string path = text_of(input, "path");
    const auto found = now.find(path);
    if (found != now.end() && found->second == text_of(input, "sha256")) continue;
    findings.push_back(
        {"evidence", false,
         fmt::format("{} of {} {}", path, evidence,
                     found == now.end() ? "is missing" : "has other bytes than what was audited")});
    return;
  }
  findings.push_back(
      {"evidence", stated.size() == given.size(),
       fmt::format("{} of {} files have the stated SHA-256", stated.size(), given.size())});
}

/// Lines of a CSV file (RFC 4180) as lists; what reads as a number is one.
Json table_of(const std::string& text) {
  Json table = Json::array(), line = Json::array();
  std::string cell;
  bool quoted = false, was_quoted = false;
  const auto close = [&] {
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    const bool is_number =
        !was_quoted && error == std::errc() && end == cell.data() + cell.size() && !cell.empty();
    line.push_back(is_number ? Json(value) : Json(cell));
    cell.clear();
    was_quoted = false;
  };
  for (const char letter : text) {
    if (letter == '"') {
      quoted = !quoted;
      was_quoted = true;
    } else if (quoted || (letter != ',' && letter != '\n')) {
      cell += letter;
    } else {
      close();
      if (letter == '\n') {
        table.push_back(std::move(line));
        line = Json::array();
      }
    }
  }
  if (!cell.empty() || !line.empty()) {
    close();
    table.push_back(std::move(line));
  }
  return table;
}

/// A table that lies beside the results, against the one that comes out now.
void check_table(const fs::path& folder, const std::string& name, const std::string& fresh,
                 std::vector<Finding>& findings) {
  if (!fs::exists(folder / name)) return;
  const std::string stored = read_file(folder / name);
  if (stored == fresh) {
    findings.push_back({name, true, "computed again: the same bytes"});
    return;
  }
  const NumberDifferences found = differences_between(table_of(stored), table_of(fresh));
  findings.push_back(
      {name, found.different.empty(),
       found.different.empty()
           ? fmt::format("computed again: {} cells are the same, {} up to the last digits",
                         found.equal, found.nearly)
           : fmt::format("computed again: {} cells differ, the first (line, column): {}",
                         found.different.size(), found.different.front())});
}

/// The page says what the results say; only the very build that made it makes the same bytes.
void check_page(const fs::path& folder, const report::Results& results,
                std::vector<Finding>& findings) {
  constexpr const char* kPage = "report.html";
  if (!fs::exists(folder / kPage)) return;
  if (results.tool != report::this_tool()) {
    findings.push_back(
        {kPage, true, "not made again: the results come from another build; its hash is right"});
    return;
  }
  const bool same = read_file(folder / kPage) == report::html(results);
  findings.push_back({kPage, same,
                      same ? "made again from results.json: the same bytes"
                           : "is not the page of these results: it was changed before the dossier "
                             "was made"});
}

/// `shown` is the evidence's name for people.
void check_numbers(const fs::path& folder, const fs::path& evidence, const std::string& shown,
                   std::vector<Finding>& findings) {
  const Json stored = Json::parse(read_file(folder / "results.json"));
  const report::Results results = report::results_of(stored, "results.json");
  const Json& selection = results.run.selection;
  if (selection.is_null()) {
    findings.push_back({"numbers", false,
                        "cannot be computed again: these results do not say what was asked for; "
                        "they were made by an older version"});
    return;
  }
  evidence::ReadOptions reading;
  reading.methods = names_in(selection, "methods");
  reading.exclude = names_in(selection, "exclude");
  reading.keep_going = report::flag_of(selection, "keep_going");
  const report::Audited audited = report::run_audit(
      evidence, {results.run.command,
                 {names_in(selection, "metrics"), results.run.seed, results.run.options},
                 results.run.title,
                 reading});
  const Json fresh = Json::parse(report::results_text(audited.results));
  check_evidence_bytes(results.inputs, audited.results.inputs, shown, findings);
  check_table(folder, "samples.csv",
              report::samples_csv(audited.evidence, audited.measured.columns), findings);
  check_table(folder, "requests.csv", report::requests_csv(audited.results.requests), findings);
  check_page(folder, results, findings);
  const NumberDifferences found = differences_between(stored, fresh);
  if (found.different.empty()) {
    findings.push_back(
        {"numbers", true,
         fmt::format(
             "computed again from {}: {} fields are the same{}", shown, found.equal,
             found.nearly == 0 ? "" : fmt::format(", {} up to the last digits", found.nearly))});
    return;
  }
  findings.push_back(
      {"numbers", false,
       fmt::format("computed again from {}: {} of {} fields differ, the first: {}", shown,
                   found.different.size(), found.different.size() + found.equal + found.nearly,
                   found.different.front())});
}

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
  const std::map<std::string, std::string> hashes = hashes_below(dossier);
  Envelope envelope;
  try {
    envelope = opened(read_file(dossier / kDossierFile), kDossierFile);
    require(text_of(envelope.statement, "predicateType") == kPredicateType,
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
