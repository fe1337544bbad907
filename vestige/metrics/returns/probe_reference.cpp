// References of probes: room, and whether the probe leaves something to be seen.
#include "vestige/metrics/returns/probe_reference.h"

#include <fmt/format.h>

#include "vestige/evidence/probed.h"
#include "vestige/metrics/inputs/row_signals.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

/// Fills in room and, where there is none, why.
void find_room(const evidence::Evidence& evidence, const Models& originals,
               ProbeReference& reference) {
  const NamedSignal original = signal_rows(evidence, originals, reference.rows);
  const SignalRows& before = reference.retrained.before;
  const Contrast known =
      contrast(original.rows.target, original.rows.unseen, reference.rows.strata);
  const Gap room =
      gap_difference(known, contrast(before.target, before.unseen, reference.rows.strata));
  const double half = room.error > 0 ? t_half_width(room.error, room.degrees) : 0;
  if (!(room.estimate - half > 0)) {
    reference.undefined = fmt::format(
        "the original does not know these rows better than retrained models by more than chance "
        "({:.3g}, 95 % from {:.3g}): nothing could come back",
        room.estimate, room.estimate - half);
    return;
  }
  reference.room = room.estimate;
}

/// A probe that takes the difference of original and retrained away cannot bring anything back.
void check_original(const evidence::Evidence& evidence, const Models& originals,
                    ProbeReference& reference) {
  const ProbedPairs pairs = probed_pairs(evidence, originals, reference.probe);
  const ProbedSignal signal = probed_signal(evidence, pairs, reference.rows);
  if (signal.name.empty()) {
    reference.unreliable = fmt::format(
        "the original was not probed: nothing shows that {} leaves something to be seen (add "
        "probed/{}/original)",
        reference.probe, reference.probe);
    return;
  }
  const Return seen = returned(side_of_probe(signal, reference.rows),
                               side_of_probe(reference.retrained, reference.rows), reference.room);
  if (seen.after.lower > 0) return;
  reference.unreliable = fmt::format(
      "after {} the original itself ({:.3g}) cannot be told from retrained models: what could "
      "come "
      "back is destroyed",
      reference.probe, seen.after.value);
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

ProbeReference make_reference(const evidence::Evidence& evidence, const RowSets& sets,
                              const std::string& probe) {
  ProbeReference reference;
  reference.probe = probe;
  reference.rows = probe_rows(evidence, sets, probe);
  if (reference.rows.empty()) {
    reference.undefined = fmt::format(
        "fewer than two forget rows are left that {} does not train on, or fewer than two test "
        "rows",
        probe);
    return reference;
  }
  const Models originals = speaking(models_of(evidence.find("original")));
  const ProbedPairs pairs = probed_pairs(evidence, models_of(evidence.find("retrained")), probe);
  reference.retrained = probed_signal(evidence, pairs, reference.rows);
  reference.signal = reference.retrained.name;
  if (originals.empty() || reference.signal.empty()) {
    reference.undefined = fmt::format(
        "needs the original and retrained models under the same probe: add original/0 and "
        "probed/{}/retrained/0, each with forget.npy and test.npy",
        probe);
    return reference;
  }
  find_room(evidence, originals, reference);
  if (reference.undefined.empty()) check_original(evidence, originals, reference);
  return reference;
}

}  // namespace vestige::metrics
