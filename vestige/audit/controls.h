// What the controls say about a metric: can it tell original from retrained on this evidence?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vestige/metrics/result.h"
#include "vestige/metrics/stats/bootstrap.h"
#include "vestige/result/remark.h"

namespace vestige::audit {

/// Difference original - retrained of one metric, with its interval.
struct Discrimination {
  double difference = metrics::kUndefined;
  double lower = metrics::kUndefined;
  double upper = metrics::kUndefined;
};

/// Facts of the original's row: the interval of its gap to unseen rows beyond retrained's, paired
/// by row.
inline constexpr const char* kBeyondLower = "beyond_retrained_lower";
inline constexpr const char* kBeyondUpper = "beyond_retrained_upper";

/// Gaps to unseen rows: paired by row, as judge_controls noted it beside the original's value. Else
/// from per-row terms by a paired bootstrap (2,000 resamples, 95 %), above 500 pairs by Student's
/// t, else from the two intervals by MOVER (Zou and Donner 2008); NaN where neither exists.
/// `counts` keeps the resamples for the next metric over as many rows.
Discrimination discriminate(const metrics::Row& original, const metrics::Row& retrained,
                            std::uint64_t seed, metrics::BootstrapCounts* counts = nullptr);

/// The part of a row's parameters that must agree for two rows to be comparable.
std::string setting(const metrics::Row& row);

/// Fills `reference` (the same metric and setting on retrained).
void fill_references(std::vector<metrics::Row>& rows);

/// Marks rows of metrics whose controls failed as unreliable. One remark for each failed control,
/// and one for each pair of controls that says how far a method can come.
std::vector<result::Remark> judge_controls(std::vector<metrics::Row>& rows, std::uint64_t seed);

}  // namespace vestige::audit
