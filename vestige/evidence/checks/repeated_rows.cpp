// Looking for rows that are no examples of their own.
#include "vestige/evidence/checks/repeated_rows.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_set>

#include "vestige/evidence/checks/checks.h"
#include "vestige/evidence/checks/row_losses.h"
#include "vestige/evidence/checks/split_checks.h"

namespace vestige::evidence {
namespace {

constexpr std::size_t kMostRowsRead = std::size_t{1} << 16;
// Fewer may be saturated answers of an odd model.
constexpr std::size_t kFewestUnfilled = 3;
constexpr double kMostRepeated = 0.1;
// Rows of examples that a model is this sure of may be the same by rounding.
constexpr double kSure = 0.99;
// Examples that the retrained model is not sure of, at least.
constexpr std::size_t kFewestUnsure = 20;

std::size_t unfilled_rows(const Array& outputs) {
  if (outputs.rank() != 2 || outputs.cols() < 2) return 0;
  std::vector<double> row(outputs.cols());
  std::size_t found = 0;
  for (std::size_t index = 0; index < std::min(outputs.rows(), kMostRowsRead); ++index) {
    outputs.read(index * outputs.cols(), row);
    found += std::all_of(row.begin(), row.end(), [&](double value) { return value == row[0]; });
  }
  return found;
}

/// A hash of what a model says of each example; 0 where it is sure, unless `also_sure`.
std::vector<std::size_t> row_hashes_of(const Evidence& evidence, const Model& model,
                                       const std::string& split, bool also_sure) {
  std::vector<std::size_t> answers;
  const auto hash = [](const void* bytes, std::size_t size) {
    return std::hash<std::string_view>()({static_cast<const char*>(bytes), size}) | 1U;
  };
  if (!model.has(split)) {
    const auto losses = row_losses(evidence, model, split);
    if (!losses) return {};
    for (std::size_t row = 0; row < std::min(losses->size(), kMostRowsRead); ++row) {
      const double loss = (*losses)[row];
      // Losses of a model that is sure are rounded to a few values.
      answers.push_back(!also_sure && loss < 1 - kSure ? 0 : hash(&loss, sizeof loss));
    }
    return answers;
  }
  const Array& outputs = model.outputs.at(split);
  if (outputs.rank() != 2 || outputs.cols() < 2 || all_rows_equal(outputs)) return {};
  const std::size_t width = outputs.cols() * outputs.item_size();
  std::vector<double> row(outputs.cols());
  for (std::size_t index = 0; index < std::min(outputs.rows(), kMostRowsRead); ++index) {
    probabilities(outputs, evidence.kind, index, row);
    const bool sure = !also_sure && *std::max_element(row.begin(), row.end()) > kSure;
    answers.push_back(sure ? 0 : hash(outputs.bytes().data() + index * width, width));
  }
  return answers;
}

const Model* first_model_with(const Evidence& evidence, const char* role,
                              const std::string& split) {
  const Group* group = evidence.find(role);
  if (group == nullptr) return nullptr;
  for (const Model& model : group->models) {
    if (model.has(split) || row_losses(evidence, model, split)) return &model;
  }
  return nullptr;
}

void check_unfilled(const Evidence& evidence, Findings& findings) {
  for (const Group& group : evidence.groups) {
    for (const Model& model : group.models) {
      if (!is_compared(model)) continue;
      for (const char* split : {"forget", "retain", "test"}) {
        if (!model.has(split)) continue;
        const Array& outputs = model.outputs.at(split);
        const std::size_t rows = std::min(outputs.rows(), kMostRowsRead);
        const std::size_t found = unfilled_rows(outputs);
        // A model that answers nothing else is constant, which is another finding.
        if (found < kFewestUnfilled || found == rows || all_rows_equal(outputs)) continue;
        findings.push_back({Severity::warning, file_of(evidence, model, split),
                            reason(Code::rows_not_filled, found, rows), "W-REPEATED", model.id(),
                            true});
      }
    }
  }
}

void check_repeated(const Evidence& evidence, const std::string& split, Findings& findings) {
  const Model* original = first_model_with(evidence, "original", split);
  const Model* retrained = first_model_with(evidence, "retrained", split);
  if (original == nullptr || retrained == nullptr) return;
  const std::vector<std::size_t> ours = row_hashes_of(evidence, *original, split, true);
  const std::vector<std::size_t> theirs = row_hashes_of(evidence, *retrained, split, false);
  if (ours.empty() || ours.size() != theirs.size()) return;
  std::unordered_set<std::size_t> seen;
  std::size_t unsure = 0, repeated = 0;
  for (std::size_t row = 0; row < ours.size(); ++row) {
    if (theirs[row] == 0) continue;
    ++unsure;
    repeated += seen.insert(ours[row] * 31 + theirs[row]).second ? 0U : 1U;
  }
  if (unsure < kFewestUnsure ||
      static_cast<double>(repeated) <= kMostRepeated * static_cast<double>(unsure)) {
    return;
  }
  findings.push_back({Severity::warning, "",
                      reason(Code::examples_repeated, split, unsure, unsure - repeated),
                      "W-REPEATED", "", true});
}

}  // namespace

Findings check_repeated_rows(const Evidence& evidence) {
  Findings findings;
  check_unfilled(evidence, findings);
  if (!findings.empty()) return findings;
  for (const char* split : {"forget", "test"}) check_repeated(evidence, split, findings);
  return findings;
}

}  // namespace vestige::evidence
