// Counting marks, audit by audit.
#include "vestige/study/reliability.h"

#include <cmath>
#include <map>
#include <tuple>

#include "vestige/audit/controls.h"

namespace vestige::study {
namespace {

struct Audit {
  bool method = false;
  bool marked = false;
  const metrics::Row* original = nullptr;
  const metrics::Row* retrained = nullptr;
};

/// Whether audit::discriminate has an interval for the two, without working it out.
bool comparable(const metrics::Row& original, const metrics::Row& retrained) {
  return !std::isnan(original.lower + original.upper + retrained.lower + retrained.upper);
}

void count(const Audit& audit, std::uint64_t seed, Reliability& result) {
  if (audit.method) ++result.measured;
  if (audit.marked) {
    ++result.audits;
    ++result.unreliable;
    return;
  }
  if (audit.original == nullptr || audit.retrained == nullptr) return;
  if (!comparable(*audit.original, *audit.retrained)) return;
  ++result.audits;
  if (audit.method) return;
  const audit::Discrimination seen = audit::discriminate(*audit.original, *audit.retrained, seed);
  if (seen.lower <= 0 && seen.upper >= 0) ++result.unreliable;
}

}  // namespace

Reliability unreliable_share(const std::vector<StudyRow>& rows, const Measure& measure,
                             const std::string& variant, std::uint64_t seed) {
  Reliability result;
  std::map<std::tuple<std::string, std::uint64_t, std::uint64_t>, Audit> audits;
  for (const StudyRow& row : rows) {
    if (row.row.metric != measure.metric || std::isnan(row.row.value)) continue;
    if ((!variant.empty() && row.variant != variant) || measure_of(row) != measure) continue;
    Audit& audit = audits[{row.variant, row.split_seed, row.attack_seed}];
    switch (row.row.control) {
      case metrics::Control::none:
        audit.method = true;
        if (row.row.status == metrics::Status::unreliable) {
          audit.marked = true;
          if (result.notes.empty()) result.notes = row.row.notes;
        }
        break;
      case metrics::Control::original:
        if (audit.original == nullptr) audit.original = &row.row;
        break;
      case metrics::Control::retrained:
        if (audit.retrained == nullptr) audit.retrained = &row.row;
        break;
      default:
        break;
    }
  }
  for (const auto& [key, audit] : audits) count(audit, seed, result);
  if (result.audits > 0) {
    result.share = static_cast<double>(result.unreliable) / static_cast<double>(result.audits);
  }
  return result;
}

}  // namespace vestige::study
