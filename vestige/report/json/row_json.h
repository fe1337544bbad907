// The only place that writes and reads rows: docs/reference/audit-output.md has the fields.
#pragma once

#include "vestige/base/json.h"
#include "vestige/metrics/result.h"
#include "vestige/study/rows.h"

namespace vestige::report {

/// The schema that this program writes.
inline constexpr int kSchema = 3;
/// The oldest that it reads. Schema 2 has texts where schema 3 has reasons; schema 1 also `model`
/// for subject, `params` for settings and facts, and earlier ids.
inline constexpr int kOldestSchema = 1;

Json subject_json(const metrics::Subject& subject);
/// From {"role", "method", "name"}; of schema 1 from the text under "model" of `owner`.
metrics::Subject subject_of(const Json& owner, int schema);

/// What an id, or the beginning of ids, is called now.
std::string current_id(const std::string& id, int schema);

/// The fields of a row; `of_experiment`: also where in the experiment it stands.
Json row_json(const study::StudyRow& row, bool of_experiment);

/// The row that was written; its terms are not in the file. Absent fields are undefined; InputError
/// for a word that is not known and for a row without metric or subject.
study::StudyRow row_of(const Json& json, int schema = kSchema);

}  // namespace vestige::report
