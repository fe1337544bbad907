// Tables of an experiment as files: CSV for programs, LaTeX (booktabs) for papers.
#pragma once

#include <string>
#include <vector>

#include "vestige/result/study.h"

namespace vestige::report {

/// A file to be written.
struct TableFile {
  std::string name;  ///< "controls.csv"
  std::string text;
};

/// methods.csv, controls.csv, comparison.csv, ranks.csv, agreement.csv, variance.csv, findings.csv,
/// failed_runs.csv;
/// undefined is an empty field. Tables without rows have a header line alone.
std::vector<TableFile> study_csv(const result::Study& study);

/// methods.tex, controls.tex, comparison.tex, findings.tex, failed_runs.tex: a longtable each, for
/// \input, values with intervals; the paper needs booktabs and longtable. Values of metrics that
/// failed their controls are in \vestigefailed, which the paper may define; pairs leave them out.
std::vector<TableFile> study_latex(const result::Study& study);

/// main.csv and main.tex: methods by the metrics that overviews show, mean and interval, the best
/// in bold, those that it is shown to beat marked, metrics that failed their controls marked.
std::vector<TableFile> main_tables(const result::Study& study);

/// main.tex with chosen metrics and methods, in that order; empty: as main.tex. Throws if the
/// comparison lacks one of them.
std::string main_table(const result::Study& study, const std::vector<std::string>& metrics,
                       const std::vector<std::string>& methods);

}  // namespace vestige::report
