// What a dossier says in words about its results: the letter, the table of the policy and the
// statement that is signed. One place makes them, so that `verify` can make them again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "vestige/base/json.h"
#include "vestige/report/results.h"
#include "vestige/words/dossier.h"

namespace vestige::practice {

/// A policy in the dossier.
struct FiledPolicy {
  words::LetterPolicy outcome;
  std::string sha256;
  std::string table;          ///< gate.md
  bool as_in_results = true;  ///< the audit's own outcome, if it has one of a file, is the same
};
FiledPolicy filed_policy(std::string_view text, const std::string& name,
                         const report::Results& results);

/// What does not follow from the results.
struct Filing {
  std::string signer{};  ///< empty: not signed
  std::string filed{};   ///< UTC, ISO 8601
  bool evidence_inside = false;
  Json ledger{};  ///< its entry and head; null without a ledger
};

struct Statement {
  Json predicate;
  std::string letter;  ///< README.txt
};
Statement statement_of(const report::Results& results, const std::optional<FiledPolicy>& policy,
                       const Filing& filing);

/// Where a predicate contradicts what results of any build say without words: verdicts, margins,
/// grade, program, policy, files of the evidence. Empty if nowhere.
std::string contradiction_of(const Json& predicate, const Json& expected);

}  // namespace vestige::practice
