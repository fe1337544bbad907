// Texts of a page's first screen and of the summary plot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace vestige::words {

/// What utility of a method is compared by.
enum class Utility { accuracy, perplexity };

/// The line above the title: what was audited, when, with which seed. `experiment`: a recipe's.
std::string kicker(bool experiment, const std::string& what, const std::string& date,
                   std::uint64_t seed);
/// Caption of the table of methods, for people who hear it.
std::string glance_caption(Utility utility);
/// "accuracy vs retrained".
std::string utility_heading(Utility utility);
/// "What cannot be read here (3)".
std::string unreadable_heading(std::size_t causes);
/// "Variant random", and with the verdicts in it "Variant random: 1 method: traces remain."
std::string variant_heading(const std::string& variant, const std::string& counts = "");
/// "Policy ci.toml, our rules: failed".
std::string policy_heading(const std::string& policy, const std::string& title, bool passed);
/// A mark and a line of the plot, read aloud.
std::string mark_aloud(const std::string& test, double value, double lower, double upper);
std::string line_aloud(const std::string& method, const std::string& word);

inline constexpr std::string_view kMethodAndVerdict = "method and verdict";
inline constexpr std::string_view kDistance = "distance from retrained";
inline constexpr std::string_view kRetainSet = "retain set";
inline constexpr std::string_view kTestSet = "test set";
inline constexpr std::string_view kMarksHow =
    "Each mark is one test of the verdict, scaled so that 0 is retrained and 1 is the original. "
    "Bars are 95 % intervals. The band is the declared margin. Dotted lines mark the smallest "
    "effect that counts.";
inline constexpr std::string_view kNotShownHeading = "What this evidence cannot show";
inline constexpr std::string_view kPolicyHash = "SHA-256 of the policy:";
inline constexpr std::string_view kOverForgotten = "over-forgotten";
inline constexpr std::string_view kForgottenBand = "forgotten (band: margin)";
inline constexpr std::string_view kNothingForgotten = "nothing forgotten";
/// Whose checks are not about a method.
inline constexpr std::string_view kOfEvidence = "evidence";

}  // namespace vestige::words
