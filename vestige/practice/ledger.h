// The ledger: one JSON line per audit, append-only, each with the hash of the line before, so that
// a history cannot be changed in one place without being found (docs/practice/ledger.md).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/report/results.h"
#include "vestige/result/reason.h"

namespace vestige::practice {

/// The margins that decided the verdicts: margin, smallest_effect and utility_margin, null where
/// the results do not state them.
Json declared_margins(const report::Results& results);

/// One line: place, previous (hash of the line before, zeros for the first), added (when), results
/// (hash of the results.json), started, title, version, commit, grade, inputs (hash over all
/// inputs), the margins, policy and policy outcome, verdicts with the marks of the summary plot,
/// and sha256 (hash of the line without it). Lines of earlier versions have no time of addition, no
/// margins and the policy under gate only.
Json ledger_entry(const report::Results& results, const std::string& results_sha256);

struct Ledger {
  std::vector<Json> entries;
  std::string head;  ///< hash of the last line; zeros where there is none
};

/// Reads and checks every line; InputError names the first that was changed, is missing or is torn.
Ledger read_ledger(const std::filesystem::path& path);

/// The hash of line `entry`, from 1, which was the head when it was the last; empty if there is no
/// such line.
std::string head_at(const Ledger& ledger, std::size_t entry);
/// The entry that had this hash as the head, or the last one that holds these results; 0 if none.
std::size_t entry_with_head(const Ledger& ledger, const std::string& head);
std::size_t entry_of(const Ledger& ledger, const std::string& results_sha256);

/// What is odd about a ledger whose hashes all match: times out of order, the same results twice.
result::Reasons ledger_remarks(const Ledger& ledger);

/// Where an audit was added.
struct AddedEntry {
  std::size_t entry = 0;  ///< from 1
  std::string head;       ///< hash of the line
};

/// Appends an entry under a lock, after checking what is there; makes the file if there is none.
AddedEntry append_to_ledger(const std::filesystem::path& path, const report::Results& results,
                            const std::string& results_sha256);

/// Removes a last line that was not written completely; returns the bytes that were removed.
std::string fix_ledger(const std::filesystem::path& path);

std::string ledger_text(const Ledger& ledger, const std::string& name);
/// One plot per method over the audits; one file without scripts.
std::string ledger_page(const Ledger& ledger, const std::string& name);

}  // namespace vestige::practice
