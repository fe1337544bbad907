// A synthetic data set of any size, always there, with a knob for how much must be memorised.
#pragma once

#include "vestige/base/options.h"
#include "vestige/data/dataset.h"

namespace vestige::data {

/// The set that `[data] name = "synthetic"` describes (docs/lab/synthetic.md); finishes `options`.
/// A row is its class's prototype, plus offsets of its subclass and subject, plus noise of its own.
/// Labels of the training part are wrong with probability `label_noise`; subclasses stay those of
/// the true class, so that subclass / subclasses_per_class is the class that a row was made of.
/// Row i of either part depends on the seed, i and the other settings, not on the number of rows.
Dataset load_synthetic(Options& options);

}  // namespace vestige::data
