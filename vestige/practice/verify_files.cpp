// Files, sums and the signature of a dossier.
#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string_view>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/sha256.h"
#include "vestige/evidence/formats/mapped_file.h"
#include "vestige/practice/dossier.h"
#include "vestige/practice/ledger.h"
#include "vestige/practice/signature.h"
#include "vestige/practice/verify_parts.h"
#include "vestige/report/json/json_fields.h"
#include "vestige/report/page/spec_files.h"

namespace vestige::practice {

namespace fs = std::filesystem;
using report::text_of;
using result::Code;
using result::reason;

Hashes hashes_below(const fs::path& folder) {
  Hashes hashes;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    check_interrupt();
    if (entry.is_directory() && !entry.is_symlink()) continue;
    const std::string name = entry.path().lexically_relative(folder).generic_string();
    if (entry.is_symlink() || !entry.is_regular_file()) {
      hashes[name] = "";
    } else {
      // Mapped and not read: it may be larger than memory.
      hashes[name] =
          entry.file_size() == 0 ? sha256({}) : sha256(evidence::map_file(entry.path()).bytes);
    }
  }
  return hashes;
}

namespace {

bool is_file_of_dossier(const std::string& name) {
  constexpr std::string_view kFiles[] = {kLetterFile,    "results.json", "samples.csv",
                                         "requests.csv", "report.html",  "policy.toml",
                                         "gate.md",      kPublicKeyFile};
  constexpr std::string_view kPlots = "plots/";
  return std::find(std::begin(kFiles), std::end(kFiles), name) != std::end(kFiles) ||
         name.starts_with("evidence/") ||
         (name.starts_with(kPlots) && report::is_spec_file(name.substr(kPlots.size())));
}

}  // namespace

void check_subjects(const Json& statement, const Hashes& hashes,
                    std::vector<CheckedPart>& findings) {
  std::map<std::string, std::string> stated;
  for (const Json& subject : report::list_of(statement, "subject")) {
    stated[text_of(subject, "name")] = text_of(report::list_of(subject, "digest"), "sha256");
  }
  std::size_t matching = 0;
  for (const auto& [name, hash] : stated) {
    const auto found = hashes.find(name);
    if (!is_file_of_dossier(name)) {
      findings.push_back({name, Validity::invalid, Code::file_added});
    } else if (found == hashes.end()) {
      findings.push_back({name, Validity::invalid, Code::file_missing});
    } else if (found->second != hash) {
      findings.push_back({name, Validity::invalid, Code::file_changed});
    } else {
      ++matching;
    }
  }
  for (const auto& [name, hash] : hashes) {
    if (name == kDossierFile || name == kSumsFile || stated.count(name) > 0) continue;
    findings.push_back({name, Validity::invalid, Code::file_added});
  }
  findings.push_back({"files", valid_if(matching == stated.size()),
                      reason(Code::files_match, matching, stated.size())});
}

void check_sums(const fs::path& folder, const Hashes& hashes, const Json& statement,
                std::vector<CheckedPart>& findings) {
  if (hashes.count(kSumsFile) == 0) {
    findings.push_back({kSumsFile, Validity::invalid, Code::file_missing});
    return;
  }
  std::map<std::string, std::string> expected;
  for (const Json& subject : report::list_of(statement, "subject")) {
    expected[text_of(subject, "name")] = text_of(report::list_of(subject, "digest"), "sha256");
  }
  expected[kDossierFile] = hashes.at(kDossierFile);
  std::string text;
  for (const auto& [name, hash] : expected) text += hash + "  " + name + "\n";
  const std::string actual = read_file(folder / kSumsFile, kMostOfStream);
  if (actual == text) return;
  const bool of_dossier =
      actual.find(expected[kDossierFile] + "  " + kDossierFile + "\n") == std::string::npos;
  findings.push_back({of_dossier ? std::string(kDossierFile) + " or " + kSumsFile : kSumsFile,
                      Validity::invalid, Code::sums_disagree});
}

void check_signature(const fs::path& folder, const Envelope& envelope, const VerifyOptions& options,
                     std::vector<CheckedPart>& findings) {
  const std::string signer = text_of(report::list_of(envelope.statement, "predicate"), "signer");
  if (envelope.signatures.empty()) {
    const bool wanted = !options.key.empty() || fs::exists(folder / kPublicKeyFile);
    findings.push_back(
        {"signature", wanted ? Validity::invalid : Validity::not_checked, Code::no_signature});
    return;
  }
  if (options.key.empty()) {
    findings.push_back({"signer", Validity::not_checked, reason(Code::signer_not_checked, signer)});
  } else {
    const CheckingKey key = CheckingKey::read(options.key);
    const bool fits = signed_by(envelope, key);
    findings.push_back({"signer", valid_if(fits),
                        fits ? reason(Code::signer_fits, signer, options.key.string())
                             : reason(Code::signature_of_other_key, options.key.string())});
  }
  // The key in the dossier shows that the statement is unchanged, not who signed it.
  bool fits = false;
  if (fs::exists(folder / kPublicKeyFile)) {
    try {
      fits = signed_by(envelope, CheckingKey::read(folder / kPublicKeyFile));
    } catch (const InputError&) {
      fits = false;
    }
  }
  findings.push_back(
      {"signature", valid_if(fits), fits ? Code::signature_fits : Code::signature_broken});
}

void check_ledger(const fs::path& folder, const Json& stated, const fs::path& ledger,
                  std::vector<CheckedPart>& findings) {
  const auto add = [&findings](Validity outcome, const result::Reason& found) {
    findings.push_back({"ledger", outcome, found});
  };
  const std::size_t entry = report::whole_of(stated, "entry");
  const std::string head = text_of(stated, "head");
  if (ledger.empty()) {
    if (entry > 0) add(Validity::not_checked, reason(Code::ledger_not_given, entry, head));
    return;
  }
  Ledger history;
  try {
    history = read_ledger(ledger);
  } catch (const InputError& error) {
    add(Validity::invalid, reason(Code::message, error.what()));
    return;
  }
  if (entry > 0) {
    const bool there = head_at(history, entry) == head;
    add(valid_if(there), there ? reason(Code::ledger_has_entry, ledger.string(), entry,
                                        history.entries.size() - entry)
                               : reason(Code::ledger_lacks_entry, ledger.string(), entry));
    return;
  }
  const std::string results = read_file(folder / "results.json");
  const std::size_t place = entry_of(history, sha256(std::as_bytes(std::span(results))));
  add(valid_if(place > 0), place > 0 ? reason(Code::ledger_has_results, ledger.string(), place)
                                     : reason(Code::ledger_lacks_results, ledger.string()));
}

}  // namespace vestige::practice
