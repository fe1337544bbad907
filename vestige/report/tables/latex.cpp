// LaTeX tables with booktabs.
#include "vestige/report/tables/latex.h"

#include <fmt/format.h>

#include <cmath>

#include "vestige/report/page/escape.h"
#include "vestige/report/tables/table_cells.h"
#include "vestige/study/method_lines.h"
#include "vestige/words/terminal.h"
#include "vestige/words/verdicts.h"
#include "vestige/words/words.h"

namespace vestige::report {
namespace {

void table_lines(const std::vector<TableLine>& lines, std::string& out) {
  for (const TableLine& line : lines) {
    out += fmt::format("{} & {}", latex_text(line.name), latex_text(line.role));
    for (const Cell& cell : line.cells) {
      std::string text = latex_text(cell.text);
      if (cell.unreliable) text = fmt::format("\\textit{{{}}}", text);
      if (cell.reason > 0) text += fmt::format("$^{{{}}}$", cell.reason);
      out += " & " + text;
    }
    out += " \\\\\n";
  }
}

void headline_tabular(const std::vector<study::StudyRow>& rows, std::string& out) {
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
  table_lines(table.lines, out);
  if (!table.checkpoints.empty()) {
    out += fmt::format("\\midrule\n\\multicolumn{{{}}}{{l}}{{\\textit{{Checkpoints}}}} \\\\\n",
                       table.columns.size() + 2);
    table_lines(table.checkpoints, out);
  }
  out += "\\bottomrule\n\\end{tabular}\n\n";
  if (table.reasons.empty()) return;
  out += fmt::format("\\par\\footnotesize {}\n", words::kItalicsNote);
  for (std::size_t i = 0; i < table.reasons.size(); ++i) {
    out += fmt::format("$^{{{}}}$ {}\n", i + 1, latex_text(table.reasons[i]));
  }
  out += "\\par\\normalsize\n\n";
}

void verdict_tabular(const std::vector<audit::Verdict>& verdicts, std::string& out) {
  if (verdicts.empty()) return;
  out += "\\begin{tabular}{llp{0.6\\linewidth}}\n\\toprule\n";
  out += "method & verdict & reason \\\\\n\\midrule\n";
  for (const audit::Verdict& verdict : verdicts) {
    const std::string variant = verdict.variant.empty() ? "" : " (" + verdict.variant + ")";
    out += fmt::format("{} & {} & {} \\\\\n", latex_text(verdict.method + variant),
                       words::word(verdict.word), latex_text(words::why(verdict)));
  }
  out += "\\bottomrule\n\\end{tabular}\n\n";
}

/// Runs of methods that failed: the tables show the others.
void failed_runs_tabular(const std::vector<result::FailedRuns>& runs, std::string& out) {
  if (runs.empty()) return;
  out +=
      "\\begin{tabular}{llrl}\n\\toprule\nvariant & method & failed runs & why \\\\\n\\midrule\n";
  for (const result::FailedRuns& own : runs) {
    out +=
        fmt::format("{} & {} & {} of {} & {} \\\\\n", latex_text(own.variant),
                    latex_text(own.method), own.failed, own.runs, latex_text(words::text(own.why)));
  }
  out += "\\bottomrule\n\\end{tabular}\n\n";
}

void every_metric(const std::vector<study::StudyRow>& rows, std::string& out) {
  out += "\\begin{longtable}{lllrrrl}\n\\toprule\n";
  out += "metric & model & role & value & retrained & n & status \\\\\n\\midrule\n\\endhead\n";
  const std::vector<study::StudyRow> lines = method_lines(rows);
  for (const Block& block : main_blocks(blocks_of(lines))) {
    for (const study::StudyRow* row : block.rows) {
      const metrics::Row& own = row->row;
      out += fmt::format("{} & {} & {} & {} & {} & {} & {} \\\\\n", latex_text(block.label()),
                         latex_text(own.subject.id()), latex_text(role_of(own.control)),
                         latex_text(value_text(own)),
                         std::isnan(own.reference) ? "" : short_number(own.reference), own.n,
                         metrics::name(own.status));
    }
  }
  out += "\\bottomrule\n\\end{longtable}\n";
}

}  // namespace

std::string latex(const Results& results) {
  std::string out = "% Made by vestige report; \\usepackage{booktabs,longtable}\n";
  verdict_tabular(results.verdicts, out);
  headline_tabular(results.rows, out);
  if (results.bench) failed_runs_tabular(results.bench->study.failed_runs, out);
  every_metric(results.rows, out);
  return out;
}

}  // namespace vestige::report
