// samples.csv: one line per row of a split, one column per score.
#pragma once

#include <string>
#include <vector>

#include "vestige/base/file.h"
#include "vestige/evidence/evidence.h"
#include "vestige/metrics/result.h"

namespace vestige::report {

/// Rows of one split, in their order.
struct SampleRows {
  std::string split;
  std::vector<std::size_t> rows;
  std::vector<const metrics::SampleColumn*> scores;  ///< one per name; nullptr: not of this split
};

/// What samples.csv holds, before it is text: a score of several splits is one name.
struct SampleTable {
  std::vector<std::string> names;
  std::vector<SampleRows> splits;  ///< forget first
};

/// It views the columns.
SampleTable sample_table(const std::vector<metrics::SampleColumn>& columns);

/// Columns split, row, id, subject, label, then the scores. Forget rows come first, worst first: by
/// the mean rank over the methods' columns that know which way is bad. Undefined is an empty field.
std::string samples_csv(const evidence::Evidence& evidence,
                        const std::vector<metrics::SampleColumn>& columns);

/// The same text piece by piece: of a million rows it is larger than what was measured.
void write_samples_csv(const evidence::Evidence& evidence,
                       const std::vector<metrics::SampleColumn>& columns, const TextSink& sink);

}  // namespace vestige::report
