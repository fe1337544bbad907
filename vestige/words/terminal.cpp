// Headings and notes of an audit's tables.
#include "vestige/words/terminal.h"

#include <fmt/format.h>

#include "vestige/words/numbers.h"

namespace vestige::words {
namespace {

std::string many(std::size_t count, std::string_view noun) {
  return counted(static_cast<std::int64_t>(count), noun);
}

}  // namespace

std::string plot_units(Utility utility, bool hardly_changed) {
  std::string text = utility == Utility::perplexity
                         ? "; x: perplexity divided by that of retrained models"
                         : "; pts: accuracy minus that of retrained models, in percentage points";
  if (hardly_changed) text += "; *: the method hardly changed the model";
  return text;
}

std::string more_settings(std::size_t count) {
  return fmt::format("{} of these metrics: --full shows them", many(count, "more setting"));
}

std::string more_variants(std::size_t count) {
  return fmt::format("{}: the page has a summary plot of each", many(count, "more variant"));
}

std::string warnings_heading(std::size_t count) {
  return fmt::format("{} about the evidence (vestige inspect shows {} in full)",
                     many(count, "warning"), count == 1 ? "it" : "them");
}

std::string errors_and_warnings(std::size_t errors, std::size_t warnings) {
  return fmt::format("{}, {}", many(errors, "error"), many(warnings, "warning"));
}

std::string unreadable_group(const std::string& group, std::size_t metrics,
                             const std::string& cause) {
  return fmt::format("{}, {}: {}", group, many(metrics, "metric"), cause);
}

std::string not_measured(const std::string& groups) {
  return fmt::format("Not measured: {} (vestige inspect says what is missing)", groups);
}

std::string answers(std::string_view under, std::string_view over, std::string_view equivalent) {
  return fmt::format("traces {}, over-forgetting {}, like retraining {}", under, over, equivalent);
}

std::string holding(const Holding& evidence) {
  std::string text = "models: " + evidence.models;
  if (evidence.recovered > 0) {
    text += fmt::format(", {} after recovery tests ({})", many(evidence.recovered, "model"),
                        evidence.recovery_tests);
  }
  if (!evidence.questions.empty()) {
    text += fmt::format("; multiple-choice questions: {}", evidence.questions);
  }
  if (evidence.examples.empty()) return text;  // questions or texts alone
  text +=
      fmt::format("; {}: {}", evidence.kind.empty() ? "sequences" : "examples", evidence.examples);
  if (evidence.kind.empty()) return text + "; token log-probabilities or losses";
  return text + fmt::format("; {}; outputs are {} ({})", many(evidence.classes, "class/classes"),
                            evidence.kind, evidence.declared ? "declared" : "detected");
}

}  // namespace vestige::words
