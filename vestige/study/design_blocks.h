// Values of one measure by block and method: the table behind comparisons, controls and results.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "vestige/study/measure.h"

namespace vestige::study {

/// All rows of a method in one block.
struct BlockCell {
  double value = metrics::kUndefined;    ///< mean over runs and attack seeds
  double badness = metrics::kUndefined;  ///< mean of the rows' badness
  std::vector<const StudyRow*> rows{};   ///< those with a value
};

/// Methods and roles of one measure, in the order of their first row.
struct MethodColumn {
  std::string method{};
  bool control = false;
  metrics::Control role = metrics::Control::none;
  std::vector<BlockCell> cells{};  ///< one per block; without rows where the block lacks it
};

/// A block: the models of one index in one split of one variant; of pooled rows, the split.
/// Variants that measure the same models again (the competition's setups) share their blocks.
struct DesignBlock {
  std::string models{};  ///< of the rows; their variant where they do not say
  std::uint64_t split_seed = 0;
  std::string original{};
  auto operator<=>(const DesignBlock&) const = default;
};

struct BlockTable {
  metrics::Direction direction = metrics::Direction::match;
  std::vector<DesignBlock> blocks{};
  std::vector<MethodColumn> columns{};

  const MethodColumn* find(std::string_view method) const;
};

/// `badness` is that of the rows. `variant` empty: all variants but those in `without`.
BlockTable block_table(const std::vector<StudyRow>& rows, const std::vector<double>& badness,
                       const Measure& measure, const std::string& variant = {},
                       const std::set<std::string>& without = {});

/// Values (or badness) of the cells that have one.
std::vector<double> values_of(const MethodColumn& column);
std::vector<double> badness_of(const MethodColumn& column);

/// Mean over the cells with its t interval; with one cell, the mean of the rows' own intervals.
metrics::Estimate mean_of(const MethodColumn& column);
/// The badness over the cells with its t interval, which ends where the badness of the metric's
/// values does.
metrics::Estimate badness_mean(const MethodColumn& column, const Measure& measure,
                               metrics::Direction direction);
/// The kind of that interval.
result::Reason interval_of(const MethodColumn& column);

}  // namespace vestige::study
