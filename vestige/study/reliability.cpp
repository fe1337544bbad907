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
  const metrics::Row* ceiling = nullptr;
  const metrics::Row* floor = nullptr;
};

/// Whether audit::discriminate has an interval for the two, without working it out.
bool comparable(const metrics::Row& ceiling, const metrics::Row& floor) {
  if (!ceiling.terms.empty() && ceiling.terms.size() == floor.terms.size()) return true;
  return !std::isnan(ceiling.lower + ceiling.upper + floor.lower + floor.upper);
}

void count(const Audit& audit, std::uint64_t seed, Reliability& result) {
  if (audit.method) ++result.measured;
  if (audit.marked) {
    ++result.audits;
    ++result.unreliable;
    return;
  }
  if (audit.ceiling == nullptr || audit.floor == nullptr) return;
  if (!comparable(*audit.ceiling, *audit.floor)) return;
  ++result.audits;
  if (audit.method) return;
  const audit::Discrimination seen = audit::discriminate(*audit.ceiling, *audit.floor, seed);
  if (seen.lower <= 0 && seen.upper >= 0) ++result.unreliable;
}

}  // namespace

Reliability unreliable_share(const std::vector<StudyRow>& rows, const Measure& measure,
                             const std::string& arm, std::uint64_t seed) {
  Reliability result;
  std::map<std::tuple<std::string, std::uint64_t, std::uint64_t>, Audit> audits;
  for (const StudyRow& row : rows) {
    if (row.row.metric != measure.metric || std::isnan(row.row.value)) continue;
    if ((!arm.empty() && row.arm != arm) || measure_of(row) != measure) continue;
    Audit& audit = audits[{row.arm, row.split_seed, row.attack_seed}];
    switch (row.row.control) {
      case metrics::Control::none:
        audit.method = true;
        if (row.row.status == metrics::Status::unreliable) {
          audit.marked = true;
          if (result.note.empty()) result.note = row.row.note;
        }
        break;
      case metrics::Control::ceiling:
        if (audit.ceiling == nullptr) audit.ceiling = &row.row;
        break;
      case metrics::Control::floor:
        if (audit.floor == nullptr) audit.floor = &row.row;
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
