// A policy: what results must be like before something may be released, declared before the run
// (docs/practice/gate.md). Reading it refuses whatever could not be meant: unknown words, metrics
// and keys, and limits that every value or no value keeps.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/audit/verdicts.h"
#include "vestige/base/json.h"

namespace vestige::practice {

/// One thing that a verdict may say, under the name that policies and --fail-on use.
struct Condition {
  std::string word;  ///< "under", "over", "utility", "inconclusive", "forgotten", "returns"
};

/// The condition of that name, in small or capital letters; InputError with the nearest known one.
/// `where` names the list that it stands in.
Condition condition_named(std::string_view word, const std::string& where);
bool holds(const Condition& condition, const audit::Verdict& verdict);

/// A limit on one metric of every model of a method.
struct Limit {
  std::string metric;
  std::optional<double> least;
  std::optional<double> most;
  bool against_retrained = false;  ///< the value minus retrained's, not the value
  bool whole_interval = false;     ///< both ends of the interval must keep it, not the value alone
  bool unreliable_passes = false;  ///< also where the metric failed its own controls
  Json setting = Json::object();   ///< only rows with these settings; empty: all
};

struct Policy {
  std::string name{};    ///< of the file, without folders; "--fail-on" without a file
  std::string sha256{};  ///< of its bytes; empty without a file
  std::string title{};
  std::vector<std::string> methods{};       ///< judged; empty: all
  std::vector<std::string> exclude{};       ///< but not these
  std::vector<Condition> absent{};          ///< no method may have one of these
  std::vector<Condition> present{};         ///< every method must have one of these
  std::optional<char> least_grade{};        ///< of evidence; A is the best
  std::optional<double> utility_loss{};     ///< accuracy that may be lost on retain and on test
  std::optional<double> likelihood_loss{};  ///< log-probability of a token likewise, in nats
  std::vector<std::string> warnings{};      ///< codes of findings that may not be there
  std::optional<bool> requests{};           ///< no request may show traces
  std::vector<Limit> limits{};
};

Policy parse_policy(std::string_view text, const std::string& name);
Policy read_policy(const std::filesystem::path& path);

/// What `audit --fail-on under,over,...` asks for.
Policy policy_of_words(const std::vector<std::string>& words);

}  // namespace vestige::practice
