// References of recovery tests: the original-retrained difference, and whether the test can detect
// traces.
#include "vestige/metrics/returns/probe_reference.h"

#include "vestige/evidence/probed.h"
#include "vestige/metrics/inputs/row_signals.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

/// Fills in the original-retrained difference, or why there is none.
void find_difference(const Context& context, const evidence::Evidence& evidence,
                     const Models& originals, ProbeReference& reference) {
  const NamedSignal original = signal_rows(context, evidence, originals, reference.rows);
  const SignalRows& before = reference.retrained.before;
  const Contrast known =
      contrast(original.rows.target, original.rows.unseen, reference.rows.strata);
  const Gap found =
      gap_difference(known, contrast(before.target, before.unseen, reference.rows.strata));
  const double half = found.error > 0 ? t_half_width(found.error, found.degrees) : 0;
  if (!(found.estimate - half > 0)) {
    reference.undefined = reason(Code::nothing_to_recover, found.estimate, found.estimate - half);
    return;
  }
  reference.difference = found.estimate;
}

/// A test that removes the original-retrained difference cannot bring anything back.
void check_original(const Context& context, const evidence::Evidence& evidence,
                    const Models& originals, ProbeReference& reference) {
  const ProbedPairs pairs = probed_pairs(evidence, originals, reference.probe);
  const ProbedSignal signal = probed_signal(context, evidence, pairs, reference.rows);
  if (signal.name.empty()) {
    reference.unreliable = reason(Code::original_without_recovery_test, reference.probe);
    return;
  }
  const Return seen =
      returned(side_of_probe(signal, reference.rows),
               side_of_probe(reference.retrained, reference.rows), reference.difference);
  if (seen.after.lower > 0) return;
  reference.unreliable =
      reason(Code::recovery_test_destroys_original, reference.probe, seen.after.value);
}

}  // namespace

Models models_of(const evidence::Group* group) {
  Models models;
  if (group == nullptr) return models;
  for (const evidence::Model& model : group->models) models.push_back(&model);
  return models;
}

Models speaking(const Models& models) {
  Models found;
  for (const evidence::Model* model : models) {
    if (can_speak(*model)) found.push_back(model);
  }
  return found;
}

ProbedSide side_of_probe(const ProbedSignal& signal, const ProbeRows& rows) {
  return probed_side(signal.before, signal.after, rows.strata);
}

ProbeReference make_reference(const Context& context, const evidence::Evidence& evidence,
                              const RowSets& sets, const std::string& probe) {
  ProbeReference reference;
  reference.probe = probe;
  reference.rows = probe_rows(evidence, sets, probe);
  if (reference.rows.empty()) {
    reference.undefined = reason(Code::few_examples_after_recovery_test, probe);
    return reference;
  }
  const Models originals = speaking(models_of(evidence.find("original")));
  const ProbedPairs pairs = probed_pairs(evidence, models_of(evidence.find("retrained")), probe);
  reference.retrained = probed_signal(context, evidence, pairs, reference.rows);
  reference.signal = reference.retrained.name;
  if (originals.empty() || reference.signal.empty()) {
    reference.undefined =
        reason(Code::needs_recovery_references, "original/0/{forget,test}.npy and probed/" + probe +
                                                    "/{original,retrained}/0/{forget,test}.npy");
    return reference;
  }
  find_difference(context, evidence, originals, reference);
  if (reference.undefined.empty()) check_original(context, evidence, originals, reference);
  return reference;
}

}  // namespace vestige::metrics
