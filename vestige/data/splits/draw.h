// Drawing rows: exact counts, in the proportions of the classes, the same for the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vestige/base/options.h"
#include "vestige/data/dataset.h"

namespace vestige::data {

/// Row numbers, ascending wherever they leave a function.
using Rows = std::vector<std::int64_t>;

/// How many of each group to take so that the shares follow the groups' sizes and sum to `count`
/// (largest remainders, Hamilton's method; equal remainders go to the lower group). `count` must
/// not exceed the sum of `sizes`; no share then exceeds its group.
std::vector<std::size_t> proportional_shares(std::span<const std::size_t> sizes, std::size_t count);

/// What a draw depends on besides its candidates.
struct DrawOptions {
  std::uint64_t seed = 0;    ///< of the streams (seed, purpose, class)
  std::string purpose;       ///< "split/train"
  bool stratified = true;    ///< classes in the proportions of the candidates; false: plain draw
  std::int64_t classes = 0;  ///< of the data set
};

/// By what a draw is stratified: "true" classes, "false" nothing, "subclass" the data set's
/// subclasses. Reads the key `stratified`; InputError for subclasses that the data set has not.
struct Strata {
  bool stratified = true;
  const std::vector<std::int64_t>* keys = nullptr;  ///< one per row
  std::int64_t groups = 0;                          ///< keys are below this
};
Strata read_strata(const Dataset& dataset, Options& options);

/// `count` of the candidates (row numbers into `labels`), ascending. `count` must not exceed them.
Rows draw_rows(const Rows& candidates, std::span<const std::int64_t> labels, std::size_t count,
               const DrawOptions& options);

/// Rows of `all` that are not in `removed`; both ascend.
Rows without(const Rows& all, const Rows& removed);

}  // namespace vestige::data
