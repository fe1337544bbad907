// Grouping of remarks.
#include "vestige/report/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "vestige/report/blocks.h"
#include "vestige/words/remarks.h"
#include "vestige/words/words.h"

namespace vestige::report {
namespace {

/// Remarks of one family within a cause.
struct FamilyRemarks {
  std::string family;
  std::set<std::string> metrics;
  std::vector<std::string> texts;
};

struct CauseRemarks {
  result::Cause cause;
  std::vector<FamilyRemarks> families;
};

/// The entry whose member is `key`, made if there is none.
template <typename Entry, typename Key>
Entry& entry_of(std::vector<Entry>& entries, Key Entry::*member, const Key& key) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.*member == key; });
  if (found != entries.end()) return *found;
  entries.emplace_back();
  entries.back().*member = key;
  return entries.back();
}

}  // namespace

std::string RemarkGroup::heading() const {
  const std::string text = words::heading(cause);
  return about.empty() ? text : fmt::format("{} ({})", text, about);
}

std::vector<RemarkGroup> grouped_remarks(const Results& results) {
  std::vector<CauseRemarks> causes;
  for (const result::Remark& remark : results.remarks) {
    CauseRemarks& cause = entry_of(causes, &CauseRemarks::cause, remark.cause);
    const std::string family = remark.metrics.empty() ? "" : family_of(remark.metrics.front());
    FamilyRemarks& own = entry_of(cause.families, &FamilyRemarks::family, family);
    for (const std::string& metric : remark.metrics) {
      // A family's own name is no metric of it.
      if (metric != family) own.metrics.insert(metric);
    }
    own.texts.push_back(words::sentence(remark.reason));
  }
  std::stable_partition(causes.begin(), causes.end(), [](const CauseRemarks& cause) {
    return cause.cause != result::Cause::other;
  });
  std::vector<RemarkGroup> groups;
  for (const CauseRemarks& cause : causes) {
    RemarkGroup group{cause.cause, {}, {}};
    for (const FamilyRemarks& own : cause.families) {
      group.texts.insert(group.texts.end(), own.texts.begin(), own.texts.end());
      if (own.family.empty()) continue;
      if (!group.about.empty()) group.about += "; ";
      group.about += own.family;
      if (own.metrics.empty()) continue;
      group.about += fmt::format(", {} {}", own.metrics.size(),
                                 own.metrics.size() == 1 ? "metric" : "metrics");
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace vestige::report
