// The table of methods by headline metrics, as cells that LaTeX and Markdown only have to dress.
#pragma once

#include <string>
#include <vector>

#include "vestige/report/blocks.h"

namespace vestige::report {

struct Cell {
  std::string text;  ///< "0.61 (0.55 to 0.67)", "0.5 to 0.7 (4 models)", "undefined", ""
  bool unreliable = false;
  std::size_t reason = 0;  ///< 1 + index into `reasons`; 0: none
};

struct TableLine {
  std::string name;
  std::string role;  ///< "method", "retrained", ...
  std::vector<Cell> cells;
};

struct HeadlineTable {
  std::vector<Block> columns;
  std::vector<TableLine> lines;
  std::vector<TableLine> checkpoints;  ///< models on the way, which answer nothing
  std::vector<std::string> reasons;    ///< why values are undefined or unreliable
};

/// `rows` must outlive the table. Several models of a method are shown as the range of their
/// values: a report computes no statistic.
HeadlineTable headline_table(const std::vector<study::StudyRow>& rows);

/// "lower is better, ideal 0", "should match retrained".
std::string direction_text(const metrics::Row& row);

/// "0.61 (0.55 to 0.67)"; "undefined" for NaN.
std::string value_text(const metrics::Row& row);

}  // namespace vestige::report
