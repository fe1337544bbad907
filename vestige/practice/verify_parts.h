// What `verify` looks at, one function each; whatever is wrong is a finding.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "vestige/practice/envelope.h"
#include "vestige/practice/verify.h"

namespace vestige::practice {

/// File below a folder -> SHA-256; what is no plain file has none.
using Hashes = std::map<std::string, std::string>;
Hashes hashes_below(const std::filesystem::path& folder);

/// Every file is the one of the statement, and nothing was added.
void check_subjects(const Json& statement, const Hashes& hashes, std::vector<Finding>& findings);

/// SHA256SUMS says the same as the files, dossier.json included: the second witness, which an
/// unsigned dossier needs.
void check_sums(const std::filesystem::path& folder, const Hashes& hashes, const Json& statement,
                std::vector<Finding>& findings);

void check_signature(const std::filesystem::path& folder, const Envelope& envelope,
                     const VerifyOptions& options, std::vector<Finding>& findings);

/// The evidence that lies in the dossier; empty if there is none. A folder of one archive is that.
std::filesystem::path evidence_inside(const std::filesystem::path& folder);

/// The audit computed again: inputs, tables, page, numbers. `shown` is the evidence's name for
/// people.
void check_numbers(const std::filesystem::path& folder, const std::filesystem::path& evidence,
                   const std::string& shown, std::vector<Finding>& findings);

}  // namespace vestige::practice
