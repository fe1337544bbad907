// Rows of the returns group: one set per method and recovery test.
#include "vestige/metrics/returns/returns_family.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "vestige/evidence/probed.h"
#include "vestige/metrics/inputs/row_signals.h"
#include "vestige/metrics/returns/probe_reference.h"
#include "vestige/metrics/returns/relearning.h"
#include "vestige/metrics/returns/returns.h"

namespace vestige::metrics {
namespace {

struct ReturnsSettings {
  double range = 0.05;  ///< how near the original's accuracy or loss counts as relearnt
};

const OptionTable<ReturnsSettings>& returns_options() {
  static const OptionTable<ReturnsSettings> table = OptionTable<ReturnsSettings>("returns").number(
      "range",
      "Relearnt means within this share of the original's accuracy (or loss) on the examples shown",
      [](ReturnsSettings & s) -> auto& { return s.range; }, between(0, 1));
  return table;
}

std::vector<MetricInfo> returns_metrics() {
  return {
      {.id = "returns.share",
       .direction = Direction::lower,
       .ideal = 0,
       .name = "comes back under a recovery test",
       .what = "what a recovery test brings back on the forget set beyond retrained models, as a "
               "share of the original-retrained difference",
       .parts = {"returns.after"}},
      {.id = "returns.after",
       .direction = Direction::match,
       .ideal = 0,
       .name = "known after a recovery test",
       .what =
           "what is known of the forget set after a recovery test beyond retrained models after "
           "the same test, as a share of the original-retrained difference",
       .shows_forgetting = true},
      {.id = "returns.gain",
       .direction = Direction::match,
       .ideal = 0,
       .name = "gained by a recovery test",
       .what = "change on the forget set under a recovery test minus that of retrained models, as "
               "a share of the original-retrained difference",
       .parts = {"returns.after"}},
      {.id = "returns.anamnesis",
       .direction = Direction::match,
       .ideal = 1,
       .name = "anamnesis index",
       .what = "steps to relearn the forget examples shown, divided by those of retrained models"},
      {.id = "returns.steps",
       .direction = Direction::match,
       .ideal = kUndefined,
       .name = "relearn time",
       .what = "steps until the forget examples shown are answered as by the original"},
  };
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

void put(Row& row, const Estimate& estimate, const Reason& interval) {
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
      references_.push_back(make_reference(request.context, evidence, sets, probe));
    }
    curves_ = relearn_curves(evidence);
  }

  Measurements measure(const Comparison& comparison) const {
    Measurements out;
    const bool asked = comparison.control == Control::none ||
                       comparison.control == Control::retrained ||
                       comparison.control == Control::original;
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
      share.notes = {reason(Code::needs_method_after_recovery_test,
                            "probed/" + reference.probe + "/" + comparison.candidate.front()->id() +
                                "/{forget,test}.npy")};
      out.rows.push_back(std::move(share));
      return;
    }
    ProbedSignal signal;
    if (reference.undefined.empty())
      signal = probed_signal(request_.context, evidence, pairs, reference.rows);
    if (signal.name != reference.signal || signal.name.empty()) {
      share.status = Status::undefined;
      share.notes = {reference.undefined.empty() ? reason(Code::different_outputs_than_retrained)
                                                 : reference.undefined};
      out.rows.push_back(std::move(share));
      return;
    }
    const bool is_retrained = comparison.control == Control::retrained;
    if (is_retrained && pairs.size() < 2) return;
    const Return seen = is_retrained ? against_itself(reference)
                                     : returned(side_of_probe(signal, reference.rows),
                                                side_of_probe(reference.retrained, reference.rows),
                                                reference.difference);
    share.facts["p"] = json_number(seen.p);
    share.facts["method_moved"] = json_number(seen.method);
    share.facts["retrained_moved"] = json_number(seen.retrained);
    share.facts["original_retrained_difference"] = json_number(reference.difference);
    share.facts["signal"] = reference.signal;
    share.facts["shown_rows"] = reference.rows.shown.size();
    constexpr result::Code kInterval = result::Code::t_over_examples_and_models_difference_fixed;
    put(share, seen.share, kInterval);
    Row after = start("returns.after", comparison, reference.probe);
    put(after, seen.after, kInterval);
    Row gain = start("returns.gain", comparison, reference.probe);
    put(gain, seen.gain, kInterval);
    for (Row* row : {&share, &after, &gain}) {
      row->n = reference.rows.targets();
      if (method && !reference.unreliable.empty()) {
        row->status = Status::unreliable;
        row->notes = {reference.unreliable};
      }
      out.rows.push_back(std::move(*row));
    }
  }

  /// The retrained control: one half of the retrained models in the place of the method.
  static Return against_itself(const ProbeReference& reference) {
    const SignalRows& before = reference.retrained.before;
    const SignalRows& after = reference.retrained.after;
    const std::size_t all = before.target.rows(), half = all / 2;
    const auto side = [&](std::size_t first, std::size_t last) {
      return probed_side(some_models(before, first, last), some_models(after, first, last),
                         reference.rows.strata);
    };
    return returned(side(0, half), side(half, all), reference.difference);
  }

  Row start(const char* id, const Comparison& comparison, const std::string& probe) const {
    Row row = make_row(id, comparison, request_);
    row.settings["recovery_test"] = probe;
    return row;
  }

  void add_relearning(const Comparison& comparison, const std::string& probe,
                      const std::vector<RelearnStage>& stages, Measurements& out) const {
    const evidence::Evidence& evidence = *comparison.evidence;
    const Models originals = speaking(models_of(evidence.find("original")));
    Models method = comparison.candidate, retrained = models_of(evidence.find("retrained"));
    if (comparison.control == Control::retrained) {
      const std::size_t half = retrained.size() / 2;
      if (half == 0) return;
      method.assign(retrained.begin(), retrained.begin() + static_cast<std::ptrdiff_t>(half));
      retrained.erase(retrained.begin(), retrained.begin() + static_cast<std::ptrdiff_t>(half));
    }
    const RelearnedRows rows =
        relearned_rows(request_.context, evidence, method, retrained, originals, stages);
    if (rows.empty()) return;
    const Anamnesis found = anamnesis(
        rows.curves, settings_.range,
        {.kind = BootstrapKind::percentile, .seed = request_.seed, .purpose = "returns/anamnesis"});
    Row steps = start("returns.steps", comparison, probe);
    steps.value = found.method;
    Row index = start("returns.anamnesis", comparison, probe);
    put(index, found.index, result::Code::bootstrap_models_fixed);
    const double last = rows.curves.steps.back();
    const Reason late = reason(Code::not_relearnt, last);
    if (std::isnan(found.method)) steps.notes = {late};
    if (std::isnan(found.index.value)) {
      index.notes = {found.retrained == 0          ? reason(Code::nothing_to_relearn)
                     : std::isnan(found.retrained) ? reason(Code::retrained_not_relearnt, last)
                                                   : late};
    }
    for (Row* row : {&steps, &index}) {
      row->settings["range"] = settings_.range;
      row->settings["of"] = name(rows.answer);
      row->facts["retrained_steps"] = json_number(found.retrained);
      row->facts["shown_rows"] = rows.curves.original.size();
      row->n = rows.curves.original.size();
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
    return {false, reason(Code::needs_recovery_tests,
                          "probed/TEST/{original,retrained,unlearned/METHOD}/NAME/"
                          "{forget,test}.npy")};
  }
  if (speaking_rows(evidence).empty()) {
    return {false, reason(Code::needs_unseen_examples, "MODEL/test.npy and labels/test.npy")};
  }
  if (evidence.find("original") == nullptr || evidence.find("retrained") == nullptr) {
    return {false, reason(Code::needs_recovery_references,
                          "{original,retrained}/0/{forget,test}.npy and "
                          "probed/TEST/{original,retrained}/0/{forget,test}.npy")};
  }
  return {true};
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
          .words = "recovers forgotten data under",
          .setting = "recovery_test",
          .of = "the original-retrained difference"};
}

Family returns_family() {
  return {
      .name = "returns",
      .summary =
          "what comes back in recovery tests: fine-tune, relearn, quantise, prune, add noise",
      .metrics = returns_metrics(),
      .ranges = {{"returns", {}}, {"returns.anamnesis", kFromZero}, {"returns.steps", kFromZero}},
      .support = returns_support,
      .prepare = prepared_returns(),
      .unit = Unit::group,
      .options = returns_options().options()};
}

}  // namespace vestige::metrics
