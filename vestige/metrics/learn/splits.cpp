// Stratified random splits.
#include "vestige/metrics/learn/splits.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "vestige/base/error.h"

namespace vestige::metrics {

LabelSplit stratified_split(std::span<const int> labels, double test_fraction, Stream& stream) {
  require(test_fraction > 0 && test_fraction < 1, "test fraction {} is outside (0, 1)",
          test_fraction);
  std::array<std::vector<std::size_t>, 2> rows;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    require(labels[i] == 0 || labels[i] == 1, "label {} at row {} must be 0 or 1", labels[i], i);
    rows[static_cast<std::size_t>(labels[i])].push_back(i);
  }
  const auto total = static_cast<double>(labels.size());
  const auto held_out = static_cast<std::size_t>(std::ceil(test_fraction * total));
  const double share = static_cast<double>(held_out) * static_cast<double>(rows[0].size()) / total;
  auto zeros = static_cast<std::size_t>(share);
  if (share - static_cast<double>(zeros) >= 0.5) ++zeros;
  const std::array<std::size_t, 2> counts{zeros, held_out - zeros};

  LabelSplit split;
  for (std::size_t label = 0; label < 2; ++label) {
    std::vector<std::size_t>& members = rows[label];
    require(counts[label] >= 1 && counts[label] < members.size(),
            "a stratified split that holds out {} of {} rows of class {} leaves one part empty: "
            "give more examples",
            counts[label], members.size(), label);
    stream.shuffle(std::span(members));
    const auto cut = members.begin() + static_cast<std::ptrdiff_t>(counts[label]);
    split.test.insert(split.test.end(), members.begin(), cut);
    split.train.insert(split.train.end(), cut, members.end());
  }
  std::sort(split.train.begin(), split.train.end());
  std::sort(split.test.begin(), split.test.end());
  return split;
}

}  // namespace vestige::metrics
