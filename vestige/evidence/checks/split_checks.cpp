// Splits that models have and lack.
#include "vestige/evidence/checks/split_checks.h"

#include <algorithm>

#include "vestige/evidence/checks/checks.h"

namespace vestige::evidence {
namespace {

/// Ids of the compared models with outputs that have (or lack) a split, and how many there are.
struct Having {
  std::vector<std::string> with;
  std::vector<std::string> without;
};

bool is_broken(const Model& model, const Findings& found) {
  return std::any_of(found.begin(), found.end(), [&model](const Finding& finding) {
    return finding.severity == Severity::error && !finding.model.empty() &&
           (model.id() == finding.model || model.id().starts_with(finding.model + "/"));
  });
}

Having having(const Evidence& evidence, const std::string& split, const Findings& found) {
  Having result;
  for (const Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      if (!is_compared(model) || model.outputs.empty() || is_broken(model, found)) continue;
      (model.has(split) ? result.with : result.without).push_back(model.id());
    }
  }
  return result;
}

void check_forget(const Evidence& evidence, const Findings& found, Findings& findings) {
  const Having forget = having(evidence, "forget", found);
  if (forget.without.empty()) return;
  findings.push_back({Severity::warning, "",
                      forget.with.empty()
                          ? reason(Code::no_forget_outputs, forget.without.front())
                          : reason(Code::forget_missing, forget.without, forget.with.front(),
                                   forget.without.front() + "/forget.npy"),
                      "W-NO-FORGET", forget.without.size() == 1 ? forget.without.front() : ""});
}

/// People export the training set as it is; retain is what is left of it without the forget rows.
void check_train(const Evidence& evidence, const Findings& found, Findings& findings) {
  if (!having(evidence, "retain", found).with.empty()) return;
  const Having train = having(evidence, "train", found);
  if (train.with.empty()) return;
  findings.push_back({Severity::warning, file_of(evidence, train.with.front() + "/train"),
                      Code::train_not_retain, "W-TRAIN", ""});
}

void check_calibration(const Evidence& evidence, const Findings& found, Findings& findings) {
  if (!given_to_some(evidence, "calibration")) return;
  const Having calibration = having(evidence, "calibration", found);
  if (calibration.with.empty() || calibration.without.empty()) return;
  findings.push_back(
      {Severity::warning, "",
       reason(Code::calibration_missing, calibration.without, calibration.with.front(),
              calibration.without.front() + "/calibration.npy"),
       "W-CALIBRATION", ""});
}

}  // namespace

bool is_compared(const Model& model) {
  return model.role == "original" || model.role == "retrained" || model.role == "unlearned" ||
         model.role == "partial";
}

bool given_to_some(const Evidence& evidence, std::string_view split) {
  bool given = false;
  bool lacking = false;
  for (const Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      if (!is_compared(model) || !model.has("forget")) continue;
      given = given || model.has(split);
      lacking = lacking || (!model.has(split) && model.has("test"));
    }
  }
  return given && lacking;
}

Findings check_splits(const Evidence& evidence, const Findings& found) {
  Findings findings;
  check_forget(evidence, found, findings);
  check_train(evidence, found, findings);
  check_calibration(evidence, found, findings);
  return findings;
}

}  // namespace vestige::evidence
