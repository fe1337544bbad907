// LaTeX tables with booktabs.
#include "vestige/report/latex.h"

#include <fmt/format.h>

#include <cmath>

#include "vestige/report/read_results.h"
#include "vestige/report/table_cells.h"

namespace vestige::report {
namespace {

void add_headline(const std::vector<study::StudyRow>& rows, std::string& out) {
  const HeadlineTable table = headline_table(rows);
  if (table.columns.empty()) return;
  out += fmt::format("\\begin{{tabular}}{{ll{}}}\n\\toprule\nmodel & role",
                     std::string(table.columns.size(), 'r'));
  for (const Block& block : table.columns) out += " & " + latex_text(block.label());
  out += " \\\\\n &";
  for (const Block& block : table.columns) {
    out += fmt::format(" & {{\\footnotesize {}}}",
                       latex_text(direction_text(block.rows.front()->row)));
  }
  out += " \\\\\n\\midrule\n";
  for (const TableLine& line : table.lines) {
    out += fmt::format("{} & {}", latex_text(line.name), latex_text(line.role));
    for (const Cell& cell : line.cells) {
      std::string text = latex_text(cell.text);
      if (cell.unreliable) text = fmt::format("\\textit{{{}}}", text);
      if (cell.reason > 0) text += fmt::format("$^{{{}}}$", cell.reason);
      out += " & " + text;
    }
    out += " \\\\\n";
  }
  out += "\\bottomrule\n\\end{tabular}\n\n";
  if (table.reasons.empty()) return;
  out += "\\par\\footnotesize Values in italics are unreliable.\n";
  for (std::size_t i = 0; i < table.reasons.size(); ++i) {
    out += fmt::format("$^{{{}}}$ {}\n", i + 1, latex_text(table.reasons[i]));
  }
  out += "\\par\\normalsize\n\n";
}

void add_all(const std::vector<study::StudyRow>& rows, std::string& out) {
  out += "\\begin{longtable}{llrrrl}\n\\toprule\n";
  out += "metric & model & value & retrained & n & status \\\\\n\\midrule\n\\endhead\n";
  for (const Block& block : main_blocks(blocks_of(rows))) {
    for (const study::StudyRow* row : block.rows) {
      const metrics::Row& own = row->row;
      out += fmt::format("{} & {} & {} & {} & {} & {} \\\\\n", latex_text(block.label()),
                         latex_text(own.model), latex_text(value_text(own)),
                         std::isnan(own.reference) ? "" : short_number(own.reference), own.n,
                         metrics::name(own.status));
    }
  }
  out += "\\bottomrule\n\\end{longtable}\n";
}

}  // namespace

std::string latex_text(std::string_view text) {
  std::string safe;
  for (const char character : text) {
    switch (character) {
      case '\\':
        safe += "\\textbackslash{}";
        break;
      case '~':
        safe += "\\textasciitilde{}";
        break;
      case '^':
        safe += "\\textasciicircum{}";
        break;
      case '<':
        safe += "\\textless{}";
        break;
      case '>':
        safe += "\\textgreater{}";
        break;
      case '{':
      case '}':
      case '$':
      case '&':
      case '#':
      case '_':
      case '%':
        safe += '\\';
        safe += character;
        break;
      case '\n':
      case '\r':
        safe += ' ';
        break;
      default:
        safe += character;
    }
  }
  return safe;
}

std::string latex(const Json& results) {
  check_results(results, "the results");
  const std::vector<study::StudyRow> rows = rows_of(results);
  std::string out = "% Made by vestige report; \\usepackage{booktabs,longtable}\n";
  add_headline(rows, out);
  add_all(rows, out);
  return out;
}

}  // namespace vestige::report
