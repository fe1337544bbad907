// Findings as text, and the table of their codes.
#include "vestige/evidence/finding.h"

#include <algorithm>

namespace vestige::evidence {
namespace {

constexpr CodeInfo kFindingCodes[] = {
    {"E-EMPTY", "there are no model outputs"},
    {"E-FILE", "a file is cut short, foreign or cannot be read"},
    {"E-SHAPE", "an array has a shape, type or number of columns that does not fit"},
    {"E-ROWS", "arrays of one split have different numbers of rows"},
    {"E-TWICE", "a split of a model is given twice"},
    {"E-VALUES", "values are NaN, infinite or out of range"},
    {"E-LABELS", "labels are missing, out of range or no whole numbers"},
    {"E-IDS", "an id stands twice, or in two splits"},
    {"E-KIND", "some outputs look like probabilities and others do not"},
    {"E-SETTINGS", "evidence.toml or accuracy.json is wrong"},
    {"E-TOKENS", "token arrays, texts or generations of language models do not fit together"},
    {"W-ORDER", "rows of a model are probably in another order than the labels or other models"},
    {"W-LABELS", "labels of a split are probably in another order than the rows of all models"},
    {"W-COLLAPSED", "a model gives one class to nearly all rows"},
    {"W-CONSTANT", "a model gives the very same output for all rows"},
    {"W-SAME", "two models say the very same, so that one of them is a copy"},
    {"W-ONE-CLASS", "a split other than forget holds one class only"},
    {"W-NO-FORGET", "models have no forget rows"},
    {"W-TRAIN", "rows called train stand where retain rows are meant"},
    {"W-CALIBRATION", "some models have calibration rows and others have none"},
    {"W-MEMBERS", "a membership model does not say on which rows it was trained"},
    {"W-NOT-READ", "the path of a file has no meaning here"},
    {"W-NOT-USED", "evidence.toml, accuracy.json or probed/ names something that is not there"},
    {"W-LEFT-OUT", "a model with an error was left out, as --keep-going asks"},
    {"N-CLASS", "forget holds one class only: class-wise forgetting if retain has no row of it"},
    {"N-BINARY", "outputs with one column were read as those of a binary model"},
    {"N-PREFIX", "a folder that all paths begin with was passed over"},
};

}  // namespace

std::span<const CodeInfo> codes() { return kFindingCodes; }

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      return "note";
  }
  return "";
}

std::string sentence(const Finding& finding) {
  return finding.file.empty() ? finding.text : finding.file + " " + finding.text;
}

std::size_t count(const Findings& findings, Severity severity) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [severity](const Finding& finding) { return finding.severity == severity; }));
}

}  // namespace vestige::evidence
