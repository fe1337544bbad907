// The dossier: an audit as a folder or zip that can be filed, with a signed statement of its
// contents (docs/practice/dossier.md).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace vestige::practice {

inline constexpr const char* kDossierFile = "dossier.json";   ///< the envelope
inline constexpr const char* kSumsFile = "SHA256SUMS";        ///< as sha256sum -c reads it
inline constexpr const char* kLetterFile = "README.txt";      ///< for people who file it
inline constexpr const char* kPublicKeyFile = "key.pub.pem";  ///< of whoever signed
inline constexpr const char* kPredicateType = "urn:vestige:unlearning-audit:v1";

struct DossierOptions {
  std::filesystem::path results;   ///< folder that an audit wrote, or its results.json
  std::filesystem::path evidence;  ///< what the audit read; its hashes must be those of the results
  std::filesystem::path policy{};  ///< empty: none
  std::filesystem::path key{};     ///< private key; empty: not signed
  std::string signer{};            ///< who signs, as the statement says it
  bool with_evidence = false;      ///< put the evidence itself in
  bool force = false;              ///< into a folder that is not empty, or over a zip that exists
  std::filesystem::path ledger{};  ///< that holds the audit; empty: none
};

/// What was written.
struct Dossier {
  std::vector<std::string> files;
  bool is_signed = false;
  std::string key_id;
};

/// True for the name of a dossier that is one file: it ends in ".zip".
bool is_archive_name(const std::filesystem::path& path);

/// Writes the folder, or the zip where `out` is the name of one; InputError where evidence, results
/// and policy do not belong together.
Dossier write_dossier(const std::filesystem::path& out, const DossierOptions& options);

}  // namespace vestige::practice
