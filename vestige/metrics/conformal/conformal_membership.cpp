// The rows of MIACR.
#include "vestige/metrics/conformal/conformal_membership.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "vestige/metrics/conformal/conformal_evidence.h"

namespace vestige::metrics {

Membership::Membership(const RowWriter& writer, const Comparison& comparison,
                       const Request& request, MemberRule rule)
    : writer_(writer), rule_(rule) {
  const evidence::Evidence& evidence = *comparison.evidence;
  const evidence::Model& model = *comparison.candidate.front();
  const auto retain = true_class_probabilities(request.context, evidence, model, "retain");
  const auto test = true_class_probabilities(request.context, evidence, model, "test");
  if (std::min(retain.size(), test.size()) < 4) {
    missing_ = reason(Code::needs_attack_examples, 4, model.id() + "/{retain,test}.npy");
    return;
  }
  attack_ = membership_attack(retain, test,
                              true_class_probabilities(request.context, evidence, model, "forget"),
                              {.member = rule, .seed = request.seed});
  scores_ = membership_scores(attack_.calibration_probability, attack_.calibration_label);
}

std::vector<Row> Membership::rows(const Level& level) const {
  if (!missing_.empty()) return {};
  Row miacr = writer_.at("conformal.miacr", level);
  const MembershipSets sets = sets_at(level);
  std::vector<double> only_zero(sets.n);
  for (std::size_t i = 0; i < sets.n; ++i) {
    only_zero[i] = sets.sets.contains(i, 0) && !sets.sets.contains(i, 1) ? 1 : 0;
  }
  set_share(miacr, count_ones(only_zero), sets.n, result::Code::clopper_pearson_q_fixed);
  miacr.terms = std::move(only_zero);
  // The score is 1 - p(label) of the attack, whatever score the class sets use.
  miacr.facts.erase("gamma");
  miacr.settings.erase("penalty");
  miacr.settings.erase("free_ranks");
  miacr.settings["score"] = "scp";
  const auto like_miacr = [&](const char* id) {
    Row row = miacr;
    const Row described = writer_.plain(id);
    row.metric = described.metric;
    row.direction = described.direction;
    row.ideal = described.ideal;
    row.terms.clear();
    return row;
  };
  Row fake = like_miacr("conformal.mia.fake_forgetting");
  if (sets.mislabel == 0) {
    set_undefined(fake, Code::all_called_members);
  } else {
    set_share(fake, sets.in_set, sets.mislabel, result::Code::clopper_pearson_over_mislabelled);
  }
  if (rule_ != MemberRule::probability) fake.settings["member"] = name(rule_);
  fake.facts["mislabel"] = sets.mislabel;
  fake.facts["in_set"] = sets.in_set;
  Row q = like_miacr("conformal.mia.q");
  const Estimate threshold = conformal_threshold(scores_, level.alpha, level.rule);
  q.value = threshold.value;
  q.lower = threshold.lower;
  q.upper = threshold.upper;
  q.interval = result::Code::order_statistics;
  q.n = scores_.size();
  if (!std::isfinite(q.value) || !std::isfinite(q.upper)) {
    q.notes = {reason(Code::few_attack_calibration, q.n)};
  }
  return {std::move(miacr), std::move(fake), std::move(q)};
}

void Membership::add_attack(const Level& level, std::vector<Row>& out) const {
  if (!missing_.empty()) {
    Row miacr = writer_.at("conformal.miacr", level);
    miacr.status = Status::skipped;
    miacr.notes = {missing_};
    out.push_back(std::move(miacr));
    return;
  }
  Row row = writer_.plain("conformal.mia");
  std::vector<double> members(attack_.forget_member.begin(), attack_.forget_member.end());
  set_share(row, count_ones(members), members.size(), result::Code::clopper_pearson_over_examples);
  row.terms = std::move(members);
  row.facts["training_rows"] = attack_.training_rows;
  if (rule_ != MemberRule::probability) row.settings["member"] = name(rule_);
  row.facts["mislabel"] = row.n - count_ones(row.terms);
  row.facts["by_sign"] = std::accumulate(attack_.forget_sign.begin(), attack_.forget_sign.end(), 0);
  out.push_back(std::move(row));
}

MembershipSets Membership::sets_at(const Level& level) const {
  return membership_sets(attack_.forget_probability,
                         conformal_quantile(scores_, level.alpha, level.rule), level.rule,
                         attack_.forget_member);
}

}  // namespace vestige::metrics
