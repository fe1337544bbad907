// Short runs on this machine that tell how long the long ones will take.
#pragma once

#include <string>

#include "vestige/experiment/experiment.h"

namespace vestige::experiment {

/// seconds = fixed + per_row * rows.
struct Rate {
  double fixed = 0;
  double per_row = 0;

  double seconds(double rows) const { return fixed + per_row * rows; }
};

/// A forward pass takes about a third of a training step.
inline constexpr double kLook = 1.0 / 3;

/// Collecting what one model says, where a forward pass takes `pass` seconds an image: one for
/// every row of a classifier; of a denoiser one for every noise draw and tap, and those of its
/// samples.
Rate looking_rate(const Variant& variant, double pass);

/// Test rows of the variant that probes of training and methods leave out: their accuracy is looked
/// at after each.
double unseen_rows(const Variant& variant);

/// Training of one model of this kind; rows are images seen in all epochs. As many are trained side
/// by side as workers will do: they slow one another down.
Rate probe_training(const Variant& variant, const train::ModelPlan& model, std::size_t workers);

/// One run of a method on this variant; rows are those of the training part. The original is
/// trained on a few rows, because the time of a method does not depend on what the weights are.
Rate probe_method(const Variant& variant, const unlearn::UnlearnPlan& method);

/// The same in images of training instead of seconds, counted on a small network and on the CPU:
/// what a method does with how many rows hardly depends on the network.
Rate count_images(const Variant& variant, const unlearn::UnlearnPlan& method);

/// Collecting what one model says; rows are those of all parts that are collected. The samples of a
/// denoiser are tried too and stand in `fixed`.
Rate probe_collecting(const Variant& variant);

/// Rows of all parts that a variant collects, at most `most` of each (0: all).
double collected_rows(const Variant& variant, std::int64_t most);

/// Seconds of an audit, from trials of each family on few rows, models, sets and shadow models of
/// synthetic evidence, extrapolated to as many as the variant has (docs/experiments/README.md).
double probe_audit(const Variant& variant, const AuditPlan& audit);

}  // namespace vestige::experiment
