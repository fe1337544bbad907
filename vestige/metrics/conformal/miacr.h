// MIACR: a membership attack on the true-class confidence, with conformal sets over {non-member 0,
// member 1}; only a forget row whose set is exactly {0} counts as forgotten.
// Source: "Tackling fake forgetting through uncertainty quantification", eqs. 7 and 11, Table 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vestige/metrics/conformal/conformal.h"
#include "vestige/metrics/learn/svc.h"

namespace vestige::metrics {

/// Who is called a member. MIA and mis-label follow one rule, so that mis-label = n (1 - MIA).
enum class MemberRule {
  probability,  ///< P(member) >= 1/2: then every set {0} is a mis-label and MIACR <= 1 - MIA
  sign          ///< the machine's decision is positive; the sigmoid need not cross 1/2 there
};
std::string_view name(MemberRule rule);

struct MembershipOptions {
  SvcOptions svc = {};  ///< RBF, C = 3, gamma = 1 / features
  MemberRule member = MemberRule::probability;
  std::size_t rows_per_side = 2000;  ///< at most so many retain and so many test rows to train on,
                                     ///< and as many again to calibrate on
  std::size_t folds = 5;             ///< for Platt's sigmoid
  std::uint64_t seed = 1;
};

/// The attack's answers, before any alpha.
struct MembershipAttack {
  std::vector<double> calibration_probability;  ///< P(member) of the held-out retain and test rows
  std::vector<int> calibration_label;           ///< 1 retain, 0 test
  std::vector<double> forget_probability;       ///< [n] P(member)
  std::vector<int> forget_member;               ///< [n] 1 where the rule says member
  std::vector<int> forget_sign;                 ///< [n] 1 where the machine's decision is positive
  double mia = kUndefined;                      ///< share of forget_member, eq. 11
  std::size_t training_rows = 0;                ///< per side
};

/// Confidences are p(true class) per row. Retain (label 1) and test (label 0) are balanced and cut
/// in two by the seed: the machine learns on one half, the other half calibrates. InputError with
/// fewer than four rows per class; `mia` is NaN without forget rows.
MembershipAttack membership_attack(std::span<const double> retain_confidence,
                                   std::span<const double> test_confidence,
                                   std::span<const double> forget_confidence,
                                   const MembershipOptions& options = {});

/// Non-conformity 1 - p(label) of calibration rows: 1 - P(member) for label 1, P(member) for label
/// 0.
std::vector<double> membership_scores(std::span<const double> member_probability,
                                      std::span<const int> labels);

/// Sets over {0, 1} of each forget row: 0 is in if P(member) passes q, 1 if 1 - P(member) does.
struct MembershipSets {
  double miacr = kUndefined;  ///< share of sets that are exactly {0}; NaN without forget rows
  std::size_t n = 0;
  std::size_t empty = 0;
  std::size_t both = 0;
  std::size_t mislabel = 0;             ///< rows called non-members
  std::size_t in_set = 0;               ///< of those, rows with 1 in their set
  double fake_forgetting = kUndefined;  ///< in_set / mislabel; NaN without a mis-label
  PredictionSets sets;                  ///< [n, 2]
};

/// q is conformal_quantile(membership_scores(...), alpha, rule). `member` is
/// MembershipAttack::forget_member; empty: by probability. MIACR = (mislabel - in_set) / n where no
/// set is empty and every set {0} is a mis-label, as in the paper's Tables 4 and 6.
MembershipSets membership_sets(std::span<const double> forget_probability, double q,
                               QuantileRule rule = QuantileRule::finite_sample,
                               std::span<const int> member = {});

}  // namespace vestige::metrics
