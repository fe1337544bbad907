// Headings and notes of an experiment's views.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vestige::words {

inline constexpr std::string_view kResultsHeading = "Results (mean over blocks)";
inline constexpr std::string_view kControlsHeading =
    "Controls (power: share of pairs in which the original is worse than retrained)";
inline constexpr std::string_view kFailedControlsHeading = "Metrics that failed their own controls";
inline constexpr std::string_view kNoiseHeading = "Where the noise comes from";
inline constexpr std::string_view kMarksNote =
    "(name): a control; ?: the metric failed its own controls and ranks no method";
inline constexpr std::string_view kFailedMetricNote =
    "The metric failed its own controls here: it says nothing about methods.";
inline constexpr std::string_view kMainTableNote =
    "mean +- half of the 95 % interval; bold: ranked first; dagger: the first is shown to be "
    "better "
    "(paired test, adjusted p < 0.05); ?: the metric failed its own controls";
inline constexpr std::string_view kSurvivorsNote =
    "(3/5: three of five runs worked, and only these are in the table)";
inline constexpr std::string_view kNoControlsNote = "Controls: none could be tested here.";
inline constexpr std::string_view kNoiseNotSeenNote =
    "Noise: there is one measurement at every level, so its source cannot be seen.";

/// "2 of 8 runs failed".
std::string failed_of_runs(std::size_t failed, std::size_t runs);
std::string hidden_controls(std::size_t count);
std::string hidden_comparisons(std::size_t count);
std::string hidden_noise(std::size_t count);
std::string comparison_heading(std::size_t tests);
std::string pairs_not_told_apart(std::size_t pairs);
std::string blocks_left_out(std::size_t blocks);
std::string agreement_heading(std::size_t shown, std::size_t all);
std::string outcomes(std::size_t held, std::size_t did_not_hold, std::size_t inconclusive);
/// `names`: metrics that failed, separated by commas; may be empty.
std::string controls_line(std::size_t passed, std::size_t failed, const std::string& names);
/// "training (75 values)".
std::string noise_source(std::string_view level, std::size_t values);
std::string noise_line(const std::string& sources);

}  // namespace vestige::words
