// Groups by sample, and the rows that they use.
#include "vestige/metrics/sde/set_groups.h"

#include <algorithm>

#include "vestige/base/error.h"

namespace vestige::metrics {

UsedRows::UsedRows(std::span<const RowSet> of, std::size_t sample_rows)
    : sets(of.begin(), of.end()) {
  std::vector<std::uint32_t> place(sample_rows);
  for (const RowSet& set : sets) {
    for (const std::uint32_t row : set) place[row] = 1;
  }
  for (std::uint32_t row = 0; row < sample_rows; ++row) {
    if (place[row] == 0) continue;
    place[row] = static_cast<std::uint32_t>(rows.size());
    rows.push_back(row);
  }
  for (RowSet& set : sets) {
    for (std::uint32_t& row : set) row = place[row];
  }
}

std::vector<SharedSample> shared_samples(std::span<const SampleSets> groups) {
  std::vector<SharedSample> samples;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const MatrixView values = groups[group].values;
    const auto found =
        std::find_if(samples.begin(), samples.end(), [&](const SharedSample& sample) {
          return sample.values.data == values.data && sample.values.rows == values.rows;
        });
    if (found == samples.end()) {
      samples.push_back({values, {group}, UsedRows({}, 0)});
    } else {
      found->groups.push_back(group);
    }
  }
  for (SharedSample& sample : samples) {
    std::vector<RowSet> sets;
    for (const std::size_t group : sample.groups) {
      sets.insert(sets.end(), groups[group].sets.begin(), groups[group].sets.end());
    }
    sample.used = UsedRows(sets, sample.values.rows);
  }
  return samples;
}

void check_groups(std::span<const SampleSets> groups, std::size_t fewest, const char* what) {
  for (const SampleSets& group : groups) {
    require(group.values.cols == groups.front().values.cols,
            "samples with {} and {} columns: both need the same", groups.front().values.cols,
            group.values.cols);
    for (const RowSet& set : group.sets) {
      require(set.size() >= fewest, "{} of a set of {} examples: give at least {}", what,
              set.size(), fewest);
      for (const std::uint32_t row : set) {
        require(row < group.values.rows, "a set asks for row {} of {}", row, group.values.rows);
      }
    }
  }
}

}  // namespace vestige::metrics
