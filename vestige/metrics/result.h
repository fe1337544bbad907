// What a metric group hands back: rows (result/row.h), columns of samples.csv and points of plots.
#pragma once

#include <string>
#include <vector>

#include "vestige/metrics/estimate.h"
#include "vestige/metrics/packed_texts.h"
#include "vestige/result/row.h"

namespace vestige::metrics {

using result::Code;
using result::Control;
using result::Direction;
using result::name;
using result::parse_subject;
using result::Reason;
using result::reason;
using result::Reasons;
using result::Row;
using result::Series;
using result::Status;
using result::Subject;

/// One column of samples.csv: a score for each row of a split.
struct SampleColumn {
  std::string name;            ///< "epsilon.finetune"
  std::string split;           ///< "forget"
  std::vector<double> values;  ///< NaN is written as an empty field
  PackedTexts texts;           ///< used instead of values if not empty (prediction sets)
  /// Whether rows are sorted by this column, most remembered first: +1 large is bad, -1 small is
  /// bad, 0 not.
  int worst = 0;
  Control control = Control::none;  ///< filled in by the audit
  bool first = true;                ///< of a group's first model; filled in by the audit
};

struct Measurements {
  std::vector<Row> rows;
  std::vector<SampleColumn> columns;
  std::vector<Series> series;
};

}  // namespace vestige::metrics
