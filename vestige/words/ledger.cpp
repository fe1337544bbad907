// Texts of a ledger's views, and of a policy's outcome in Markdown.
#include "vestige/words/ledger.h"

#include <fmt/format.h>

#include <cmath>

#include "vestige/words/numbers.h"

namespace vestige::words {

std::string margin_of_entry(double margin) {
  return std::isnan(margin) ? "margin not stated" : fmt::format("margin {:g} %", 100 * margin);
}

std::string policy_of_entry(bool passed) { return passed ? "policy passed" : "policy FAILED"; }

std::string history_aloud(const std::string& method, std::size_t audits) {
  return fmt::format("{} over {}", method, counted(static_cast<std::int64_t>(audits), "audit"));
}

std::string evidence_note(const std::string& path, const std::string& grade) {
  return fmt::format("Evidence {}, quality {}.", path, grade);
}

std::string policy_note(const std::string& policy, const std::string& sha256) {
  return fmt::format("Policy {}{}", policy,
                     sha256.empty() ? "." : fmt::format(", SHA-256 `{}`.", sha256));
}

}  // namespace vestige::words
