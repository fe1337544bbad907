// Markdown tables.
#include "vestige/report/markdown.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "vestige/report/read_results.h"
#include "vestige/report/table_cells.h"

namespace vestige::report {
namespace {

/// Text that stays text: in a table cell, and where HTML is allowed.
std::string plain(std::string_view text) {
  std::string safe;
  for (const char character : text) {
    switch (character) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      case '\n':
      case '\r':
        safe += ' ';
        break;
      case '|':
      case '*':
      case '_':
      case '`':
      case '[':
      case ']':
      case '\\':
      case '#':
        safe += '\\';
        safe += character;
        break;
      default:
        safe += character;
    }
  }
  return safe;
}

void add_heading(const Json& results, std::string& out) {
  const Json& evidence = list_of(results, "evidence");
  const std::string recipe = text_of(list_of(results, "bench"), "recipe");
  out +=
      fmt::format("# Audit of {}\n\n", plain(recipe.empty() ? text_of(evidence, "path") : recipe));
  if (!text_of(evidence, "grade").empty()) {
    out += fmt::format("Grade of evidence **{}**: {}.\n\n", plain(text_of(evidence, "grade")),
                       plain(text_of(evidence, "grade_reason")));
  }
  for (const Json& verdict : list_of(results, "verdicts")) {
    out += fmt::format("- **{}**: under-forgetting {}, over-forgetting {}, equivalence {}. {} {}\n",
                       plain(text_of(verdict, "method")), plain(text_of(verdict, "under")),
                       plain(text_of(verdict, "over")), plain(text_of(verdict, "equivalent")),
                       plain(text_of(verdict, "sentence")), plain(text_of(verdict, "cannot")));
  }
  if (!list_of(results, "verdicts").empty()) out += "\n";
}

void add_headline(const std::vector<study::StudyRow>& rows, std::string& out) {
  const HeadlineTable table = headline_table(rows);
  if (table.columns.empty()) return;
  out += "## Methods\n\n| model | what it is |";
  std::string rule = "\n|---|---|";
  for (const Block& block : table.columns) {
    out += fmt::format(" {} ({}) |", plain(block.label()),
                       plain(direction_text(block.rows.front()->row)));
    rule += "---:|";
  }
  out += rule + "\n";
  for (const TableLine& line : table.lines) {
    out += fmt::format("| {} | {} |", plain(line.name), plain(line.role));
    for (const Cell& cell : line.cells) {
      std::string text = plain(cell.text);
      if (cell.unreliable) text += " unreliable";
      if (cell.reason > 0) text += fmt::format(" ({})", cell.reason);
      out += fmt::format(" {} |", text);
    }
    out += "\n";
  }
  out += "\n";
  for (std::size_t i = 0; i < table.reasons.size(); ++i) {
    out += fmt::format("{}. {}\n", i + 1, plain(table.reasons[i]));
  }
  if (!table.reasons.empty()) out += "\n";
}

void add_all(const std::vector<study::StudyRow>& rows, std::string& out) {
  out += "## Every metric in its main setting\n\n";
  out += "| metric | model | value | retrained | n | direction | status |\n";
  out += "|---|---|---:|---:|---:|---|---|\n";
  for (const Block& block : main_blocks(blocks_of(rows))) {
    for (const study::StudyRow* row : block.rows) {
      const metrics::Row& own = row->row;
      const std::string status = own.note.empty()
                                     ? std::string(metrics::name(own.status))
                                     : fmt::format("{}: {}", metrics::name(own.status), own.note);
      out += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", plain(block.label()),
                         plain(own.model), plain(value_text(own)),
                         std::isnan(own.reference) ? "" : short_number(own.reference), own.n,
                         plain(direction_text(own)), plain(status));
    }
  }
}

}  // namespace

std::string markdown(const Json& results) {
  check_results(results, "the results");
  const std::vector<study::StudyRow> rows = rows_of(results);
  std::string out;
  add_heading(results, out);
  add_headline(rows, out);
  const Json& findings = list_of(list_of(results, "bench"), "findings");
  if (!findings.empty()) out += "## Findings\n\n";
  for (const Json& finding : findings) {
    out += fmt::format("- **{}**: {} {}\n", plain(text_of(finding, "outcome")),
                       plain(text_of(finding, "finding")), plain(text_of(finding, "sentence")));
  }
  if (!findings.empty()) out += "\n";
  if (!list_of(results, "remarks").empty()) out += "## What these numbers can bear\n\n";
  for (const Json& remark : list_of(results, "remarks")) {
    if (remark.is_string()) out += fmt::format("- {}\n", plain(remark.get<std::string>()));
  }
  out += "\n";
  if (!list_of(results, "skipped").empty()) out += "## Not measured\n\n";
  for (const Json& skipped : list_of(results, "skipped")) {
    out += fmt::format("- {}: {}\n", plain(text_of(skipped, "family")),
                       plain(text_of(skipped, "missing")));
  }
  out += "\n";
  add_all(rows, out);
  return out;
}

}  // namespace vestige::report
