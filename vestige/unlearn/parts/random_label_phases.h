// Erasing by random labels and repairing afterwards, as random_label and salun do it.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

/// What random_label and the methods built on it are told.
struct RandomLabelPlan {
  train::Phase erase;        ///< on forget
  double repair_epochs = 1;  ///< on retain, after the erase phase
  double repair_rate = 5e-4;
  bool alternate = false;  ///< each erase epoch is followed by a retain epoch of the same rate
};
RandomLabelPlan read_random_label(Options& options);

/// `adjust` (may be empty) changes each phase before it runs: a gradient mask, for instance.
/// `retain`: rows to repair on, where these are not all of the problem's.
train::Cost run_random_label(Problem& problem, const RandomLabelPlan& plan,
                             const std::function<void(train::Phase&)>& adjust = {},
                             const train::Rows* retain = nullptr);

/// Presets of random_label without salun's fraction.
Json random_label_femnist();
Json random_label_conformal();
Json random_label_conformal_vit();
Json random_label_sde();
/// All of random_label.
std::vector<MethodPreset> random_label_presets();

}  // namespace vestige::unlearn
