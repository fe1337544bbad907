// Rows of the verification family: the probability of the true class beside that of verification
// models, on forget rows alone and beyond what they differ by on rows that nobody saw.
#include "vestige/metrics/verification/verification_family.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "vestige/metrics/inputs/attack_inputs.h"
#include "vestige/metrics/inputs/row_sets.h"
#include "vestige/metrics/inputs/true_class.h"
#include "vestige/metrics/stats/contrast.h"
#include "vestige/metrics/stats/t_tests.h"

namespace vestige::metrics {
namespace {

std::vector<MetricInfo> verification_metrics() {
  return {
      {"verification.gap", Direction::match, 0, "gap to verification models beyond unseen rows",
       "by how much more likely the true class of forget rows is than to verification models, "
       "minus "
       "the same on test rows",
       true},
      {"verification.paired", Direction::match, 0, "gap to verification models on forget rows",
       "by how much more likely the true class of forget rows is than to verification models"},
  };
}

Models verification_models(const evidence::Evidence& evidence) {
  Models result;
  const evidence::Group* group = evidence.find("verification");
  if (group == nullptr) return result;
  for (const evidence::Model& model : group->models) {
    if (has_outputs(model, {"forget", "test"})) result.push_back(&model);
  }
  return result;
}

/// What a group of models says of the target rows and of the unseen ones.
struct Sides {
  Matrix target;
  Matrix unseen;
};

Sides sides_of(const evidence::Evidence& evidence, const Models& models, const RowSets& sets) {
  Sides sides{Matrix(models.size(), sets.forget + sets.target_test.size()),
              Matrix(models.size(), sets.unseen.size())};
  for (std::size_t i = 0; i < models.size(); ++i) {
    const auto forget = true_class(evidence, *models[i], {"forget"}).probability;
    const auto test = true_class(evidence, *models[i], {"test"}).probability;
    std::copy(forget.begin(), forget.end(), sides.target.row(i).begin());
    for (std::size_t k = 0; k < sets.target_test.size(); ++k) {
      sides.target(i, sets.forget + k) = test[sets.target_test[k]];
    }
    for (std::size_t k = 0; k < sets.unseen.size(); ++k) sides.unseen(i, k) = test[sets.unseen[k]];
  }
  return sides;
}

Measurements skipped(const char* why, const Comparison& comparison, const Request& request) {
  Measurements out;
  for (const char* id : {"verification.gap", "verification.paired"}) {
    Row row = make_row(id, comparison, request);
    row.status = Status::skipped;
    row.note = why;
    out.rows.push_back(std::move(row));
  }
  return out;
}

Measurements measure_verification(const Comparison& comparison, const Request& request, Progress&) {
  const evidence::Evidence& evidence = *comparison.evidence;
  const Models references = verification_models(evidence);
  const RowSets sets = row_sets(evidence);
  if (references.empty()) {
    return skipped("needs verification models: add verification/0/{forget,test}.npy", comparison,
                   request);
  }
  const bool covered = std::all_of(comparison.candidate.begin(), comparison.candidate.end(),
                                   [](const evidence::Model* model) {
                                     return has_outputs(*model, {"forget", "test"});
                                   });
  if (!covered || sets.empty()) {
    return skipped("needs outputs and labels of forget and test, two rows of each", comparison,
                   request);
  }
  const Sides ours = sides_of(evidence, comparison.candidate, sets);
  const Sides theirs = sides_of(evidence, references, sets);
  const Contrast left = contrast(ours.target, ours.unseen, sets.strata);
  const Contrast right = contrast(theirs.target, theirs.unseen, sets.strata);
  Measurements out;
  const auto finish = [&](Row row, const char* interval) {
    row.n = left.target.size();
    row.facts["verification_models"] = references.size();
    if (!std::isnan(row.lower)) row.interval = interval;
    out.rows.push_back(std::move(row));
  };
  Row beyond = make_row("verification.gap", comparison, request);
  const Gap seen = gap_difference(left, right);
  beyond.value = seen.estimate;
  if (seen.error > 0) {
    const double half = t_half_width(seen.error, seen.degrees);
    beyond.lower = seen.estimate - half;
    beyond.upper = seen.estimate + half;
  }
  finish(std::move(beyond), "t 95 % over rows and models");
  Row paired = make_row("verification.paired", comparison, request);
  const PairedT test = paired_t(left.target, right.target, Alternative::two_sided);
  paired.value = test.mean_difference;
  paired.lower = test.lower;
  paired.upper = test.upper;
  for (std::size_t i = 0; i < left.target.size(); ++i) {
    paired.terms.push_back(left.target[i] - right.target[i]);
  }
  finish(std::move(paired), "paired t 95 % over rows, models fixed");
  return out;
}

Support verification_support(const evidence::Evidence& evidence) {
  if (verification_models(evidence).empty()) {
    return {false,
            "needs models trained on a part of the kept rows: add verification/0/{forget,test}.npy "
            "and more"};
  }
  if (row_sets(evidence).empty()) {
    return {false, "needs labels of forget and test: add labels/{forget,test}.npy"};
  }
  return {true, ""};
}

}  // namespace

Family verification_family() {
  return {.name = "verification",
          .summary = "distance to models trained on a part of the kept rows, instead of retrained",
          .metrics = verification_metrics(),
          .ranges = {{"verification", {-2, 2}}},
          .support = verification_support,
          .prepare = each(measure_verification),
          .unit = Unit::group};
}

}  // namespace vestige::metrics
