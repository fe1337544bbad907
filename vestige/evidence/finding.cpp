// Findings as text.
#include "vestige/evidence/finding.h"

#include <algorithm>

namespace vestige::evidence {

std::string sentence(const Finding& finding) {
  return finding.file.empty() ? finding.text : finding.file + " " + finding.text;
}

std::size_t count(const Findings& findings, Severity severity) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [severity](const Finding& finding) { return finding.severity == severity; }));
}

}  // namespace vestige::evidence
