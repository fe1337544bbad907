// Splits that models have and lack.
#include "vestige/evidence/split_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "vestige/evidence/checks.h"

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
  findings.push_back(
      {Severity::warning, "",
       forget.with.empty()
           ? fmt::format("no model has forget rows, so nothing can be said about forgetting: add "
                         "labels/forget.npy and {}/forget.npy, and the same for every other model",
                         forget.without.front())
           : fmt::format("{} {} no forget rows while {} has them: add {}/forget.npy",
                         some_of(forget.without), forget.without.size() == 1 ? "has" : "have",
                         forget.with.front(), forget.without.front()),
       "W-NO-FORGET", forget.without.size() == 1 ? forget.without.front() : ""});
}

/// People export the training set as it is; retain is what is left of it without the forget rows.
void check_train(const Evidence& evidence, const Findings& found, Findings& findings) {
  if (!having(evidence, "retain", found).with.empty()) return;
  const Having train = having(evidence, "train", found);
  if (train.with.empty()) return;
  findings.push_back(
      {Severity::warning, file_of(evidence, train.with.front() + "/train"),
       "holds rows called train, and there are none called retain: retain rows are the training "
       "rows without the forget rows; leave the forget rows out of labels/train.npy and of every "
       "model's train.npy and call them retain",
       "W-TRAIN", ""});
}

void check_calibration(const Evidence& evidence, const Findings& found, Findings& findings) {
  if (!given_to_some(evidence, "calibration")) return;
  const Having calibration = having(evidence, "calibration", found);
  if (calibration.with.empty() || calibration.without.empty()) return;
  findings.push_back(
      {Severity::warning, "",
       fmt::format("{} {} no calibration rows while {} has them: all models are then calibrated on "
                   "half of the test rows, so that they can be compared; add {}/calibration.npy",
                   some_of(calibration.without), calibration.without.size() == 1 ? "has" : "have",
                   calibration.with.front(), calibration.without.front()),
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

std::string some_of(std::vector<std::string> names) {
  constexpr std::size_t kNamed = 3;
  const std::size_t more = names.size() > kNamed ? names.size() - kNamed : 0;
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

Findings check_splits(const Evidence& evidence, const Findings& found) {
  Findings findings;
  check_forget(evidence, found, findings);
  check_train(evidence, found, findings);
  check_calibration(evidence, found, findings);
  return findings;
}

}  // namespace vestige::evidence
