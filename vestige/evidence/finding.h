// What a check found: where, what, and what to do about it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace vestige::evidence {

enum class Severity { error, warning, note };

/// One line of `vestige inspect`. `text` is a sentence that already names the value and the remedy.
struct Finding {
  Severity severity = Severity::error;
  std::string file;  ///< relative to the evidence, with its ending; empty: the evidence as a whole
  std::string text;
};

using Findings = std::vector<Finding>;

/// "file: text", the form in which an error is thrown.
std::string sentence(const Finding& finding);

std::size_t count(const Findings& findings, Severity severity);

}  // namespace vestige::evidence
