// Findings of papers as checks in a recipe, [[checks]], and what the experiment says about them.
// docs/experiments/statistics.md describes the vocabulary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/audit/selection.h"
#include "vestige/base/json.h"
#include "vestige/study/rows.h"

namespace vestige::study {

/// Which values a check talks about.
struct RowQuery {
  std::string metric{};
  std::string method = "*";  ///< label or role; "*": mean over all methods that are no controls
  std::string arm{};         ///< empty: any
  std::string audit{};       ///< empty: the first that has the metric
  std::optional<std::uint64_t> split_seed{};  ///< none: all
  Json params = Json::object();  ///< these must agree; several settings left: the first of the arm
  bool gap = false;              ///< of = "gap": the distance to the reference (else to the ideal)
};

/// Left against right; right may be a number.
struct Side {
  std::optional<double> number{};
  RowQuery query{};
};

enum class CheckKind { compare, ordered, trend, ranks_agree, unreliable };

struct Check {
  std::string finding{};  ///< the paper's claim in one sentence
  std::string source{};   ///< "IAM, Table 2"
  CheckKind kind = CheckKind::compare;
  /// compare: above, below, near; ordered and trend: rising, falling.
  std::string is{};
  double by = 0;                        ///< least difference
  double margin = metrics::kUndefined;  ///< near: largest difference
  bool exact = false;                   ///< decide from the values where no interval exists
  std::vector<Side> sides{};  ///< compare: left, right; ordered: all; trend, unreliable: one
  std::string over{};         ///< trend, ranks_agree: arm, audit, ... or a params key
  std::vector<Json> at{};     ///< trend: the points in order; ranks_agree: the two
  double least = metrics::kUndefined;  ///< ranks_agree: least tau
  /// About the program or a guarantee, no finding of a paper: it may hold where nothing was learnt.
  bool control = false;
  /// None or one: what must hold before the claim says anything. "A is about as good as B" is true
  /// of two attacks that both guess; given that B is above chance, it is not.
  std::vector<Check> given{};
};

/// The checks of a recipe from its `checks` array (null: none). InputError for unknown keys, ids of
/// metrics that do not exist and combinations without meaning. `where` names the recipe.
std::vector<Check> read_checks(const Json& checks, const std::string& where);

/// One audit of one arm: what it measures, and the methods that the arm has.
struct StudyPlace {
  std::string arm, audit;
  audit::Selection metrics;
  std::vector<std::string> methods{};  ///< labels
};

/// What the experiment will have; an empty list is not checked.
struct StudyNames {
  std::vector<std::string> arms{};
  std::vector<std::string> audits{};
  std::vector<std::string> methods{};  ///< labels and roles: "finetune", "retrained", "original"
  std::vector<std::uint64_t> split_seeds{};
  std::vector<StudyPlace> places{};
};

/// InputError for the first check that names an arm, audit, method or split seed that will not be
/// there, with the nearest that will, or values that no audit of the arm measures.
void check_findings(const std::vector<Check>& checks, const StudyNames& names);

enum class Outcome { held, did_not_hold, inconclusive };
std::string_view name(Outcome outcome);  // "held", "did not hold", "inconclusive"

struct CheckResult {
  std::string finding{};
  std::string source{};
  bool control = false;
  Outcome outcome = Outcome::inconclusive;
  std::string sentence{};        ///< the numbers, and how they were compared
  metrics::Estimate estimate{};  ///< of what was decided on: difference, rho, tau, share
  std::size_t n = 0;             ///< replicates behind it
  std::string how{};  ///< "t interval over 5 models", "MOVER", "exact", "Page's test", ...
};

std::vector<CheckResult> evaluate_checks(const std::vector<Check>& checks,
                                         const std::vector<StudyRow>& rows, std::uint64_t seed = 1);

}  // namespace vestige::study
