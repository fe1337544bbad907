// What RMIA's taylor form is told by options: the metric groups attacks and score_ui share them.
#pragma once

#include "vestige/metrics/family.h"
#include "vestige/metrics/options.h"

namespace vestige::metrics {

/// What the code published with IAM sets by data set; both are of the taylor form.
struct RmiaSettings {
  double temperature = 2;  ///< T: logits are divided by it
  double a = 0.33;         ///< of the offline reference
};

/// Options of the metric group attacks, which score_ui follows too.
const OptionTable<RmiaSettings>& attack_options();
RmiaSettings rmia_settings(const Request& request);

/// Says T and a, where they are not the usual ones.
void name_rmia(Row& row, const RmiaSettings& settings);

}  // namespace vestige::metrics
