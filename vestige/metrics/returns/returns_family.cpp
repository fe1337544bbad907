// Rows of the returns family: one set per method and probe.
#include "vestige/metrics/returns/returns_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "vestige/evidence/probed.h"
#include "vestige/metrics/inputs/row_signals.h"
#include "vestige/metrics/returns/probe_rows.h"
#include "vestige/metrics/returns/returns.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

struct ReturnsSettings {
  double range = 0.05;  ///< how near the original's accuracy counts as relearnt
};

const OptionTable<ReturnsSettings>& returns_options() {
  static const OptionTable<ReturnsSettings> table = OptionTable<ReturnsSettings>("returns").number(
      "range", "Relearnt: within this share of the original's accuracy on the rows that are shown",
      [](ReturnsSettings & s) -> auto& { return s.range; }, between(0, 1));
  return table;
}

std::vector<MetricInfo> returns_metrics() {
  return {
      {.id = "returns.share",
       .direction = Direction::lower,
       .ideal = 0,
       .name = "comes back under a probe",
       .what = "what a probe brings back on forget rows beyond retrained models under the same "
               "probe, as a share of what the original knew beyond them",
       .parts = {"returns.after"}},
      {.id = "returns.after",
       .direction = Direction::match,
       .ideal = 0,
       .name = "known after a probe",
       .what = "what is known of forget rows after a probe beyond retrained models after the same "
               "probe, as a share of what the original knew beyond them",
       .shows_forgetting = true},
      {.id = "returns.gain",
       .direction = Direction::match,
       .ideal = 0,
       .name = "gained by a probe",
       .what = "move on forget rows under a probe minus that of retrained models, as a share of "
               "what the original knew beyond them",
       .parts = {"returns.after"}},
      {.id = "returns.anamnesis",
       .direction = Direction::match,
       .ideal = 1,
       .name = "anamnesis index",
       .what = "steps to relearn the forget rows that are shown, over those of retrained models"},
      {.id = "returns.steps",
       .direction = Direction::match,
       .ideal = kUndefined,
       .name = "relearn time",
       .what = "steps until the forget rows that are shown are answered like by the original"},
  };
}

/// What every comparison under one probe shares.
struct ProbeReference {
  std::string probe;
  ProbeRows rows;
  std::string signal;
  ProbedSignal retrained;
  double room = kUndefined;  ///< original - retrained before the probe, beyond unseen rows
  std::string undefined;     ///< why nothing can be said; empty if it can
  std::string unreliable;    ///< why what is said is not to be read; empty if it is
};

/// Points of a relearning: a probe at several numbers of steps.
struct RelearnStage {
  double steps = 0;
  std::string probe;
};
using RelearnCurves = std::map<std::string, std::vector<RelearnStage>>;

RelearnCurves relearn_curves(const evidence::Evidence& evidence) {
  RelearnCurves curves;
  for (const std::string& probe : evidence::probes(evidence)) {
    if (const auto stage = evidence::stage_of(probe)) {
      curves[stage->probe].push_back({static_cast<double>(stage->steps), probe});
    }
  }
  for (auto& [name, stages] : curves) {
    std::sort(stages.begin(), stages.end(),
              [](const auto& left, const auto& right) { return left.steps < right.steps; });
  }
  return curves;
}

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

SignalRows some_models(const SignalRows& all, std::size_t first, std::size_t last) {
  SignalRows some{Matrix(last - first, all.target.cols()), Matrix(last - first, all.unseen.cols())};
  for (std::size_t model = first; model < last; ++model) {
    std::copy_n(all.target.row(model).begin(), all.target.cols(),
                some.target.row(model - first).begin());
    std::copy_n(all.unseen.row(model).begin(), all.unseen.cols(),
                some.unseen.row(model - first).begin());
  }
  return some;
}

ProbedSide side_of_probe(const ProbedSignal& signal, const ProbeRows& rows) {
  return probed_side(signal.before, signal.after, rows.strata);
}

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

void put(Row& row, const Estimate& estimate, const char* interval) {
  row.value = estimate.value;
  row.lower = estimate.lower;
  row.upper = estimate.upper;
  if (!std::isnan(row.lower)) row.interval = interval;
}

class ReturnsMeasure {
 public:
  ReturnsMeasure(const evidence::Evidence& evidence, const Request& request)
      : request_(request), settings_(returns_options().read(request.options)) {
    const RowSets sets = speaking_rows(evidence);
    for (const std::string& probe : evidence::probes(evidence)) {
      references_.push_back(make_reference(evidence, sets, probe));
    }
    curves_ = relearn_curves(evidence);
  }

  Measurements measure(const Comparison& comparison) const {
    Measurements out;
    const bool asked = comparison.control == Control::none ||
                       comparison.control == Control::floor ||
                       comparison.control == Control::ceiling;
    if (!asked) return out;
    for (const ProbeReference& reference : references_) add_return(comparison, reference, out);
    for (const auto& [probe, stages] : curves_) add_relearning(comparison, probe, stages, out);
    return out;
  }

 private:
  void add_return(const Comparison& comparison, const ProbeReference& reference,
                  Measurements& out) const {
    const bool method = comparison.control == Control::none;
    const evidence::Evidence& evidence = *comparison.evidence;
    const ProbedPairs pairs = probed_pairs(evidence, comparison.candidate, reference.probe);
    if (pairs.empty() && !method) return;
    Row share = start("returns.share", comparison, reference.probe);
    if (pairs.empty()) {
      share.status = Status::skipped;
      share.note = fmt::format(
          "needs the method under this probe: add probed/{}/{}/{{forget,test}}"
          ".npy",
          reference.probe, comparison.candidate.front()->id());
      out.rows.push_back(std::move(share));
      return;
    }
    ProbedSignal signal;
    if (reference.undefined.empty()) signal = probed_signal(evidence, pairs, reference.rows);
    if (signal.name != reference.signal || signal.name.empty()) {
      share.status = Status::undefined;
      share.note = reference.undefined.empty()
                       ? "the method and retrained models show different things (outputs, tokens, "
                         "losses)"
                       : reference.undefined;
      out.rows.push_back(std::move(share));
      return;
    }
    const bool floor = comparison.control == Control::floor;
    if (floor && pairs.size() < 2) return;
    const Return seen =
        floor ? against_itself(reference)
              : returned(side_of_probe(signal, reference.rows),
                         side_of_probe(reference.retrained, reference.rows), reference.room);
    share.facts["p"] = json_number(seen.p);
    share.facts["method_moved"] = json_number(seen.method);
    share.facts["retrained_moved"] = json_number(seen.retrained);
    share.facts["room"] = json_number(reference.room);
    share.facts["signal"] = reference.signal;
    share.facts["shown_rows"] = reference.rows.shown.size();
    constexpr const char* kInterval = "t 95 % over rows and models, room fixed";
    put(share, seen.share, kInterval);
    Row after = start("returns.after", comparison, reference.probe);
    put(after, seen.after, kInterval);
    Row gain = start("returns.gain", comparison, reference.probe);
    put(gain, seen.gain, kInterval);
    for (Row* row : {&share, &after, &gain}) {
      row->n = reference.rows.targets();
      if (method && !reference.unreliable.empty()) {
        row->status = Status::unreliable;
        row->note = reference.unreliable;
      }
      out.rows.push_back(std::move(*row));
    }
  }

  /// The floor: one half of the retrained models in the place of the method.
  static Return against_itself(const ProbeReference& reference) {
    const SignalRows& before = reference.retrained.before;
    const SignalRows& after = reference.retrained.after;
    const std::size_t all = before.target.rows(), half = all / 2;
    const auto side = [&](std::size_t first, std::size_t last) {
      return probed_side(some_models(before, first, last), some_models(after, first, last),
                         reference.rows.strata);
    };
    return returned(side(0, half), side(half, all), reference.room);
  }

  Row start(const char* id, const Comparison& comparison, const std::string& probe) const {
    Row row = make_row(id, comparison, request_);
    row.settings["probe"] = probe;
    return row;
  }

  /// Share of right answers before the probe and at each stage; empty where one is missing.
  static Matrix curve(const evidence::Evidence& evidence, const Models& models,
                      const std::vector<RelearnStage>& stages,
                      const std::vector<std::size_t>& rows) {
    std::vector<Models> points = {models};
    for (const RelearnStage& stage : stages) {
      Models after;
      for (const ProbedPair& pair : probed_pairs(evidence, models, stage.probe)) {
        after.push_back(pair.after);
      }
      if (after.size() != models.size() || models.empty()) return {};
      points.push_back(after);
    }
    for (const Models& point : points) {
      if (!std::all_of(point.begin(), point.end(),
                       [](const evidence::Model* model) { return model->has("forget"); })) {
        return {};
      }
    }
    Matrix values(points.size(), rows.size());
    for (std::size_t point = 0; point < points.size(); ++point) {
      const std::vector<double> right = share_right(evidence, points[point], rows);
      std::copy(right.begin(), right.end(), values.row(point).begin());
    }
    return values;
  }

  /// The rows that every stage showed; all forget rows where none is marked.
  static std::vector<std::size_t> relearnt_rows(const evidence::Evidence& evidence,
                                                const std::string& probe) {
    const ProbeRows rows = probe_rows(evidence, row_sets(evidence), probe);
    return rows.shown.empty() ? rows.forget : rows.shown;
  }

  void add_relearning(const Comparison& comparison, const std::string& probe,
                      const std::vector<RelearnStage>& stages, Measurements& out) const {
    const evidence::Evidence& evidence = *comparison.evidence;
    const Models originals = speaking(models_of(evidence.find("original")));
    if (evidence.find_labels("forget") == nullptr || originals.empty()) return;
    if (!originals.front()->has("forget")) return;  // sequences have no right answer
    const std::vector<std::size_t> rows = relearnt_rows(evidence, stages.front().probe);
    if (rows.size() < 2) return;
    Models method = comparison.candidate, retrained = models_of(evidence.find("retrained"));
    if (comparison.control == Control::floor) {
      const std::size_t half = retrained.size() / 2;
      if (half == 0) return;
      method.assign(retrained.begin(), retrained.begin() + static_cast<std::ptrdiff_t>(half));
      retrained.erase(retrained.begin(), retrained.begin() + static_cast<std::ptrdiff_t>(half));
    }
    Relearning relearning{.steps = {0},
                          .method = curve(evidence, method, stages, rows),
                          .retrained = curve(evidence, retrained, stages, rows),
                          .original = share_right(evidence, originals, rows)};
    if (relearning.method.rows() == 0 || relearning.retrained.rows() == 0) return;
    for (const RelearnStage& stage : stages) relearning.steps.push_back(stage.steps);
    const Anamnesis found = anamnesis(
        relearning, settings_.range,
        {.kind = BootstrapKind::percentile, .seed = request_.seed, .purpose = "returns/anamnesis"});
    Row steps = start("returns.steps", comparison, probe);
    steps.value = found.method;
    Row index = start("returns.anamnesis", comparison, probe);
    put(index, found.index, "bootstrap 95 % over rows, models fixed");
    const std::string late = fmt::format("not within the {:g} steps of the probe: probe for longer",
                                         relearning.steps.back());
    if (std::isnan(found.method)) steps.note = late;
    if (std::isnan(found.index.value)) {
      index.note = found.retrained == 0
                       ? "retrained models answer these rows like the original before any step: "
                         "there is nothing to relearn"
                   : std::isnan(found.retrained) ? "retrained models do not get there: " + late
                                                 : "the method does not get there: " + late;
    }
    for (Row* row : {&steps, &index}) {
      row->settings["range"] = settings_.range;
      row->facts["retrained_steps"] = json_number(found.retrained);
      row->facts["shown_rows"] = rows.size();
      row->n = rows.size();
      if (std::isnan(row->value)) row->status = Status::undefined;
      out.rows.push_back(std::move(*row));
    }
  }

  const Request& request_;
  ReturnsSettings settings_;
  std::vector<ProbeReference> references_;
  RelearnCurves curves_;
};

Support returns_support(const evidence::Evidence& evidence) {
  if (evidence::probes(evidence).empty()) {
    return {false,
            "needs models treated once more: add probed/PROBE/{original,retrained,"
            "unlearned/METHOD}/NAME/{forget,test}.npy, or give a recipe probes"};
  }
  if (speaking_rows(evidence).empty()) {
    return {false, "needs rows that nobody saw: add test.npy of every model and labels/test.npy"};
  }
  if (evidence.find("original") == nullptr || evidence.find("retrained") == nullptr) {
    return {false,
            "needs the original and a retrained model, before and after each probe: add "
            "original/0, retrained/0 and probed/PROBE/{original,retrained}/0"};
  }
  return {true, ""};
}

std::function<Measure(const Preparation&)> prepared_returns() {
  return [](const Preparation& from) -> Measure {
    const auto all = std::make_shared<const ReturnsMeasure>(from.evidence, from.request);
    return [all](const Comparison& comparison, Progress&) { return all->measure(comparison); };
  };
}

}  // namespace

Addition returns_addition() {
  return {.metric = "returns.share",
          .word = "returns",
          .words = "returns under",
          .setting = "probe",
          .of = "what the original knew beyond retrained models"};
}

Family returns_family() {
  return {
      .name = "returns",
      .summary = "what comes back when models are fine-tuned, relearnt, rounded, pruned, shaken",
      .metrics = returns_metrics(),
      .ranges = {{"returns", {}}, {"returns.anamnesis", kFromZero}, {"returns.steps", kFromZero}},
      .support = returns_support,
      .prepare = prepared_returns(),
      .unit = Unit::group,
      .options = returns_options().options()};
}

}  // namespace vestige::metrics
