// The rows of MIACR.
#include "vestige/metrics/conformal/conformal_membership.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vestige/metrics/conformal/conformal_evidence.h"

namespace vestige::metrics {

Membership::Membership(const RowWriter& writer, const Comparison& comparison,
                       const Request& request)
    : writer_(writer) {
  const evidence::Evidence& evidence = *comparison.evidence;
  const evidence::Model& model = *comparison.candidate.front();
  const auto retain = true_class_probabilities(evidence, model, "retain");
  const auto test = true_class_probabilities(evidence, model, "test");
  if (std::min(retain.size(), test.size()) < 4) {
    missing_ = fmt::format(
        "the membership attack needs at least 4 retain and 4 test rows: add {0}/retain.npy, "
        "{0}/test.npy and their labels",
        model.id());
    return;
  }
  attack_ = membership_attack(retain, test, true_class_probabilities(evidence, model, "forget"),
                              {.seed = request.seed});
  scores_ = membership_scores(attack_.calibration_probability, attack_.calibration_label);
}

std::vector<Row> Membership::rows(const Level& level, bool full) const {
  Row miacr = writer_.at("conformal.miacr", level);
  if (!missing_.empty()) {
    miacr.status = Status::skipped;
    miacr.note = missing_;
    if (!full) return {};
    return {std::move(miacr)};
  }
  const MembershipSets sets = sets_at(level);
  std::vector<double> only_zero(sets.n);
  for (std::size_t i = 0; i < sets.n; ++i) {
    only_zero[i] = sets.sets.contains(i, 0) && !sets.sets.contains(i, 1) ? 1 : 0;
  }
  set_share(miacr, count_ones(only_zero), sets.n, "Clopper-Pearson 95 % over rows, q fixed");
  miacr.terms = std::move(only_zero);
  // The score is 1 - p(label) of the attack, whatever score the class sets use.
  miacr.facts.erase("gamma");
  miacr.settings["score"] = "scp";
  if (!full) return {std::move(miacr)};
  Row fake = miacr;
  fake.metric = "conformal.mia.fake_forgetting";
  const Row described = writer_.plain(fake.metric);
  fake.direction = described.direction;
  fake.ideal = described.ideal;
  fake.terms.clear();
  if (sets.mislabel == 0) {
    set_undefined(fake, "every forget row has P(member) >= 1/2");
  } else {
    set_share(fake, sets.in_set, sets.mislabel, "Clopper-Pearson 95 % over mis-labelled rows");
    fake.facts["in_set"] = sets.in_set;
  }
  return {std::move(miacr), std::move(fake)};
}

void Membership::add_attack(std::vector<Row>& out) const {
  if (!missing_.empty()) return;
  Row row = writer_.plain("conformal.mia");
  std::vector<double> members(attack_.forget_member.begin(), attack_.forget_member.end());
  set_share(row, count_ones(members), members.size(), "Clopper-Pearson 95 % over rows");
  row.terms = std::move(members);
  row.facts["training_rows"] = attack_.training_rows;
  out.push_back(std::move(row));
}

MembershipSets Membership::sets_at(const Level& level) const {
  return membership_sets(attack_.forget_probability,
                         conformal_quantile(scores_, level.alpha, level.rule), level.rule);
}

}  // namespace vestige::metrics
