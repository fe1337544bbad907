// The sde, mmd and wasserstein families as the registry sees them.
#pragma once

#include <span>
#include <string>

#include "vestige/metrics/family.h"

namespace vestige::metrics {

std::span<const MetricInfo> sde_metrics();
Support sde_support(const evidence::Evidence& evidence);
Measurements measure_sde(const Comparison& comparison, const Request& request, Progress& progress);

std::span<const MetricInfo> mmd_metrics();
Support mmd_support(const evidence::Evidence& evidence);
Measurements measure_mmd(const Comparison& comparison, const Request& request, Progress& progress);

std::span<const MetricInfo> wasserstein_metrics();
Support wasserstein_support(const evidence::Evidence& evidence);
Measurements measure_wasserstein(const Comparison& comparison, const Request& request,
                                 Progress& progress);

/// "sde.sigma": "sqrt_dim", "median" or a number above 0.
struct SigmaRule {
  std::string rule = "sqrt_dim";  ///< "sqrt_dim", "median" or "number"
  double number = 0;              ///< for "number"
};

SigmaRule sigma_rule(const Request& request);

}  // namespace vestige::metrics
