// Texts of a page's first screen and of the summary plot.
#include "vestige/words/first_screen.h"

#include <fmt/format.h>

#include <cmath>

namespace vestige::words {
namespace {

std::string_view name_of(Utility utility) {
  return utility == Utility::perplexity ? "perplexity" : "accuracy";
}

}  // namespace

std::string kicker(bool experiment, const std::string& what, const std::string& date,
                   std::uint64_t seed) {
  std::string text = experiment ? "Experiment on unlearning" : "Audit of machine unlearning";
  for (const std::string& part : {what, date}) {
    if (!part.empty()) text += " \u00b7 " + part;
  }
  return text + fmt::format(" \u00b7 seed {}", seed);
}

std::string glance_caption(Utility utility) {
  return fmt::format(
      "Where each method lies between retrained (0) and original (1), and its {} compared with "
      "retrained",
      name_of(utility));
}

std::string utility_heading(Utility utility) {
  return fmt::format("{} vs retrained", name_of(utility));
}

std::string unreadable_heading(std::size_t causes) {
  return fmt::format("Metrics that cannot be read here ({})", causes);
}

std::string variant_heading(const std::string& variant, const std::string& counts) {
  return fmt::format("Variant {}{}{}", variant, counts.empty() ? "" : ": ", counts);
}

std::string policy_heading(const std::string& policy, const std::string& title, bool passed) {
  return fmt::format("Policy {}{}{}: {}", policy, title.empty() ? "" : ", ", title,
                     passed ? "passed" : "failed");
}

std::string mark_aloud(const std::string& test, double value, double lower, double upper) {
  std::string text = fmt::format("{} {:.2f}", test, value);
  if (!std::isnan(lower)) text += fmt::format(", {:.2f} to {:.2f}", lower, upper);
  return text + ".";
}

std::string line_aloud(const std::string& method, const std::string& word) {
  return fmt::format("{}: {}. 0: retrained models, 1: original.", method, word);
}

}  // namespace vestige::words
