// What a test shows about each method: under-forgetting, over-forgetting, equivalence with
// retraining, or nothing. docs/verdicts.md has the definitions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/audit/differences.h"
#include "vestige/base/json.h"
#include "vestige/evidence/evidence.h"
#include "vestige/metrics/options.h"
#include "vestige/metrics/result.h"

namespace vestige::audit {

/// not_shown: a difference beyond the margin is excluded (for equivalence: a difference is shown).
enum class Shown { shown, not_shown, inconclusive };
std::string_view name(Shown shown);  // "shown", "not shown", "inconclusive"

/// On which side of retrained a test puts a method.
enum class Leaning { none, under, over, utility_loss };
std::string_view name(Leaning leaning);  // "", "under", "over", "utility loss"

/// The verdict in capitals, for people in a hurry.
enum class Word { forgotten, traces, over, traces_and_over, not_decided, no_verdict };
std::string_view name(Word word);  // "FORGOTTEN", "TRACES REMAIN", ...

/// What a method was set against.
enum class Form {
  none,    ///< nothing could be tested
  unseen,  ///< retrained models, with rows that nobody saw as the yardstick
  models,  ///< retrained models, by how much models vary; weaker
  alone,   ///< rows that nobody saw, by the model itself: forget rows are a random draw
};
std::string_view name(Form form);  // "", "unseen rows", "models", "model alone"

struct VerdictOptions {
  double margin = 0.25;  ///< equivalence: share of the distance between original and retrained
  double smallest_effect = 0.1;    ///< nothing below this share of that distance is ever shown
  double utility_margin = 0.01;    ///< accuracy that may be lost on retain and test
  double likelihood_margin = 0.1;  ///< log-probability of a token that may be lost there, in nats
  std::uint64_t seed = 1;
};

/// --verdict-margin, --verdict-smallest-effect, --verdict-utility-margin,
/// --verdict-likelihood-margin.
const metrics::OptionTable<VerdictOptions>& verdict_option_table();
/// In force; InputError with the remedy.
VerdictOptions verdict_options(const Json& options, std::uint64_t seed);

/// One metric that was tested: method - retrained.
struct VerdictTest {
  std::string metric;
  Difference difference;
  double margin = metrics::kUndefined;     ///< in the metric's unit
  double room = metrics::kUndefined;       ///< distance from original to retrained, by this test
  double holm = metrics::kUndefined;       ///< adjusted p; NaN for utility
  double level = metrics::kUndefined;      ///< shown if `holm` is below it
  double method = metrics::kUndefined;     ///< mean over models
  double retrained = metrics::kUndefined;  ///< mean over models
  double original = metrics::kUndefined;   ///< mean over models
  bool unseen = false;                     ///< by rows that nobody saw
  Leaning side = Leaning::none;            ///< what it shows if the difference is shown
  bool core = false;    ///< must lie within the margin before equivalence is shown
  bool within = false;  ///< TOST: the 90 % interval lies within the margin
  Leaning shows = Leaning::none;
  std::string what;  ///< how it was tested, and why it is not read where it is not
};

/// What a metric adds to the verdict of a method, whatever the word is (metrics/addition.h).
struct VerdictAddition {
  std::string metric;
  std::string word;   ///< "returns"
  std::string words;  ///< "returns under"
  std::string what;   ///< the setting's value: "int4"
  double value = metrics::kUndefined;
  double lower = metrics::kUndefined;
  double upper = metrics::kUndefined;
};

struct Verdict {
  std::string arm{};         ///< of an experiment; empty in an audit
  std::string method;        ///< "finetune"
  metrics::Subject subject;  ///< unlearned/finetune
  Shown under = Shown::inconclusive;
  Shown over = Shown::inconclusive;
  Shown equivalent = Shown::inconclusive;
  Shown utility_loss = Shown::inconclusive;
  Word word = Word::not_decided;
  Form form = Form::none;
  bool hardly_changed = false;  ///< moved from the original by less than a tenth of retrained's way
  /// People or subclasses were forgotten: a difference stands only if every signal shows it.
  bool signals_must_agree = false;
  /// The model whose very values it holds ("retrained/0"), so that nothing can be tested; or empty.
  std::string same_as{};
  std::string reason;    ///< what the word rests on, in a phrase
  std::string sentence;  ///< plain English
  std::string cannot;    ///< what this evidence cannot show
  std::vector<VerdictTest> tests;
  std::vector<VerdictAddition> additions{};  ///< largest value first
};

/// One verdict per method, from the rows of an audit after its controls have judged.
std::vector<Verdict> verdicts(const evidence::Evidence& evidence,
                              const std::vector<metrics::Row>& rows,
                              const VerdictOptions& options = {});

}  // namespace vestige::audit
