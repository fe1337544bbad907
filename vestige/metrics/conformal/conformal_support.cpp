// The conformal family's ids, and what evidence it needs.
#include <fmt/format.h>

#include "vestige/metrics/conformal/conformal_evidence.h"
#include "vestige/metrics/conformal/conformal_family.h"

namespace vestige::metrics {
namespace {

// Directions are the paper's limit criterion; its gap criterion is value - reference of a row.
constexpr MetricInfo kMetrics[] = {
    {"conformal.q", Direction::match, kUndefined, "score threshold from the calibration rows",
     false},
    {"conformal.q.forget", Direction::match, kUndefined,
     "score threshold from calibration rows of the forgotten classes", false},
    {"conformal.cr.forget", Direction::lower, kUndefined,
     "coverage / set size on forget rows: how surely the true label is still named", true},
    {"conformal.cr.test", Direction::higher, kUndefined, "coverage / set size on test rows", false},
    {"conformal.cr.test_forget", Direction::lower, kUndefined,
     "coverage / set size on test rows of the forgotten classes", true},
    {"conformal.cr.test_retain", Direction::higher, kUndefined,
     "coverage / set size on test rows of the other classes", false},
    {"conformal.coverage.forget", Direction::lower, kUndefined,
     "share of forget rows whose set holds the true label", true},
    {"conformal.coverage.test", Direction::higher, kUndefined,
     "share of test rows whose set holds the true label", false},
    {"conformal.coverage.test_forget", Direction::lower, kUndefined,
     "share of test rows of the forgotten classes whose set holds the true label", true},
    {"conformal.coverage.test_retain", Direction::higher, kUndefined,
     "share of test rows of the other classes whose set holds the true label", false},
    {"conformal.set_size.forget", Direction::higher, kUndefined,
     "mean number of classes in the sets of forget rows", true},
    {"conformal.set_size.test", Direction::lower, kUndefined,
     "mean number of classes in the sets of test rows", false},
    {"conformal.set_size.test_forget", Direction::higher, kUndefined,
     "mean number of classes in the sets of test rows of the forgotten classes", true},
    {"conformal.set_size.test_retain", Direction::lower, kUndefined,
     "mean number of classes in the sets of test rows of the other classes", false},
    {"utility.ua", Direction::higher, kUndefined, "share of forget rows predicted wrong", true},
    {"utility.ua.test_forget", Direction::higher, kUndefined,
     "share of test rows of the forgotten classes predicted wrong", true},
    {"conformal.mislabel", Direction::higher, kUndefined, "number of forget rows predicted wrong",
     false},
    {"conformal.fake_forgetting", Direction::lower, 0,
     "share of those whose set still holds the true label", false},
    {"conformal.mia", Direction::lower, kUndefined,
     "share of forget rows that the attack calls members", true},
    {"conformal.miacr", Direction::higher, kUndefined,
     "share of forget rows whose membership set is exactly {non-member}", true},
    {"conformal.mia.fake_forgetting", Direction::lower, 0,
     "share of rows called non-members whose membership set still holds member", false},
};

}  // namespace

std::span<const MetricInfo> conformal_metrics() { return kMetrics; }

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
  std::string sentence = calibration_overlap(evidence);
  const auto add = [&sentence](const std::string& more) {
    sentence += (sentence.empty() ? "" : "; ") + more;
  };
  std::size_t rows = 0;
  if (with_calibration == 0) {
    rows = evidence.find_labels("test")->size() / 2;
    add("no calibration split: half of the test rows will calibrate; add ROLE/0/calibration.npy");
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

}  // namespace vestige::metrics
