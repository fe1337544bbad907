// Headings and notes of an experiment's views.
#include "vestige/words/study_views.h"

#include <fmt/format.h>

#include "vestige/words/numbers.h"

namespace vestige::words {
namespace {

std::string number_of(std::size_t count, std::string_view noun) {
  return counted(static_cast<std::int64_t>(count), noun);
}

}  // namespace

std::string failed_of_runs(std::size_t failed, std::size_t runs) {
  return fmt::format("{} of {} failed", failed, number_of(runs, "run"));
}

std::string hidden_controls(std::size_t count) {
  return fmt::format("{} more (other settings, not testable): --full shows them", count);
}

std::string hidden_comparisons(std::size_t count) {
  return fmt::format("{} (fewer than two blocks, or secondary): --full shows them",
                     number_of(count, "more metric"));
}

std::string hidden_noise(std::size_t count) {
  return fmt::format("no noise, or too few measurements to see any: {}",
                     number_of(count, "metric"));
}

std::string comparison_heading(std::size_t tests) {
  return fmt::format("Comparison of methods ({}, p after Benjamini-Hochberg)",
                     number_of(tests, "paired test"));
}

std::string pairs_not_told_apart(std::size_t pairs) {
  return fmt::format("no difference is shown in {}", number_of(pairs, "pair"));
}

std::string blocks_left_out(std::size_t blocks) {
  return fmt::format("{} left out of the ranks, because a method is missing",
                     number_of(blocks, "block"));
}

std::string agreement_heading(std::size_t shown, std::size_t all) {
  return fmt::format("Where metrics disagree about methods (Kendall's tau, {} lowest of {})", shown,
                     all);
}

std::string outcomes(std::size_t held, std::size_t did_not_hold, std::size_t inconclusive) {
  return fmt::format("{} held, {} did not hold, {} inconclusive", held, did_not_hold, inconclusive);
}

std::string controls_line(std::size_t passed, std::size_t failed, const std::string& names) {
  return fmt::format(
      "Controls: {} told original from retrained in some variant, {} failed in some variant{}{}.",
      number_of(passed, "metric"), failed, names.empty() ? "" : ": ", names);
}

std::string noise_source(std::string_view level, std::size_t values) {
  return fmt::format("{} ({})", level, number_of(values, "value"));
}

std::string noise_line(const std::string& sources) {
  return fmt::format("Noise comes mostly from: {}.", sources);
}

}  // namespace vestige::words
