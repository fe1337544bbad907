// What the conformal family says about itself: ids, words, plots, and what it needs.
#include <fmt/format.h>

#include "vestige/evidence/split_checks.h"
#include "vestige/metrics/conformal/conformal_evidence.h"
#include "vestige/metrics/conformal/conformal_family.h"
#include "vestige/metrics/inputs/held_rows.h"

namespace vestige::metrics {
// Directions are the paper's limit criterion; its gap criterion is value - reference of a row.
std::vector<MetricInfo> conformal_metrics() {
  return {
      {"conformal.q", Direction::match, kUndefined, "threshold q",
       "score threshold from the calibration rows"},
      {"conformal.q.forget", Direction::match, kUndefined, "threshold q of forgotten classes",
       "score threshold from calibration rows of the forgotten classes"},
      {.id = "conformal.cr.forget",
       .direction = Direction::lower,
       .ideal = kUndefined,
       .name = "conformal ratio of forgotten rows",
       .what = "coverage / set size on forget rows: how surely the true label is still named",
       .shows_forgetting = true,
       .brief = "CR forget",
       .over = "alpha",
       .speech =
           Speech{.place = 40,
                  .under =
                      "its prediction sets hold the true labels of the forgotten rows too sharply",
                  .over = "its prediction sets hold the true labels of the forgotten rows less "
                          "sharply than those of a model that never saw them",
                  .core = true,
                  .over_models = true,
                  .unseen = "conformal.cr.test"}},
      {.id = "conformal.cr.test",
       .direction = Direction::higher,
       .ideal = kUndefined,
       .name = "conformal ratio of test rows",
       .what = "coverage / set size on test rows",
       .over = "alpha"},
      {.id = "conformal.cr.test_forget",
       .direction = Direction::lower,
       .ideal = kUndefined,
       .name = "conformal ratio of test rows of forgotten classes",
       .what = "coverage / set size on test rows of the forgotten classes",
       .shows_forgetting = true,
       .over = "alpha"},
      {.id = "conformal.cr.test_retain",
       .direction = Direction::higher,
       .ideal = kUndefined,
       .name = "conformal ratio of test rows of other classes",
       .what = "coverage / set size on test rows of the other classes",
       .over = "alpha"},
      {"conformal.coverage.forget", Direction::lower, kUndefined, "coverage of forget rows",
       "share of forget rows whose set holds the true label", true},
      {"conformal.coverage.test", Direction::higher, kUndefined, "coverage of test rows",
       "share of test rows whose set holds the true label"},
      {"conformal.coverage.test_forget", Direction::lower, kUndefined,
       "coverage of test rows of forgotten classes",
       "share of test rows of the forgotten classes whose set holds the true label", true},
      {"conformal.coverage.test_retain", Direction::higher, kUndefined,
       "coverage of test rows of other classes",
       "share of test rows of the other classes whose set holds the true label"},
      {"conformal.set_size.forget", Direction::higher, kUndefined, "set size of forget rows",
       "mean number of classes in the sets of forget rows", true},
      {"conformal.set_size.test", Direction::lower, kUndefined, "set size of test rows",
       "mean number of classes in the sets of test rows"},
      {"conformal.set_size.test_forget", Direction::higher, kUndefined,
       "set size of test rows of forgotten classes",
       "mean number of classes in the sets of test rows of the forgotten classes", true},
      {"conformal.set_size.test_retain", Direction::lower, kUndefined,
       "set size of test rows of other classes",
       "mean number of classes in the sets of test rows of the other classes"},
      {"conformal.ua", Direction::higher, kUndefined, "unlearning accuracy",
       "share of forget rows predicted wrong", true},
      {"conformal.ua.test_forget", Direction::higher, kUndefined,
       "unlearning accuracy on test rows of forgotten classes",
       "share of test rows of the forgotten classes predicted wrong", true},
      {"conformal.mislabel", Direction::higher, kUndefined, "mis-labelled forget rows",
       "number of forget rows predicted wrong"},
      {"conformal.fake_forgetting", Direction::lower, 0, "fake forgetting",
       "share of those whose set still holds the true label"},
      {"conformal.mia", Direction::lower, kUndefined, "membership attack on forget rows",
       "share of forget rows that the attack calls members", true},
      {.id = "conformal.miacr",
       .direction = Direction::higher,
       .ideal = kUndefined,
       .name = "MIACR",
       .what = "share of forget rows whose membership set is exactly {non-member}",
       .shows_forgetting = true,
       .brief = "MIACR"},
      {"conformal.mia.fake_forgetting", Direction::lower, 0, "fake non-membership",
       "share of rows called non-members whose membership set still holds member"},
      {"conformal.mia.q", Direction::match, kUndefined, "threshold q of the membership attack",
       "score threshold from calibration rows of the attack"},
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
    return {false, "needs forget rows: add labels/forget.npy and ROLE/0/forget.npy"};
  }
  if (with_calibration == 0 && with_test == 0) {
    return {
        false,
        "needs calibration rows: add labels/calibration.npy and ROLE/0/calibration.npy, at least "
        "1000 rows that are neither forget, retain nor test"};
  }
  // Test rows twice: where they calibrate, each half is a copy.
  if (std::string why =
          outputs_beyond_memory(evidence, {"forget", "test", "test", "calibration",
                                           "calibration_shadow", "calibration_semi_shadow"});
      !why.empty()) {
    return {false, std::move(why)};
  }
  std::string sentence = calibration_overlap(evidence);
  const auto add = [&sentence](const std::string& more) {
    sentence += (sentence.empty() ? "" : "; ") + more;
  };
  std::size_t rows = 0;
  const bool mixed = evidence::given_to_some(evidence, "calibration");
  if (with_calibration == 0 || mixed) {
    rows = evidence.find_labels("test")->size() / 2;
    add(fmt::format("{}: half of the test rows will calibrate; add {}/0/calibration.npy",
                    mixed ? "some models have no calibration rows" : "no calibration split",
                    mixed ? "their ROLE" : "ROLE"));
  } else {
    rows = evidence.find_labels("calibration")->size();
  }
  if (rows < kEnoughCalibration) {
    add(fmt::format("only {} calibration rows, so the threshold q is uncertain; give at least {}",
                    rows, kEnoughCalibration));
  }
  if (with_retain == 0 || with_test == 0) {
    add("MIACR needs retain and test rows: add ROLE/0/retain.npy and ROLE/0/test.npy");
  }
  return {true, sentence};
}

std::vector<SeriesInfo> conformal_series() {
  constexpr std::string_view section = "Conformal prediction";
  return {
      {"histogram", "conformal.true_probability", section,
       "{}: probability of the true label of forget rows that count as forgotten",
       "Mis-labelled rows are what UA counts, rows out of their set what CR counts; those near 0 "
       "are "
       "forgotten beyond doubt.",
       "Probability of the true label"},
      {"histogram", "conformal.loss", section, "{}: loss of forget rows that count as forgotten",
       "Mis-labelled rows are what UA counts, rows out of their set what CR counts; a higher loss "
       "is "
       "a surer sign.",
       "Loss, cut at 20"},
      {"histogram", "conformal", "Scores of rows",
       "{}: non-conformity of calibration and forget rows",
       "A small non-conformity means that the true label fits the model; forget rows that fit "
       "better than fresh calibration rows are remembered.",
       "Non-conformity"},
      {"curve", "conformal", section, "{}",
       "A curve that is still moving at its right end has not settled: more of what the axis "
       "counts would change the value; bands are intervals.",
       ""},
      {"over", "conformal.cr", section, "CR over \u03b1: coverage per set size",
       "\u03b1 is the error rate that the prediction sets allow; on forget rows a lower CR means "
       "more forgetting, on test rows a higher one means more use, and a ranking that changes "
       "with \u03b1 is not one to rely on.",
       "\u03b1"}};
}

std::string conformal_impossible(const Planned& planned) {
  if (planned.forget == "class" || planned.forget == "subclass") return {};
  for (const MetricInfo& metric : conformal_metrics()) {
    const bool of_class = metric.id.ends_with(".test_forget") ||
                          metric.id.ends_with(".test_retain") || metric.id == "conformal.q.forget";
    if (!of_class || !planned.asks(metric.id)) continue;
    return fmt::format(
        "{} belongs to class forgetting, and [forget] kind is \"{}\": set it to \"class\" or "
        "\"subclass\", or leave it out",
        metric.id, planned.forget);
  }
  return {};
}

}  // namespace vestige::metrics
