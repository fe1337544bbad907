// Files, sums and the signature of a dossier.
#include <fmt/format.h>

#include <map>
#include <span>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/sha256.h"
#include "vestige/practice/dossier.h"
#include "vestige/practice/signature.h"
#include "vestige/practice/verify_parts.h"
#include "vestige/report/json_fields.h"

namespace vestige::practice {

namespace fs = std::filesystem;
using report::text_of;

Hashes hashes_below(const fs::path& folder) {
  Hashes hashes;
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

void check_subjects(const Json& statement, const Hashes& hashes, std::vector<Finding>& findings) {
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

void check_sums(const fs::path& folder, const Hashes& hashes, const Json& statement,
                std::vector<Finding>& findings) {
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

}  // namespace vestige::practice
