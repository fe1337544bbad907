// The declared margins of verdicts.
#include "vestige/audit/verdicts/verdicts.h"

namespace vestige::audit {

const metrics::OptionTable<VerdictOptions>& verdict_option_table() {
  using Settings = VerdictOptions;
  static const metrics::OptionTable<Settings> table =
      metrics::OptionTable<Settings>("verdict")
          .number(
              "margin", "Equivalence margin, as a share of the original-retrained difference",
              [](Settings & s) -> auto& { return s.margin; }, metrics::between(0, 1))
          .number(
              "smallest_effect",
              "Smallest difference that counts, as a share of the original-retrained difference",
              [](Settings & s) -> auto& { return s.smallest_effect; }, metrics::between(0, 1))
          .number(
              "utility_margin", "Accuracy that may be lost on the retain and test sets",
              [](Settings & s) -> auto& { return s.utility_margin; }, metrics::between(0, 1))
          .number(
              "likelihood_margin",
              "The same for language models: log-probability per token, in nats",
              [](Settings & s) -> auto& { return s.likelihood_margin; }, metrics::between(0, 100));
  return table;
}

VerdictOptions verdict_options(const Json& options, std::uint64_t seed) {
  VerdictOptions result = verdict_option_table().read(options);
  result.seed = seed;
  return result;
}

}  // namespace vestige::audit
