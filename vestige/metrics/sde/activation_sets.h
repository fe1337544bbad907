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

/// How many sets, and how large.
struct SetOptions {
  std::size_t reference_draws = 20;  ///< R, pairs of reference sets; 1 is the paper's form
  std::size_t subsets = 100;         ///< m, target sets from forget
  std::size_t size = 0;              ///< rows of a set; 0: by subset_size()
  std::size_t shuffles = 200;        ///< T
  std::string layer = {};            ///< names separated by commas, or all; empty: see below
  std::string sigma = "sqrt_dim";    ///< sqrt_dim, median or a number
  std::size_t bandwidths = 0;        ///< F1 at so many bandwidths besides (the paper's Figure 3)
  /// Where they end: "distance", equal steps from 1 to the larger of sqrt_dim and the median
  /// distance; "dimension", equal ratios from 1 to the dimension (the paper's Figure 6)
  std::string bandwidths_to = "distance";
};

/// How the kernel's bandwidth is found.
struct SigmaRule {
  std::string rule = "sqrt_dim";  ///< "sqrt_dim", "median" or "number"
  double number = 0;              ///< for "number"
};

/// InputError for anything else than sqrt_dim, median and a number above 0.
SigmaRule sigma_rule(const std::string& text);

/// The options of sde, which mmd and wasserstein follow.
const OptionTable<SetOptions>& set_option_table();

/// In force for a request; InputError with the remedy for values that make no sense.
SetOptions set_options(const Request& request);

/// The largest of 2000, 1000 and 400 that is at most half of the rows, else half of them.
std::size_t subset_size(std::size_t rows);

/// The layers to measure, from "sde.layer": a name, several separated by commas, or "all"; by
/// default "penultimate" if any model has it, else "logits" (the outputs as they stand), else the
/// only layer there is. InputError
/// naming the nearest layer for a name that no model has.
std::vector<std::string> layers_to_measure(const evidence::Evidence& evidence,
                                           const Request& request);

/// A retrained model, or one on its way (checkpoint/retrained.0.8): it never saw the forget rows.
bool never_saw_forget(const evidence::Model& model);

/// Whether the model has the layer on forget, retain and test.
bool has_layer(const evidence::Model& model, const std::string& layer);

/// One sentence on what is missing, for inspect; supported where any model has a layer.
Support activation_support(const evidence::Evidence& evidence);

/// Everything that is drawn for one layer of one model. Sets hold row numbers of the matrices.
struct ActivationSets {
  std::string layer;
  Matrix forget;
  Matrix retain;
  Matrix test;
  std::size_t size = 0;            ///< rows per set, even
  std::vector<HalvedSet> targets;  ///< of forget
  std::vector<HalvedSet> ins;      ///< reference sets of retain
  std::vector<HalvedSet> outs;     ///< reference sets of test
  std::vector<std::string> notes;  ///< what a reader must know: dropped rows, rows left out
  std::string problem;             ///< not empty: why nothing can be measured
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
  std::vector<HalvedSet> retain_targets;
  std::vector<HalvedSet> test_targets;
  std::vector<HalvedSet> forget_targets;  ///< the first of the OTR's own where the sizes agree
  std::vector<HalvedSet> ins;
  std::vector<HalvedSet> outs;
};

ControlSets control_sets(const ActivationSets& sets, const Request& request);

/// Median distance over all pairs of one forget set.
double median_of_one_set(const ActivationSets& sets);

/// A row of the family with layer, size, subsets and draws in its parameters.
Row set_row(std::string_view id, const ActivationSets& sets, const Comparison& comparison,
            const Request& request);

/// The out-of-training rate with its spread over reference pairs, or the reason for none.
/// `precondition` names what a pair had to meet.
void fill_rate(Row& row, const OverPairs& rate, std::string_view precondition);

/// The score with its spread over reference pairs or, with one pair, over sets.
void fill_f1(Row& row, const std::vector<PairVerdicts>& pairs, std::size_t members,
             std::string_view precondition, const Request& request);

/// Rows for a layer that cannot be measured; `rule` is that of sigma, empty without one.
void add_problem(std::span<const MetricInfo> ids, const ActivationSets& sets,
                 const Comparison& comparison, const Request& request, std::string_view rule,
                 Measurements& out);

}  // namespace vestige::metrics
