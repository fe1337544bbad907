// Largest-remainder shares in whole numbers, then a random draw inside each class.
#include "vestige/data/splits/draw.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <numeric>

#include "vestige/base/seed.h"

namespace vestige::data {

std::vector<std::size_t> proportional_shares(std::span<const std::size_t> sizes,
                                             std::size_t count) {
  const std::size_t total = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  assert(count <= total);
  std::vector<std::size_t> shares(sizes.size(), 0);
  if (total == 0) return shares;
  std::vector<std::size_t> remainders(sizes.size());
  std::size_t given = 0;
  for (std::size_t group = 0; group < sizes.size(); ++group) {
    // Row counts stay far below 2^32, so that the product is exact.
    shares[group] = count * sizes[group] / total;
    remainders[group] = count * sizes[group] % total;
    given += shares[group];
  }
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t first, std::size_t second) {
    return remainders[first] > remainders[second];
  });
  // Fewer are left than there are remainders above 0, so that no share exceeds its group.
  for (std::size_t place = 0; given < count; ++place, ++given) ++shares[order[place]];
  return shares;
}

Strata read_strata(const Dataset& dataset, Options& options) {
  if (options.has("stratified") && options.raw("stratified") == "subclass") {
    options.choice("stratified", "subclass", {"subclass"});
    if (dataset.subclasses.empty()) {
      options.wrong(
          "stratified",
          fmt::format("the data set {} has no subclasses: write true or false", dataset.name));
    }
    return {true, &dataset.subclasses,
            1 + *std::max_element(dataset.subclasses.begin(), dataset.subclasses.end())};
  }
  return {options.boolean("stratified", true), &dataset.labels, dataset.classes};
}

Rows draw_rows(const Rows& candidates, std::span<const std::int64_t> labels, std::size_t count,
               const DrawOptions& options) {
  assert(count <= candidates.size());
  std::vector<Rows> groups(options.stratified ? static_cast<std::size_t>(options.classes) : 1);
  for (const std::int64_t row : candidates) {
    const std::int64_t label = options.stratified ? labels[static_cast<std::size_t>(row)] : 0;
    groups[static_cast<std::size_t>(label)].push_back(row);
  }
  std::vector<std::size_t> sizes;
  sizes.reserve(groups.size());
  for (const Rows& group : groups) sizes.push_back(group.size());
  const std::vector<std::size_t> shares = proportional_shares(sizes, count);
  Rows drawn;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    Stream stream(options.seed, options.purpose, group);
    for (const std::size_t place : stream.sample(sizes[group], shares[group])) {
      drawn.push_back(groups[group][place]);
    }
  }
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

Rows without(const Rows& all, const Rows& removed) {
  Rows rest;
  std::set_difference(all.begin(), all.end(), removed.begin(), removed.end(),
                      std::back_inserter(rest));
  return rest;
}

}  // namespace vestige::data
