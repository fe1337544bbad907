// What may be compared with what in an experiment: rows of one metric, measured in one way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vestige/result/study_controls.h"
#include "vestige/study/rows.h"

namespace vestige::study {

/// What a p-value must lie below to count.
inline constexpr double kSignificant = 0.05;

using result::label;
using result::Measure;

Measure measure_of(const StudyRow& row);

/// Whether it was measured in one of the competition's setups: full, reuse-n-n, reuse-n-1,
/// bootstrap. Beside these numbers an audit has those of the whole pool.
bool in_setup(const Measure& measure);

/// The measures of the rows, in the order of their first row. `audits`: only these; empty: all.
/// Without `every_setting` only the first setting of each metric and audit in which a method or a
/// model was measured.
std::vector<Measure> measures(const std::vector<StudyRow>& rows,
                              const std::vector<std::string>& audits = {},
                              bool every_setting = true);

/// Names in the order of their first row.
std::vector<std::string> variants(const std::vector<StudyRow>& rows);
std::vector<std::string> audits(const std::vector<StudyRow>& rows);

/// True for unlearned models, except by identity, collapse and retrain, whose answer is known:
/// these, like original, retrained and partial models, are controls.
bool is_method(const metrics::Subject& subject);
/// Methods of the lab that are no attempts: nothing done (identity), the model destroyed
/// (collapse).
bool is_control_method(std::string_view method);

/// How bad every row is, small is good: direction lower: the value; higher: minus the value; match:
/// distance to the reference, else to the ideal; NaN where undefined. A retrained model, which has
/// no reference, is compared with the next retrained model of its audit (the last with the first):
/// the noise is then the same as for methods, each of which is compared with one retrained model.
std::vector<double> badness(const std::vector<StudyRow>& rows);

}  // namespace vestige::study
