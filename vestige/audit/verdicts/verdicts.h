// What a test shows about each method: under-forgetting, over-forgetting, equivalence with
// retraining, or nothing. docs/concepts/verdicts.md has the definitions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/audit/verdicts/differences.h"
#include "vestige/base/context.h"
#include "vestige/base/json.h"
#include "vestige/evidence/evidence.h"
#include "vestige/metrics/options.h"
#include "vestige/metrics/result.h"
#include "vestige/result/verdict.h"

namespace vestige::audit {

using result::Form;
using result::Leaning;
using result::Moved;
using result::Outcome;
using result::Quantity;
using result::Verdict;
using result::VerdictAddition;
using result::VerdictTest;
using result::Word;

struct VerdictOptions {
  double margin = 0.25;            ///< equivalence: share of the original-retrained difference
  double smallest_effect = 0.1;    ///< nothing below this share of that difference is ever shown
  double utility_margin = 0.01;    ///< accuracy that may be lost on retain and test
  double likelihood_margin = 0.1;  ///< log-probability of a token that may be lost there, in nats
  std::uint64_t seed = 1;
  Context context = {};  ///< its cache is asked for answers of models
};

/// --verdict-margin, --verdict-smallest-effect, --verdict-utility-margin,
/// --verdict-likelihood-margin.
const metrics::OptionTable<VerdictOptions>& verdict_option_table();
/// In force; InputError with the remedy.
VerdictOptions verdict_options(const Json& options, std::uint64_t seed);

/// One verdict per method, from the rows of an audit after its controls have judged.
std::vector<Verdict> verdicts(const evidence::Evidence& evidence,
                              const std::vector<metrics::Row>& rows,
                              const VerdictOptions& options = {});

}  // namespace vestige::audit
