// Additions to verdicts.
#include "vestige/audit/verdicts/additions.h"

#include <algorithm>
#include <cmath>

#include "vestige/audit/verdicts/verdict_decision.h"
#include "vestige/metrics/addition.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/stats/multiple_testing.h"

namespace vestige::audit {
namespace {

std::vector<const metrics::Row*> readable_rows(const std::vector<metrics::Row>& rows,
                                               std::string_view id, const evidence::Group& group) {
  std::vector<const metrics::Row*> found;
  for (const metrics::Row& row : rows) {
    if (row.metric != id || row.control != metrics::Control::none) continue;
    if (row.subject.group() != metrics::subject_of(group)) continue;
    if (row.status != metrics::Status::ok || std::isnan(row.value)) continue;
    if (row.facts.contains("p") && row.facts["p"].is_number()) found.push_back(&row);
  }
  return found;
}

void sort_by_value(std::vector<VerdictAddition>& list) {
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& left, const auto& right) { return left.value > right.value; });
}

}  // namespace

std::vector<VerdictAddition> additions(const std::vector<metrics::Row>& rows,
                                       const evidence::Group& group,
                                       const VerdictOptions& options) {
  std::vector<VerdictAddition> shown;
  for (const metrics::Addition& addition : metrics::additions()) {
    const auto asked = readable_rows(rows, addition.metric, group);
    std::vector<double> p;
    for (const metrics::Row* row : asked) p.push_back(row->facts["p"].get<double>());
    const std::vector<double> adjusted = metrics::holm(p);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const metrics::Row& row = *asked[i];
      if (!(adjusted[i] < kSignificance) || row.value < options.smallest_effect) continue;
      shown.push_back({row.metric, std::string(addition.word), std::string(addition.words),
                       row.settings.value(std::string(addition.setting), ""), row.value, row.lower,
                       row.upper});
    }
  }
  sort_by_value(shown);
  return shown;
}

std::vector<VerdictAddition> pooled_additions(const std::vector<const Verdict*>& splits) {
  std::vector<VerdictAddition> all;
  std::vector<std::size_t> counts;
  for (const Verdict* verdict : splits) {
    for (const VerdictAddition& one : verdict->additions) {
      const auto same = std::find_if(all.begin(), all.end(), [&one](const VerdictAddition& other) {
        return other.metric == one.metric && other.what == one.what;
      });
      if (same == all.end()) {
        all.push_back(one);
        all.back().lower = all.back().upper = metrics::kUndefined;
        counts.push_back(1);
      } else {
        same->value += one.value;
        ++counts[static_cast<std::size_t>(same - all.begin())];
      }
    }
  }
  std::vector<VerdictAddition> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (2 * counts[i] <= splits.size()) continue;
    all[i].value /= static_cast<double>(counts[i]);
    kept.push_back(all[i]);
  }
  sort_by_value(kept);
  return kept;
}

}  // namespace vestige::audit
