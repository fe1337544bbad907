// The table of codes.
#include "vestige/evidence/checks/finding.h"

#include <algorithm>

namespace vestige::evidence {
namespace {

constexpr CodeInfo kFindingCodes[] = {
    {"E-EMPTY", "there are no model outputs"},
    {"E-FILE", "a file is truncated, in an unknown format or unreadable"},
    {"E-SHAPE", "an array has a shape, type or number of columns that does not fit"},
    {"E-ROWS", "arrays of one split have different numbers of examples"},
    {"E-TWICE", "a split of a model is given twice"},
    {"E-VALUES", "values are NaN, infinite or out of range"},
    {"E-LABELS", "labels are missing, out of range or not whole numbers"},
    {"E-IDS", "an id is repeated, or occurs in two splits"},
    {"E-KIND",
     "some outputs look like probabilities and others do not, or all do and logits are declared"},
    {"E-SETTINGS", "evidence.toml or accuracy.json has an error"},
    {"E-TOKENS", "token arrays, texts or generations of language models do not fit together"},
    {"W-ORDER",
     "the rows of a model are probably in another order than the labels or other models"},
    {"W-LABELS", "the labels of a split are probably in another order than the rows of all models"},
    {"W-SHARED", "two splits share examples"},
    {"W-REPEATED", "a split repeats examples, or has rows without values"},
    {"W-CLASSES", "the columns of a model, or the labels, number the classes in another order"},
    {"W-RETRAINED",
     "retrained models are less accurate than the original, or know the forget set as well as the "
     "original does, or no model was trained on the retain set"},
    {"W-UNITS", "the losses of one model are probably in bits and those of the others in nats"},
    {"W-COLUMNS", "outputs have far more columns than the labels have classes"},
    {"W-COLLAPSED", "a model gives one class to nearly all examples"},
    {"W-CONSTANT", "a model has the same output for all examples"},
    {"W-SAME", "two models have the same or nearly the same values, so one is a copy of the other"},
    {"W-ONE-CLASS", "a split other than forget has a single class"},
    {"W-NO-FORGET", "models have no outputs on the forget set"},
    {"W-TRAIN", "there is a train set where a retain set is needed"},
    {"W-CALIBRATION", "some models have outputs on the calibration set and others do not"},
    {"W-MEMBERS", "a membership model does not say which examples it was trained on"},
    {"W-NOT-READ", "a file is not read, because its path or its model is unknown"},
    {"W-NOT-USED",
     "evidence.toml, accuracy.json or probed/ names something that the evidence does not have"},
    {"W-LEFT-OUT", "a model with an error was left out because of --keep-going"},
    {"N-CLASS",
     "the forget set has a single class; if the retain set has none of it, a class is forgotten"},
    {"N-BINARY", "outputs with one column were read as those of a binary model"},
    {"N-PREFIX", "a folder that all paths begin with was ignored"},
};

}  // namespace

std::span<const CodeInfo> codes() { return kFindingCodes; }

Reason about(const Finding& finding) {
  return finding.file.empty() ? finding.reason
                              : reason(Code::about_file, finding.file, finding.reason);
}

std::size_t count(const Findings& findings, Severity severity) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [severity](const Finding& finding) { return finding.severity == severity; }));
}

}  // namespace vestige::evidence
