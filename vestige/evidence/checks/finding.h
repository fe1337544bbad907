// What a check found: where, what, and what to do about it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/result/names.h"
#include "vestige/result/reason.h"

namespace vestige::evidence {

using result::Code;
using result::reason;
using result::Reason;

enum class Severity { error, warning, note };

/// One line of `vestige inspect`. The reason has the value and the remedy among its arguments.
struct Finding {
  Severity severity = Severity::error;
  std::string file;  ///< relative to the evidence, with its ending; empty: the evidence as a whole
  Reason reason;     ///< its text follows the file: "has label 77 in row 0"
  std::string code = {};   ///< one of codes(): stable, for programs and for looking it up
  std::string model = {};  ///< id of the model that it is about; empty: of none or of all
  /// The evidence is probably wrong: there is no verdict about the model (an original or retrained
  /// one, or none named: about any method) until it is exported again.
  bool blocks_verdicts = false;
};

using Findings = std::vector<Finding>;

/// A code and what it means, as docs/reference/evidence.md lists them.
struct CodeInfo {
  std::string_view code;  ///< begins with E-, W- or N-, as the severity
  std::string_view meaning;
};

/// Every code that findings have. Codes are never renamed; what is no longer found is left out.
std::span<const CodeInfo> codes();

/// The finding as one reason that names its file.
Reason about(const Finding& finding);

std::size_t count(const Findings& findings, Severity severity);

}  // namespace vestige::evidence

namespace vestige::result {

VESTIGE_NAMES(evidence::Severity, {evidence::Severity::error, "error"},
              {evidence::Severity::warning, "warning"}, {evidence::Severity::note, "note"})

}  // namespace vestige::result
