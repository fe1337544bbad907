// Rows of the metric group verification: the probability of the true class compared with that of
// verification models, on the forget set alone and minus the same difference on unseen examples.
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
      {"verification.gap", Direction::match, 0, "gap to verification models beyond unseen examples",
       "probability of the true class on forget examples minus that of verification models, minus "
       "the same on test examples",
       true},
      {"verification.paired", Direction::match, 0, "gap to verification models on the forget set",
       "probability of the true class on forget examples minus that of verification models"},
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

Sides sides_of(const Context& context, const evidence::Evidence& evidence, const Models& models,
               const RowSets& sets) {
  Sides sides{Matrix(models.size(), sets.forget + sets.target_test.size()),
              Matrix(models.size(), sets.unseen.size())};
  for (std::size_t i = 0; i < models.size(); ++i) {
    const auto forget = true_class(context, evidence, *models[i], {"forget"}).probability;
    const auto test = true_class(context, evidence, *models[i], {"test"}).probability;
    std::copy(forget.begin(), forget.end(), sides.target.row(i).begin());
    for (std::size_t k = 0; k < sets.target_test.size(); ++k) {
      sides.target(i, sets.forget + k) = test[sets.target_test[k]];
    }
    for (std::size_t k = 0; k < sets.unseen.size(); ++k) sides.unseen(i, k) = test[sets.unseen[k]];
  }
  return sides;
}

Measurements skipped(const Reason& why, const Comparison& comparison, const Request& request) {
  Measurements out;
  for (const char* id : {"verification.gap", "verification.paired"}) {
    Row row = make_row(id, comparison, request);
    row.status = Status::skipped;
    row.notes = {why};
    out.rows.push_back(std::move(row));
  }
  return out;
}

Measurements measure_verification(const Comparison& comparison, const Request& request, Progress&) {
  const evidence::Evidence& evidence = *comparison.evidence;
  const Models references = verification_models(evidence);
  const RowSets sets = row_sets(evidence);
  if (references.empty()) {
    return skipped(reason(Code::needs_verification_models, "verification/0/{forget,test}.npy"),
                   comparison, request);
  }
  const bool covered = std::all_of(comparison.candidate.begin(), comparison.candidate.end(),
                                   [](const evidence::Model* model) {
                                     return has_outputs(*model, {"forget", "test"});
                                   });
  if (!covered || sets.empty()) {
    return skipped(
        reason(
            Code::needs_outputs_and_labels, std::vector<std::string>{"forget", "test"},
            comparison.candidate.front()->id() + "/{forget,test}.npy and labels/{forget,test}.npy"),
        comparison, request);
  }
  const Sides ours = sides_of(request.context, evidence, comparison.candidate, sets);
  const Sides theirs = sides_of(request.context, evidence, references, sets);
  const Contrast left = contrast(ours.target, ours.unseen, sets.strata);
  const Contrast right = contrast(theirs.target, theirs.unseen, sets.strata);
  Measurements out;
  const auto finish = [&](Row row, const Reason& interval) {
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
  finish(std::move(beyond), result::Code::t_over_examples_and_models);
  Row paired = make_row("verification.paired", comparison, request);
  const PairedT test = paired_t(left.target, right.target, Alternative::two_sided);
  paired.value = test.mean_difference;
  paired.lower = test.lower;
  paired.upper = test.upper;
  for (std::size_t i = 0; i < left.target.size(); ++i) {
    paired.terms.push_back(left.target[i] - right.target[i]);
  }
  finish(std::move(paired), result::Code::paired_t_models_fixed);
  return out;
}

Support verification_support(const evidence::Evidence& evidence) {
  if (verification_models(evidence).empty()) {
    return {false, reason(Code::needs_verification_models, "verification/0/{forget,test}.npy")};
  }
  if (row_sets(evidence).empty()) {
    return {false, reason(Code::needs_labels, std::vector<std::string>{"forget", "test"},
                          "labels/{forget,test}.npy")};
  }
  return {true};
}

}  // namespace

Family verification_family() {
  return {.name = "verification",
          .summary =
              "difference from models trained on a part of the retain set, in place of retrained "
              "models",
          .metrics = verification_metrics(),
          .ranges = {{"verification", {-2, 2}}},
          .support = verification_support,
          .prepare = each(measure_verification),
          .unit = Unit::group};
}

}  // namespace vestige::metrics
