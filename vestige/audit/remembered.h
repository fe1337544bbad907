// Which forget rows are remembered most: one order for samples.csv and for the report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/evidence/evidence.h"
#include "vestige/metrics/result.h"

namespace vestige::audit {

inline constexpr std::size_t kMostRememberedRows = 50;

/// Order of the rows of a split, worst first: by the mean rank over the columns that belong to a
/// method and know which way is bad, of the difference to what retrained says of the same row where
/// there is such a column: what a model that never saw the row says too is no memory of it. Ranks,
/// not values, are averaged: scores of different metrics have different units. Undefined scores are
/// least bad; ties keep row order.
std::vector<std::size_t> most_remembered_first(
    const std::vector<const metrics::SampleColumn*>& columns, std::size_t rows);

struct RememberedRow {
  std::size_t row = 0;
  std::string id;  ///< as in the evidence; empty without ids
  std::string subject;
  std::optional<std::int64_t> label;  ///< none without labels
  std::vector<double> scores;         ///< one per column; NaN where undefined

  static constexpr std::string_view kType = "RememberedRow";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("row", &RememberedRow::row, "place in the split, from 0");
    visit("id", &RememberedRow::id, "id of the example; empty without ids");
    visit("label", &RememberedRow::label, "label of the example; null without labels");
    visit("subject", &RememberedRow::subject, "whose example it is; empty where unknown");
    visit("scores", &RememberedRow::scores, "one per column");
  }
};

struct RememberedRows {
  std::string split = "forget";
  std::vector<std::string> columns;
  std::vector<RememberedRow> rows;

  static constexpr std::string_view kType = "RememberedRows";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("split", &RememberedRows::split, "the split whose examples these are");
    visit("columns", &RememberedRows::columns, "names of the scores");
    visit("rows", &RememberedRows::rows, "examples, most remembered first");
  }
};

/// At most kMostRememberedRows forget rows in the order of samples.csv, with the scores that the
/// order comes from and the same scores of original and retrained: of each group the first model's.
RememberedRows remembered_rows(const evidence::Evidence& evidence,
                               const std::vector<metrics::SampleColumn>& columns);

}  // namespace vestige::audit
