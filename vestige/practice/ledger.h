// The ledger: one JSON line per audit, append-only, each with the hash of the line before, so that
// a history cannot be changed in one place without being found (docs/practice/ledger.md).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/report/results.h"

namespace vestige::practice {

/// One line: place, previous (hash of the line before, zeros for the first), results (hash of the
/// results.json), started, title, version, commit, grade, inputs (hash over all inputs), policy and
/// gate, verdicts with the marks of the strip, and sha256 (hash of the line without it).
Json ledger_entry(const report::Results& results, const std::string& results_sha256);

struct Ledger {
  std::vector<Json> entries;
  std::string head;  ///< hash of the last line; zeros where there is none
};

/// Reads and checks every line; InputError names the first that was changed, is missing or is torn.
Ledger read_ledger(const std::filesystem::path& path);

/// Appends an entry under a lock, after checking what is there; makes the file if there is none.
/// Returns the place of the entry, from 1.
std::size_t append_to_ledger(const std::filesystem::path& path, const report::Results& results,
                             const std::string& results_sha256);

/// Takes a last line that was not written whole off, and says so: the bytes that were removed.
std::string mend_ledger(const std::filesystem::path& path);

std::string ledger_text(const Ledger& ledger, const std::string& name);
/// One plot per method over the audits; one file without scripts.
std::string ledger_page(const Ledger& ledger, const std::string& name);

}  // namespace vestige::practice
