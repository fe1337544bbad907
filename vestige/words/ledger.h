// Texts of a ledger's views.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vestige::words {

/// Of one entry; NaN where the entry does not state its margin.
std::string margin_of_entry(double margin);
std::string policy_of_entry(bool passed);
/// What a plot of one method shows, read aloud.
std::string history_aloud(const std::string& method, std::size_t audits);
/// "Evidence logits.zip, quality B." and "Policy ci.toml, SHA-256 `...`."
std::string evidence_note(const std::string& path, const std::string& grade);
std::string policy_note(const std::string& policy, const std::string& sha256);

}  // namespace vestige::words
