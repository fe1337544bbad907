// A policy: the acceptance criteria for results, declared before the audit (docs/practice/gate.md).
// Reading it refuses unknown words, metrics and keys, limits that every value or no value keeps,
// and a policy that a method with traces would pass.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vestige/audit/verdicts/verdicts.h"
#include "vestige/base/json.h"
#include "vestige/result/margins.h"

namespace vestige::practice {

/// What a verdict may show beside its word.
enum class Shown {
  under,     ///< under-forgetting is shown
  over,      ///< over-forgetting is shown
  utility,   ///< a loss of utility is shown
  undecided  ///< the word is not_decided or not_tested
};

/// One thing that policies and --fail-on ask of a verdict: its word, what it shows, or the word
/// that a metric adds to it ("returns").
using Condition = std::variant<result::Word, Shown, std::string>;

/// "traces_remain", "under", "returns".
std::string name_of(const Condition& condition);
/// The condition of that name, in small or capital letters. InputError names the nearest known one,
/// or the present name of an earlier one; `where` names the list that it stands in.
Condition condition_named(std::string_view name, const std::string& where);
bool holds(const Condition& condition, const audit::Verdict& verdict);
/// As a condition that must be absent: MIXED has traces and over-forgetting, so it breaks both.
bool breaks(const Condition& condition, const audit::Verdict& verdict);
/// Whether the verdict says nothing about the condition, because that was not tested.
bool not_tested(const Condition& condition, const audit::Verdict& verdict);

/// The margins that verdicts have unless somebody gives others.
result::Margins default_margins();

/// A limit on one metric of every model of a method.
struct Limit {
  std::string metric;
  std::optional<double> least;
  std::optional<double> most;
  bool against_retrained = false;  ///< the value minus the retrained value
  bool whole_interval = false;     ///< for both ends of the interval, not the value alone
  bool unreliable_passes = false;  ///< also where the metric failed its controls
  Json setting = Json::object();   ///< only rows with these settings; empty: all
};

/// What erasure requests must be like: none with traces, none that was not tested.
struct RequestRules {
  bool undecided_passes = false;  ///< also a request that is not decided passes
  bool missing_passes = false;    ///< also results without requests pass

  bool operator==(const RequestRules&) const = default;
};

struct Policy {
  std::string name{};    ///< of the file, without folders; "default"; or "--fail-on"
  std::string sha256{};  ///< of its bytes; empty for --fail-on
  std::string title{};
  std::vector<std::string> methods{};           ///< judged; empty: all
  std::vector<std::string> exclude{};           ///< but not these
  std::vector<std::string> left_out{};          ///< models that --keep-going may have left out
  std::vector<Condition> absent{};              ///< no method may have one of these
  std::vector<Condition> present{};             ///< every method must have one of these
  result::Margins margins = default_margins();  ///< verdicts were made with no larger ones
  std::optional<char> least_grade{};            ///< of evidence; A is the best
  std::optional<double> utility_loss{};         ///< accuracy that may be lost on retain and on test
  std::optional<double> likelihood_loss{};      ///< log-probability of a token likewise, in nats
  std::vector<std::string> warnings{};          ///< codes of findings that may not be there
  std::optional<RequestRules> requests{};
  std::vector<Limit> limits{};
};

Policy parse_policy(std::string_view text, const std::string& name);
/// A policy has some hundred bytes.
inline constexpr std::size_t kMostOfPolicy = std::size_t{1} << 24U;
Policy read_policy(const std::filesystem::path& path);

/// The policy where none is given: every method is forgotten, and so is every request.
const Policy& default_policy();
/// Its text, as a policy file.
std::string_view default_policy_text();

/// What `audit --fail-on under,over,...` asks for.
Policy policy_of_words(const std::vector<std::string>& words);

/// InputError if the policy excludes every one of these methods. Before an audit: refuse before the
/// work.
void check_methods(const Policy& policy, const std::vector<std::string>& methods);
void check_methods(const Policy& policy, const evidence::Evidence& evidence);

/// Whether the metric of the limit is one that shows forgetting.
bool shows_forgetting(const Limit& limit);
/// Whether limits are the only rules of the policy about forgetting.
bool forgetting_by_limits_alone(const Policy& policy);

}  // namespace vestige::practice
