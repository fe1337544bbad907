// The membership attack and its conformal sets.
#include "vestige/metrics/conformal/miacr.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

void check_shares(std::span<const double> values, std::string_view what) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    require(values[i] >= 0 && values[i] <= 1 + 1e-9,
            "miacr: {} of row {} is {}; it must be a probability", what, i, values[i]);
  }
}

Matrix as_column(std::span<const double> values) {
  Matrix column(values.size(), 1);
  std::copy(values.begin(), values.end(), column.values().begin());
  return column;
}

/// Adds rows [first, last) of one class in its random order.
void take(std::span<const double> confidence, std::span<const std::size_t> order, std::size_t first,
          std::size_t last, int label, std::vector<double>& values, std::vector<int>& labels) {
  for (std::size_t k = first; k < last; ++k) {
    values.push_back(confidence[order[k]]);
    labels.push_back(label);
  }
}

}  // namespace

std::string_view name(MemberRule rule) {
  return rule == MemberRule::probability ? "probability" : "sign";
}

MembershipAttack membership_attack(std::span<const double> retain_confidence,
                                   std::span<const double> test_confidence,
                                   std::span<const double> forget_confidence,
                                   const MembershipOptions& options) {
  const std::size_t available = std::min(retain_confidence.size(), test_confidence.size());
  require(
      available >= 4,
      "miacr: {} retain and {} test examples; at least 4 of each are needed to train and calibrate",
      retain_confidence.size(), test_confidence.size());
  require(options.rows_per_side >= 2, "miacr: {} examples per class; at least 2 are needed",
          options.rows_per_side);
  check_shares(retain_confidence, "the retain confidence");
  check_shares(test_confidence, "the test confidence");
  check_shares(forget_confidence, "the forget confidence");
  const std::size_t half = std::min(available / 2, options.rows_per_side);
  const auto retain = Stream(options.seed, "miacr.retain").permutation(retain_confidence.size());
  const auto test = Stream(options.seed, "miacr.test").permutation(test_confidence.size());

  std::vector<double> training, calibration;
  std::vector<int> training_label;
  MembershipAttack attack;
  take(retain_confidence, retain, 0, half, 1, training, training_label);
  take(test_confidence, test, 0, half, 0, training, training_label);
  take(retain_confidence, retain, half, 2 * half, 1, calibration, attack.calibration_label);
  take(test_confidence, test, half, 2 * half, 0, calibration, attack.calibration_label);

  const ProbabilitySvc svc = train_probability_svc(as_column(training), training_label, options.svc,
                                                   options.seed, options.folds);
  attack.training_rows = half;
  attack.calibration_probability = svc.probabilities(as_column(calibration));
  const std::vector<double> decisions = svc.machine.decisions(as_column(forget_confidence));
  std::size_t members = 0;
  for (const double decision : decisions) {
    const double probability = svc.sigmoid.probability(decision);
    const bool positive = decision > 0;
    const bool member = options.member == MemberRule::sign ? positive : probability >= 0.5;
    attack.forget_probability.push_back(probability);
    attack.forget_sign.push_back(positive ? 1 : 0);
    attack.forget_member.push_back(member ? 1 : 0);
    members += member ? 1U : 0U;
  }
  if (!decisions.empty()) {
    attack.mia = static_cast<double>(members) / static_cast<double>(decisions.size());
  }
  return attack;
}

std::vector<double> membership_scores(std::span<const double> member_probability,
                                      std::span<const int> labels) {
  require(member_probability.size() == labels.size(),
          "miacr: {} calibration probabilities but {} labels; give one label per row",
          member_probability.size(), labels.size());
  check_shares(member_probability, "the calibration probability");
  std::vector<double> scores(labels.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    require(labels[i] == 0 || labels[i] == 1,
            "miacr: the label of calibration row {} is {}; use 1 for retain and 0 for test", i,
            labels[i]);
    scores[i] = labels[i] == 1 ? 1 - member_probability[i] : member_probability[i];
  }
  return scores;
}

MembershipSets membership_sets(std::span<const double> forget_probability, double q,
                               QuantileRule rule, std::span<const int> member) {
  require(member.empty() || member.size() == forget_probability.size(),
          "miacr: {} forget probabilities but {} answers of the attack; give one per row",
          forget_probability.size(), member.size());
  require(!std::isnan(q), "miacr: q is NaN; take it from conformal_quantile");
  check_shares(forget_probability, "the forget probability");
  MembershipSets result;
  result.n = forget_probability.size();
  result.sets = PredictionSets(result.n, 2);
  const auto passes = [&](double score) {
    return rule == QuantileRule::finite_sample ? score <= q : score < q;
  };
  std::size_t only_zero = 0;
  for (std::size_t i = 0; i < result.n; ++i) {
    const double p = forget_probability[i];
    const bool zero = passes(p), one = passes(1 - p);
    if (zero) result.sets.insert(i, 0);
    if (one) result.sets.insert(i, 1);
    only_zero += zero && !one ? 1U : 0U;
    result.empty += !zero && !one ? 1U : 0U;
    result.both += zero && one ? 1U : 0U;
    const bool called = member.empty() ? p >= 0.5 : member[i] == 1;
    result.mislabel += called ? 0U : 1U;
    result.in_set += !called && one ? 1U : 0U;
  }
  if (result.n > 0) {
    result.miacr = static_cast<double>(only_zero) / static_cast<double>(result.n);
  }
  if (result.mislabel > 0) {
    result.fake_forgetting =
        static_cast<double>(result.in_set) / static_cast<double>(result.mislabel);
  }
  return result;
}

}  // namespace vestige::metrics
