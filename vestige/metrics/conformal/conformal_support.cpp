// What the conformal family says about itself: ids, words, plots, and what it needs.
#include "vestige/evidence/checks/split_checks.h"
#include "vestige/metrics/conformal/conformal_evidence.h"
#include "vestige/metrics/conformal/conformal_family.h"
#include "vestige/metrics/inputs/held_rows.h"

namespace vestige::metrics {
// Directions are the paper's limit criterion; its gap criterion is value - reference of a row.
std::vector<MetricInfo> conformal_metrics() {
  return {
      {"conformal.q", Direction::match, kUndefined, "threshold q",
       "score threshold from the calibration examples"},
      {"conformal.q.forget", Direction::match, kUndefined, "threshold q of forgotten classes",
       "score threshold from calibration examples of the forgotten classes"},
      {.id = "conformal.cr.forget",
       .direction = Direction::lower,
       .ideal = kUndefined,
       .name = "conformal ratio of forget examples",
       .what = "coverage / set size on forget examples: how narrowly the sets still hold the true "
               "label",
       .shows_forgetting = true,
       .brief = "CR forget",
       .over = "alpha",
       .speech =
           Speech{.place = 40,
                  .under =
                      "its prediction sets hold the true labels of the forget examples too sharply",
                  .over = "its prediction sets hold the true labels of the forget examples less "
                          "sharply than those of a model that never saw them",
                  .core = true,
                  .unseen = "conformal.cr.test"}},
      {.id = "conformal.cr.test",
       .direction = Direction::higher,
       .ideal = kUndefined,
       .name = "conformal ratio of test examples",
       .what = "coverage / set size on test examples",
       .over = "alpha"},
      {.id = "conformal.cr.test_forget",
       .direction = Direction::lower,
       .ideal = kUndefined,
       .name = "conformal ratio of test examples of forgotten classes",
       .what = "coverage / set size on test examples of the forgotten classes",
       .shows_forgetting = true,
       .over = "alpha"},
      {.id = "conformal.cr.test_retain",
       .direction = Direction::higher,
       .ideal = kUndefined,
       .name = "conformal ratio of test examples of other classes",
       .what = "coverage / set size on test examples of the other classes",
       .over = "alpha"},
      {"conformal.coverage.forget", Direction::lower, kUndefined, "coverage of forget examples",
       "share of forget examples whose set holds the true label", true},
      {"conformal.coverage.test", Direction::higher, kUndefined, "coverage of test examples",
       "share of test examples whose set holds the true label"},
      {"conformal.coverage.test_forget", Direction::lower, kUndefined,
       "coverage of test examples of forgotten classes",
       "share of test examples of the forgotten classes whose set holds the true label", true},
      {"conformal.coverage.test_retain", Direction::higher, kUndefined,
       "coverage of test examples of other classes",
       "share of test examples of the other classes whose set holds the true label"},
      {"conformal.set_size.forget", Direction::higher, kUndefined, "set size of forget examples",
       "mean number of classes in the sets of forget examples", true},
      {"conformal.set_size.test", Direction::lower, kUndefined, "set size of test examples",
       "mean number of classes in the sets of test examples"},
      {"conformal.set_size.test_forget", Direction::higher, kUndefined,
       "set size of test examples of forgotten classes",
       "mean number of classes in the sets of test examples of the forgotten classes", true},
      {"conformal.set_size.test_retain", Direction::lower, kUndefined,
       "set size of test examples of other classes",
       "mean number of classes in the sets of test examples of the other classes"},
      {"conformal.ua", Direction::higher, kUndefined, "unlearning accuracy",
       "share of forget examples predicted wrong", true},
      {"conformal.ua.test_forget", Direction::higher, kUndefined,
       "unlearning accuracy on test examples of forgotten classes",
       "share of test examples of the forgotten classes predicted wrong", true},
      {"conformal.mislabel", Direction::higher, kUndefined, "mis-labelled forget examples",
       "number of forget examples predicted wrong"},
      {"conformal.fake_forgetting", Direction::lower, 0, "fake forgetting",
       "share of those whose set still holds the true label"},
      {"conformal.mia", Direction::lower, kUndefined, "membership attack on forget examples",
       "share of forget examples that the attack calls members", true},
      {.id = "conformal.miacr",
       .direction = Direction::higher,
       .ideal = kUndefined,
       .name = "MIACR",
       .what = "share of forget examples whose membership set is exactly {non-member}",
       .shows_forgetting = true,
       .brief = "MIACR"},
      {"conformal.mia.fake_forgetting", Direction::lower, 0, "fake non-membership",
       "share of examples called non-members whose membership set still holds member"},
      {"conformal.mia.q", Direction::match, kUndefined, "threshold q of the membership attack",
       "score threshold from calibration examples of the attack"},
  };
}

Support conformal_support(const evidence::Evidence& evidence) {
  std::size_t with_forget = 0, with_calibration = 0, with_test = 0, with_retain = 0;
  const auto counts = [&](const evidence::Model& model, const char* split) {
    return model.has(split) && evidence.find_labels(split) != nullptr ? 1U : 0U;
  };
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      with_forget += counts(model, "forget");
      with_calibration += counts(model, "calibration");
      with_test += counts(model, "test");
      with_retain += counts(model, "retain");
    }
  }
  if (with_forget == 0) {
    return {false, reason(Code::needs_outputs_and_labels, std::vector<std::string>{"forget"},
                          "ROLE/0/forget.npy, labels/forget.npy")};
  }
  if (with_calibration == 0 && with_test == 0) {
    return {false, reason(Code::needs_calibration, kEnoughCalibration,
                          "ROLE/0/calibration.npy, labels/calibration.npy")};
  }
  Reasons cautions;
  if (const auto overlap = calibration_overlap(evidence)) {
    cautions.push_back(reason(Code::calibration_overlaps, overlap->id, overlap->split));
  }
  const bool own = with_calibration > 0 && !evidence::given_to_some(evidence, "calibration");
  if (!own) cautions.push_back(Code::test_set_calibrates);
  const std::size_t examples =
      own ? evidence.find_labels("calibration")->size() : evidence.find_labels("test")->size() / 2;
  if (examples < kEnoughCalibration) {
    cautions.push_back(reason(Code::few_calibration_examples, examples, kEnoughCalibration,
                              kUndefined, kUndefined));
  }
  if (with_retain == 0 || with_test == 0) {
    cautions.push_back(reason(Code::scores_need_files, std::vector<std::string>{"MIACR"},
                              "ROLE/0/{retain,test}.npy"));
  }
  return {true, cautions.empty() ? Reason() : reason(Code::several, cautions)};
}

// Test rows twice: where they calibrate, each half is a copy.
Reason conformal_too_large(const evidence::Evidence& evidence, const Json&,
                           const Context& context) {
  return outputs_beyond_memory(
      context, evidence,
      {"forget", "test", "test", "calibration", "calibration_shadow", "calibration_semi_shadow"});
}

std::vector<SeriesInfo> conformal_series() {
  constexpr std::string_view section = "Conformal prediction";
  return {
      {"histogram", "conformal.true_probability", section,
       "{}: probability of the true label of forget examples that count as forgotten",
       "UA counts mislabelled examples as forgotten, CR those whose set lacks the true label. "
       "Near 0 the model gives the true label almost no probability.",
       "Probability of the true label"},
      {"histogram", "conformal.loss", section,
       "{}: loss of forget examples that count as forgotten",
       "UA counts mislabelled examples as forgotten, CR those whose set lacks the true label. "
       "The higher the loss, the clearer the sign.",
       "Loss, cut at 20"},
      {"histogram", "conformal", "Scores of examples",
       "{}: non-conformity of calibration and forget examples",
       "A small non-conformity means that the model agrees with the true label. Forget examples "
       "with smaller values than calibration examples are remembered.",
       "Non-conformity"},
      {"curve", "conformal", section, "{}",
       "A curve that still changes at its right end has not converged: more of what the axis "
       "counts would change the value. Bands are 95 % intervals.",
       ""},
      {"over", "conformal.cr", section, "CR over \u03b1: coverage per set size",
       "\u03b1 is the error rate that the prediction sets allow. On forget examples a lower CR "
       "means "
       "more forgetting, on test examples a higher CR means more utility. Do not rely on a ranking "
       "that changes with \u03b1.",
       "\u03b1"}};
}

Reason conformal_impossible(const Planned& planned) {
  if (planned.forget == "class" || planned.forget == "subclass") return {};
  for (const MetricInfo& metric : conformal_metrics()) {
    const bool of_class = metric.id.ends_with(".test_forget") ||
                          metric.id.ends_with(".test_retain") || metric.id == "conformal.q.forget";
    if (!of_class || !planned.asks(metric.id)) continue;
    return reason(Code::planned_without_class, metric.id, planned.forget);
  }
  return {};
}

}  // namespace vestige::metrics
