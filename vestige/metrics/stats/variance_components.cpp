// Nested random-effects analysis of variance by the method of moments.
#include "vestige/metrics/stats/variance_components.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

/// Groups of one level, numbered so that a name counts only within its parent.
struct Partition {
  std::vector<std::size_t> of;  ///< group of each observation
  std::vector<double> sizes;    ///< observations per group
};

Partition refine(const Partition& parent, const std::vector<std::size_t>& names) {
  Partition result;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> numbers;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [place, is_new] = numbers.try_emplace({parent.of[i], names[i]}, numbers.size());
    if (is_new) result.sizes.push_back(0);
    result.of.push_back(place->second);
    result.sizes[place->second] += 1;
  }
  return result;
}

/// All observations together, then each level, then every observation by itself.
std::vector<Partition> partitions(std::size_t n,
                                  const std::vector<std::vector<std::size_t>>& groups) {
  std::vector<Partition> result = {{std::vector<std::size_t>(n, 0), {static_cast<double>(n)}}};
  for (const std::vector<std::size_t>& names : groups) {
    require(names.size() == n, "a level of the design names {} groups for {} values: give one each",
            names.size(), n);
    result.push_back(refine(result.back(), names));
  }
  std::vector<std::size_t> own(n);
  for (std::size_t i = 0; i < n; ++i) own[i] = i;
  result.push_back(refine(result.back(), own));
  return result;
}

/// Sum over groups of n (group mean - grand mean)^2; centred, so that large means cost no digits.
double between(const Partition& partition, std::span<const double> values, double center) {
  std::vector<double> sums(partition.sizes.size());
  for (std::size_t i = 0; i < values.size(); ++i) sums[partition.of[i]] += values[i] - center;
  double total = 0;
  for (std::size_t g = 0; g < sums.size(); ++g) total += sums[g] * sums[g] / partition.sizes[g];
  return total;
}

/// c_lk: sum over the inner level's groups of n_j^2 / n of the outer group around j.
double coefficient(const Partition& outer, const Partition& inner) {
  double total = 0;
  std::vector<bool> seen(inner.sizes.size(), false);
  for (std::size_t i = 0; i < inner.of.size(); ++i) {
    const std::size_t j = inner.of[i];
    if (seen[j]) continue;
    seen[j] = true;
    total += inner.sizes[j] * inner.sizes[j] / outer.sizes[outer.of[i]];
  }
  return total;
}

}  // namespace

VarianceComponents variance_components(std::span<const double> values,
                                       const std::vector<std::vector<std::size_t>>& groups) {
  const std::vector<Partition> levels = partitions(values.size(), groups);
  VarianceComponents result{.n = values.size(), .mean = mean(values)};
  result.levels.resize(groups.size() + 1);
  if (values.empty()) return result;

  std::vector<std::size_t> estimable;  // positions in `levels`, outermost first
  for (std::size_t l = 1; l < levels.size(); ++l) {
    VarianceLevel& level = result.levels[l - 1];
    level.groups = levels[l].sizes.size();
    level.degrees_of_freedom = level.groups - levels[l - 1].sizes.size();
    if (level.degrees_of_freedom > 0) {
      estimable.push_back(l);
    } else if (!estimable.empty()) {
      result.levels[estimable.back() - 1].includes.push_back(l - 1);
    }
  }
  if (std::isnan(result.mean) || estimable.empty()) return result;

  // A level without degrees of freedom is the same partition as the one above it, so the estimable
  // levels alone carry the whole design.
  result.total = 0;
  for (std::size_t place = estimable.size(); place-- > 0;) {
    const std::size_t l = estimable[place];
    VarianceLevel& level = result.levels[l - 1];
    const Partition& above = levels[l - 1];
    const double squares =
        between(levels[l], values, result.mean) - between(above, values, result.mean);
    level.mean_square = squares / static_cast<double>(level.degrees_of_freedom);
    double explained = 0;
    for (std::size_t inner = place + 1; inner < estimable.size(); ++inner) {
      const std::size_t k = estimable[inner];
      explained += result.levels[k - 1].raw *
                   (coefficient(levels[l], levels[k]) - coefficient(above, levels[k]));
    }
    const double own = coefficient(levels[l], levels[l]) - coefficient(above, levels[l]);
    level.raw = (squares - explained) / own;
    level.component = std::max(0.0, level.raw);
    level.estimable = true;
    result.total += level.component;
  }
  for (VarianceLevel& level : result.levels) {
    if (level.estimable && result.total > 0) level.share = level.component / result.total;
  }
  return result;
}

}  // namespace vestige::metrics
