// What SDE, MMD and Wasserstein share: the activations of one layer of a model, and the sets of
// rows that are drawn from its splits. Draws depend on the seed alone, so that all models are
// judged on the same rows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/sde/sde.h"

namespace vestige::metrics {

/// Rows of a split that are used at most; more are thinned at random (time and memory grow with
/// their square).
inline constexpr std::size_t kLargestPool = 8192;

/// Everything that is drawn for one layer of one model. Sets hold row numbers of the matrices.
struct ActivationSets {
  std::string layer;
  Matrix forget;
  Matrix retain;                   ///< or the split that sde.in names
  Matrix test;                     ///< or the split that sde.out names
  std::size_t size = 0;            ///< rows per set, even
  std::vector<HalvedSet> targets;  ///< of forget
  std::vector<HalvedSet> ins;      ///< reference sets of retain
  std::vector<HalvedSet> outs;     ///< reference sets of test
  Reasons notes;                   ///< what a reader must know: examples that were left out
  Reason problem;                  ///< not empty: why nothing can be measured
  Status problem_status = Status::undefined;

  /// No two rows differ in any of the three splits.
  bool constant() const;
};

ActivationSets activation_sets(const Comparison& comparison, const Request& request,
                               const std::string& layer);

/// Sets of retain and test for the F1 control: rows of each are divided at random into a reference
/// half and a target half, so that no reference set touches a target.
struct ControlSets {
  std::size_t size = 0;  ///< 0: too few rows
  Reason smaller;        ///< where sets have fewer rows than those of the rate
  std::vector<HalvedSet> retain_targets;
  std::vector<HalvedSet> test_targets;
  std::vector<HalvedSet> forget_targets;  ///< the first of the OTR's own where the sizes agree
  std::vector<HalvedSet> ins;
  std::vector<HalvedSet> outs;
};

ControlSets control_sets(const ActivationSets& sets, const Request& request);

/// Median distance over all pairs of one forget set.
double median_of_one_set(const ActivationSets& sets);

}  // namespace vestige::metrics
