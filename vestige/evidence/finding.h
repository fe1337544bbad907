// What a check found: where, what, and what to do about it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vestige::evidence {

enum class Severity { error, warning, note };
/// "error", "warning", "note"
std::string_view name(Severity severity);

/// One line of `vestige inspect`. `text` is a sentence that already names the value and the remedy.
struct Finding {
  Severity severity = Severity::error;
  std::string file;  ///< relative to the evidence, with its ending; empty: the evidence as a whole
  std::string text;
  std::string code = {};   ///< one of codes(): stable, for programs and for looking it up
  std::string model = {};  ///< id of the model that it is about; empty: of none or of all
};

using Findings = std::vector<Finding>;

/// A code and what it means, as docs/evidence.md lists them.
struct CodeInfo {
  std::string_view code;  ///< begins with E-, W- or N-, as the severity
  std::string_view meaning;
};

/// Every code that findings have. Codes are never renamed; what is no longer found is left out.
std::span<const CodeInfo> codes();

/// "file: text", the form in which an error is thrown.
std::string sentence(const Finding& finding);

std::size_t count(const Findings& findings, Severity severity);

}  // namespace vestige::evidence
