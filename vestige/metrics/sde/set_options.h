// The options of sde, which mmd and wasserstein follow.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "vestige/metrics/family.h"
#include "vestige/metrics/options.h"
#include "vestige/metrics/sde/sde.h"

namespace vestige::metrics {

/// How many sets, and how large.
struct SetOptions {
  std::size_t reference_draws = 20;       ///< R, pairs of reference sets; 1 is the paper's form
  std::size_t subsets = 100;              ///< m, target sets from forget
  std::size_t size = 0;                   ///< rows of a set; 0: by subset_size()
  std::size_t shuffles = 200;             ///< T
  std::string layer = {};                 ///< names separated by commas, or all; empty: see below
  std::string sigma = "sqrt_dim";         ///< sqrt_dim, median, separating or a number
  KernelShape kernel = KernelShape::rbf;  ///< of sde
  std::size_t landmarks = 0;              ///< of sde: rows that stand for a half; 0: exact
  std::string in = "retain";              ///< the split of reference sets that were trained on
  std::string out = "test";               ///< ... of those that were not
  SetDivergence divergence = SetDivergence::jsd;  ///< of sde: how H of two sets are compared
  std::size_t bandwidths = 0;  ///< F1 at so many bandwidths besides (the paper's Figure 3)
  /// Where they end: "distance", equal steps from 1 to the larger of sqrt_dim and the median
  /// distance; "dimension", equal ratios from 1 to the dimension (the paper's Figure 6)
  std::string bandwidths_to = "distance";
};

/// How the kernel's bandwidth is found.
struct SigmaRule {
  std::string rule = "sqrt_dim";  ///< "sqrt_dim", "median", "separating" or "number"
  double number = 0;              ///< for "number"
};

/// "rbf", "laplace", "linear"
std::string_view name(KernelShape kernel);

/// InputError for anything else than sqrt_dim, median, separating and a number above 0.
SigmaRule sigma_rule(const std::string& text);

/// The options of sde, which mmd and wasserstein follow.
const OptionTable<SetOptions>& set_option_table();

/// In force for a request; InputError with the remedy for values that make no sense.
SetOptions set_options(const Request& request);

/// The largest of 2000, 1000 and 400 that is at most half of the rows, else half of them.
std::size_t subset_size(std::size_t rows);

}  // namespace vestige::metrics
