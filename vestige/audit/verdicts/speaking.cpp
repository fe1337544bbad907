// Who speaks in verdicts, and the word.
#include "vestige/audit/verdicts/speaking.h"

#include <algorithm>

namespace vestige::audit {

using result::Code;
using result::Reason;
using result::reason;
using result::Reasons;

std::vector<const metrics::MetricInfo*> speaking_metrics() {
  std::vector<const metrics::MetricInfo*> found;
  for (const metrics::Family& family : metrics::families()) {
    for (const metrics::MetricInfo& metric : family.metrics) {
      if (metric.speech) found.push_back(&metric);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto* left, const auto* right) {
    return left->speech->place < right->speech->place;
  });
  return found;
}

std::vector<const metrics::MetricInfo*> utility_metrics() {
  std::vector<const metrics::MetricInfo*> found;
  for (const metrics::Family& family : metrics::families()) {
    for (const metrics::MetricInfo& metric : family.metrics) {
      if (!metric.utility_of.empty()) found.push_back(&metric);
    }
  }
  return found;
}

std::string_view utility_split(std::string_view metric) {
  const metrics::MetricInfo* info = metrics::find_metric(metric);
  return info == nullptr ? std::string_view() : info->utility_of;
}

Word verdict_word(const Verdict& verdict, Ruin ruin) {
  if (ruin == Ruin::scrambled) return Word::not_tested;
  if (ruin == Ruin::collapsed) return Word::collapsed;
  if (verdict.form == Form::none) return Word::not_tested;
  const bool under = verdict.under == Outcome::shown, over = verdict.over == Outcome::shown;
  if (verdict.equivalent == Outcome::shown) return Word::forgotten;
  if (under && over) return Word::mixed;
  if (under) return Word::traces_remain;
  if (over) return Word::over_forgotten;
  const bool without_utility = verdict.equivalent == Outcome::not_tested;
  return without_utility && verdict.form != Form::alone ? Word::not_tested : Word::not_decided;
}

Reasons limits(const Grade& grade, Form form, const std::vector<std::string_view>& failed) {
  Reasons found;
  if (form == Form::alone) {
    found.push_back(Code::limit_no_retrained);
  } else if (grade.letter == 'B') {
    found.push_back(form == Form::unseen ? Code::limit_one_retrained_by_unseen
                    : !failed.empty()    ? Code::limit_one_retrained_not_told
                                         : Code::limit_one_retrained_alone);
  } else if (grade.letter == 'C') {
    found.push_back(Code::limit_shadow_models);
  } else if (grade.letter == 'D') {
    found.push_back(Code::limit_model_alone);
  }
  found.push_back(Code::limit_always);
  if (!failed.empty()) found.push_back(reason(Code::limit_metrics_left_out, failed));
  return found;
}

}  // namespace vestige::audit
