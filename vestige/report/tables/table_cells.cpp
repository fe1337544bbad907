// Values, ranges and reasons.
#include "vestige/report/tables/table_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/words/words.h"

namespace vestige::report {
namespace {

using metrics::Status;
using study::StudyRow;

std::size_t reason_number(const std::string& reason, std::vector<std::string>& reasons) {
  if (reason.empty()) return 0;
  const auto found = std::find(reasons.begin(), reasons.end(), reason);
  if (found != reasons.end()) return static_cast<std::size_t>(found - reasons.begin()) + 1;
  reasons.push_back(reason);
  return reasons.size();
}

Cell cell_of(const std::vector<const StudyRow*>& rows, std::vector<std::string>& reasons) {
  Cell cell;
  if (rows.empty()) return cell;
  double low = metrics::kUndefined, high = metrics::kUndefined;
  for (const StudyRow* row : rows) {
    const metrics::Row& own = row->row;
    cell.unreliable = cell.unreliable || own.status == Status::unreliable;
    const bool explain = own.status != Status::ok && cell.reason == 0;
    if (explain) cell.reason = reason_number(own.metric + ": " + words::text(own.notes), reasons);
    if (std::isnan(own.value)) continue;
    low = std::isnan(low) ? own.value : std::min(low, own.value);
    high = std::isnan(high) ? own.value : std::max(high, own.value);
  }
  cell.text = rows.size() == 1  ? value_text(rows.front()->row)
              : std::isnan(low) ? "undefined"
                                : fmt::format("{} to {} ({} values)", short_number(low),
                                              short_number(high), rows.size());
  return cell;
}

bool is_graded(const std::string& method, const std::vector<Block>& blocks) {
  for (const Block& block : blocks) {
    for (const StudyRow* row : block.rows) {
      if (method_of(row->row) == method) return row->row.control == metrics::Control::graded;
    }
  }
  return false;
}

}  // namespace

std::string value_text(const metrics::Row& row) {
  if (row.status == Status::skipped) return "skipped";
  if (std::isnan(row.value)) return "undefined";
  if (std::isnan(row.lower) || std::isnan(row.upper)) return short_number(row.value);
  return fmt::format("{} ({} to {})", short_number(row.value), short_number(row.lower),
                     short_number(row.upper));
}

std::string direction_text(const metrics::Row& row) {
  std::string text = row.direction == metrics::Direction::match
                         ? std::string("should match retrained")
                         : fmt::format("{} is better", metrics::name(row.direction));
  if (!std::isnan(row.ideal)) text += fmt::format(", ideal {:g}", row.ideal);
  return text;
}

HeadlineTable headline_table(const std::vector<StudyRow>& rows) {
  HeadlineTable table;
  table.columns = headline_blocks(blocks_of(rows));
  for (const std::string& method : method_order(table.columns)) {
    if (is_graded(method, table.columns)) continue;  // these judge metrics, not methods
    TableLine line{method, "", {}};
    metrics::Control control = metrics::Control::none;
    for (const Block& block : table.columns) {
      std::vector<const StudyRow*> own;
      for (const StudyRow* row : block.rows) {
        if (method_of(row->row) == method) own.push_back(row);
      }
      if (!own.empty()) control = own.front()->row.control;
      line.cells.push_back(cell_of(own, table.reasons));
    }
    line.role = role_of(control);
    const bool checkpoint = control == metrics::Control::checkpoint;
    (checkpoint ? table.checkpoints : table.lines).push_back(std::move(line));
  }
  return table;
}

}  // namespace vestige::report
