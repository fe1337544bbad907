// MIACR on one model: the membership attack, and the rows of its sets at each level.
#pragma once

#include <vector>

#include "vestige/metrics/conformal/conformal_rows.h"
#include "vestige/metrics/conformal/miacr.h"
#include "vestige/metrics/family.h"

namespace vestige::metrics {

class Membership {
 public:
  Membership(const RowWriter& writer, const Comparison& comparison, const Request& request,
             MemberRule rule);

  /// conformal.miacr, how many of its non-members are fake, and the attack's threshold.
  std::vector<Row> rows(const Level& level) const;
  /// conformal.mia, or a row with the reason why there is none.
  void add_attack(const Level& level, std::vector<Row>& out) const;

  bool available() const { return missing_.empty(); }
  MembershipSets sets_at(const Level& level) const;

 private:
  const RowWriter& writer_;
  MemberRule rule_;
  Reason missing_;
  MembershipAttack attack_;
  std::vector<double> scores_;
};

}  // namespace vestige::metrics
