// Findings of papers as checks in a recipe, [[checks]], and what the experiment says about them.
// docs/experiments/statistics.md describes the vocabulary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vestige/audit/selection.h"
#include "vestige/base/json.h"
#include "vestige/result/study.h"
#include "vestige/study/rows.h"

namespace vestige::study {

/// Which values a check talks about.
struct RowQuery {
  std::string metric{};
  std::string method = "*";  ///< label or role; "*": mean over all methods that are no controls
  std::string variant{};     ///< empty: any
  std::string audit{};       ///< empty: the first that has the metric
  std::optional<std::uint64_t> split_seed{};  ///< none: all
  Json params =
      Json::object();  ///< these must agree; several settings left: the first of the variant
  bool gap = false;    ///< of = "gap": the distance to the reference (else to the ideal)
};

/// Left against right; right may be a number.
struct CheckSide {
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
  std::vector<CheckSide> sides{};  ///< compare: left, right; ordered: all; trend, unreliable: one
  std::string over{};              ///< trend, ranks_agree: variant, audit, ... or a params key
  std::vector<Json> at{};          ///< trend: the points in order; ranks_agree: the two
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

/// One audit of one variant: what it measures, and the methods that the variant has.
struct StudyPlace {
  std::string variant, audit;
  audit::Selection metrics;
  std::vector<std::string> methods{};  ///< labels
};

/// What the experiment will have; an empty list is not checked.
struct StudyNames {
  std::vector<std::string> variants{};
  std::vector<std::string> audits{};
  std::vector<std::string> methods{};  ///< labels and roles: "finetune", "retrained", "original"
  std::vector<std::uint64_t> split_seeds{};
  std::vector<StudyPlace> places{};
};

/// InputError for the first check that names a variant, audit, method or split seed that will not
/// be there, with the nearest that will, or values that no audit of the variant measures.
void check_findings(const std::vector<Check>& checks, const StudyNames& names);

using result::CheckOutcome;
using result::CheckResult;

std::vector<CheckResult> evaluate_checks(const std::vector<Check>& checks,
                                         const std::vector<StudyRow>& rows, std::uint64_t seed = 1);

}  // namespace vestige::study
