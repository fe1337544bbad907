// What `verify` looks at, one function each; whatever is wrong is a finding.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "vestige/practice/envelope.h"
#include "vestige/practice/verify.h"
#include "vestige/report/results.h"

namespace vestige::practice {

/// File below a folder -> SHA-256; what is no plain file has none.
using Hashes = std::map<std::string, std::string>;
Hashes hashes_below(const std::filesystem::path& folder);

inline Validity valid_if(bool valid) { return valid ? Validity::valid : Validity::invalid; }

/// Every file is the one of the statement, and nothing was added, not even by the statement: a
/// dossier has no files but those that `vestige dossier` writes.
void check_subjects(const Json& statement, const Hashes& hashes,
                    std::vector<CheckedPart>& findings);

/// SHA256SUMS says the same as the files, dossier.json included: the second witness, which an
/// unsigned dossier needs.
void check_sums(const std::filesystem::path& folder, const Hashes& hashes, const Json& statement,
                std::vector<CheckedPart>& findings);

void check_signature(const std::filesystem::path& folder, const Envelope& envelope,
                     const VerifyOptions& options, std::vector<CheckedPart>& findings);

/// Fields of results.json that do not follow from its numbers: "verdicts/0/sentence: ... -> ...".
/// `results` are those of `stored`, read by the build that wrote it.
std::vector<std::string> contradictions_in(const Json& stored, const report::Results& results);

/// results.json, report.html, plots, the policy's outcome, the letter and the statement's predicate
/// agree; no evidence is needed.
void check_results(const std::filesystem::path& folder, const Json& predicate,
                   std::vector<CheckedPart>& findings);

/// The ledger still has what it had when the dossier was made; `stated` is what the statement says
/// of it, null if nothing.
void check_ledger(const std::filesystem::path& folder, const Json& stated,
                  const std::filesystem::path& ledger, std::vector<CheckedPart>& findings);

/// The evidence in the dossier; empty if there is none. A folder of one archive is that.
std::filesystem::path evidence_inside(const std::filesystem::path& folder);

/// The audit computed again: inputs, tables, numbers. `shown` is the evidence's name for
/// people; empty for the evidence in the dossier.
void check_numbers(const std::filesystem::path& folder, const std::filesystem::path& evidence,
                   const std::string& shown, const Context& context,
                   std::vector<CheckedPart>& findings);

}  // namespace vestige::practice
