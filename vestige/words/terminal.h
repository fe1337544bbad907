// Headings and notes of an audit's tables, in the terminal and in files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "vestige/words/first_screen.h"

namespace vestige::words {

inline constexpr std::string_view kCheckpointsNote =
    "checkpoints (models during training; no verdict is about them)";
inline constexpr std::string_view kUnreliableNote = "?  unreliable: the reason is below";
inline constexpr std::string_view kCannotBeConcluded = "Cannot be concluded: ";
inline constexpr std::string_view kVerdictsHeading = "Verdicts";
inline constexpr std::string_view kLimitsHeading = "What they do not show";
inline constexpr std::string_view kRemarksHeading = "How far these numbers can be trusted";
inline constexpr std::string_view kNotMeasuredHeading = "Not measured";
inline constexpr std::string_view kCannotBeReadHeading = "Metrics that cannot be read here";
inline constexpr std::string_view kAllMetricsHeading = "Every metric in its main setting";
inline constexpr std::string_view kSupportHeading = "what it measures, or what is missing";
inline constexpr std::string_view kItalicsNote = "Values in italics are unreliable.";
inline constexpr std::string_view kPaperTableNote =
    "value [95 % interval]; bold: best method; dagger: hardly changed the model; "
    "double dagger: not tested or collapsed; "
    "italics with ?: the metric cannot be read on this evidence";
inline constexpr std::string_view kRankFigureTitle = "Mean ranks with the critical difference";
inline constexpr std::string_view kRankFigureNote = "mean rank; grey: critical difference";

/// "; points: accuracy minus retrained's; *: model hardly changed".
std::string plot_units(Utility utility, bool hardly_changed);
std::string more_settings(std::size_t count);
std::string more_variants(std::size_t count);
/// "2 warnings about the evidence (vestige inspect shows them in full)".
std::string warnings_heading(std::size_t count);
/// "1 error, 2 warnings".
std::string errors_and_warnings(std::size_t errors, std::size_t warnings);
/// "iam, 2 metrics: the responses do not vary".
std::string unreadable_group(const std::string& group, std::size_t metrics,
                             const std::string& cause);
std::string not_measured(const std::string& groups);
/// "- finetune ...: TRACES REMAIN; traces shown, over-forgetting excluded, ...".
std::string answers(std::string_view under, std::string_view over, std::string_view equivalent);

/// What evidence holds. `kind` is empty for language models, `examples` where there are questions
/// or texts alone.
struct Holding {
  std::string models{};  ///< "original x 1, retrained x 2"
  std::size_t recovered = 0;
  std::string recovery_tests{};
  std::string examples{};   ///< "forget 400, test 400"
  std::string questions{};  ///< multiple choice: "wmdp 1273, mmlu 14042"
  std::size_t classes = 0;
  std::string kind{};
  bool declared = false;
};
std::string holding(const Holding& evidence);

}  // namespace vestige::words
