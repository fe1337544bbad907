// The values that a check selects, and the difference between two queries with its interval.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vestige/study/paper_checks.h"

namespace vestige::study {

/// One selected value and where it stands in the experiment.
struct Selected {
  const StudyRow* row = nullptr;
  double value = metrics::kUndefined;
};

/// Rows that fit, with a defined value. Of several audits or settings one is kept: the first audit;
/// where all queries were measured in a setup of the competition, that; else the first setting
/// that all the queries have, else the first of each variant.
std::vector<std::vector<Selected>> select(const std::vector<StudyRow>& rows,
                                          const std::vector<RowQuery>& queries);

/// What a query asks for: Code::values_of.
result::Reason describe(const RowQuery& query);

/// The same of what was selected: with the setting and the variants that it turned out to be.
result::Reason describe(const RowQuery& query, const std::vector<Selected>& selected);

/// Nothing fits the query.
CheckResult nothing_measured(const RowQuery& query);

/// A point of a check as people write it: texts without quotes.
std::string point_text(const Json& point);

/// The query at one point of what a check goes over: a variant, an audit, a metric, a split or a
/// setting.
RowQuery at_point(RowQuery query, const std::string& over, const Json& point);

/// Every selection that a check needs values for, its points one by one.
std::vector<RowQuery> asked_queries(const Check& check);

struct CheckDifference {
  double left = metrics::kUndefined;  ///< mean of what was compared
  double right = metrics::kUndefined;
  metrics::Estimate estimate{};  ///< left - right; 95 % interval, NaN without one
  std::size_t n = 0;             ///< replicates
  result::Reason how{};          ///< what the interval is; empty without one
};

/// Which parts of a row's place must agree for two values to be a pair.
enum class Replicate { model, split, run, attack, split_attack };

/// Mean of the selected values for each replicate of that kind; keys compare between queries.
struct Replicates {
  std::vector<std::string> keys;
  std::vector<double> values{};
};
Replicates replicates(const std::vector<Selected>& selected, Replicate kind, bool with_variant,
                      bool with_split = true);

/// Pairs over models (split and index), else splits, else runs, else attack seeds, where there are
/// three and more; else Welch's interval over models, where both sides have three; else the rows'
/// own intervals (what the audit paired by example, else MOVER).
CheckDifference difference(const std::vector<Selected>& left, const CheckSide& left_side,
                           const std::vector<Selected>& right, const CheckSide& right_side,
                           std::uint64_t seed);

}  // namespace vestige::study
