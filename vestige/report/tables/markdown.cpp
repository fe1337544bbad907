// Markdown tables.
#include "vestige/report/tables/markdown.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "vestige/report/json/json_fields.h"
#include "vestige/report/page/escape.h"
#include "vestige/report/remarks.h"
#include "vestige/report/tables/table_cells.h"
#include "vestige/study/method_lines.h"
#include "vestige/words/headline.h"
#include "vestige/words/study_views.h"
#include "vestige/words/terminal.h"
#include "vestige/words/verdicts.h"
#include "vestige/words/words.h"

namespace vestige::report {
namespace {

std::string plain(std::string_view text) { return markdown_text(text); }

void add_heading(const Results& results, std::string& out) {
  const Json& evidence = results.evidence;
  const std::string recipe = results.bench ? results.bench->recipe : "";
  out +=
      fmt::format("# Audit of {}\n\n", plain(recipe.empty() ? text_of(evidence, "path") : recipe));
  if (!text_of(evidence, "grade").empty()) {
    out += fmt::format("{}\n\n", plain(words::evidence_quality(text_of(evidence, "grade"),
                                                               text_of(evidence, "grade_reason"))));
  }
  for (const audit::Verdict& verdict : results.verdicts) {
    out += fmt::format(
        "- **{}**: **{}**; {}. {} {}\n", plain(verdict.method), words::word(verdict.word),
        words::answers(words::outcome(verdict.under), words::outcome(verdict.over),
                       words::outcome(verdict.equivalent)),
        plain(words::as_sentence(words::body(verdict))), plain(words::limits(verdict)));
  }
  if (!results.verdicts.empty()) out += "\n";
}

/// A table of models by the columns of `table`.
void add_table(const char* title, const HeadlineTable& table, const std::vector<TableLine>& lines,
               std::string& out) {
  out += fmt::format("## {}\n\n| model | what it is |", title);
  std::string rule = "\n|---|---|";
  for (const Block& block : table.columns) {
    out += fmt::format(" {} ({}) |", plain(block.label()),
                       plain(direction_text(block.rows.front()->row)));
    rule += "---:|";
  }
  out += rule + "\n";
  for (const TableLine& line : lines) {
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
}

void add_headline(const std::vector<study::StudyRow>& rows, std::string& out) {
  const HeadlineTable table = headline_table(rows);
  if (table.columns.empty()) return;
  add_table("Methods", table, table.lines, out);
  if (!table.checkpoints.empty()) add_table("Checkpoints", table, table.checkpoints, out);
  for (std::size_t i = 0; i < table.reasons.size(); ++i) {
    out += fmt::format("{}. {}\n", i + 1, plain(table.reasons[i]));
  }
  if (!table.reasons.empty()) out += "\n";
}

/// Runs of methods that failed, metrics that rank nobody, and findings.
void add_study(const result::Study& study, std::string& out) {
  if (!study.failed_runs.empty()) {
    out += "## Failed runs\n\n| variant | method | failed | why |\n|---|---|---|---|\n";
    for (const result::FailedRuns& own : study.failed_runs) {
      out += fmt::format("| {} | {} | {} of {} | {} |\n", plain(own.variant), plain(own.method),
                         own.failed, own.runs, plain(words::text(own.why)));
    }
    out += "\n";
  }
  if (!study.failed.empty()) {
    out += fmt::format("## {}\n\n", words::kFailedControlsHeading);
    for (const result::Reason& own : study.failed) {
      out += fmt::format("- {}\n", plain(words::text(own)));
    }
    out += "\n";
  }
  if (study.findings.empty()) return;
  out += "## Findings\n\n";
  for (const result::CheckResult& finding : study.findings) {
    out += fmt::format("- **{}**: {} {}\n", result::name(finding.outcome), plain(finding.finding),
                       plain(words::text(finding.reasons)));
  }
  out += "\n";
}

void add_all(const std::vector<study::StudyRow>& rows, std::string& out) {
  out += fmt::format("## {}\n\n", words::kAllMetricsHeading);
  out += "| metric | model | what it is | value | retrained | n | direction | status |\n";
  out += "|---|---|---|---:|---:|---:|---|---|\n";
  const std::vector<study::StudyRow> lines = method_lines(rows);
  for (const Block& block : main_blocks(blocks_of(lines))) {
    for (const study::StudyRow* row : block.rows) {
      const metrics::Row& own = row->row;
      const std::string status =
          own.notes.empty()
              ? std::string(metrics::name(own.status))
              : fmt::format("{}: {}", metrics::name(own.status), words::text(own.notes));
      out +=
          fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", plain(block.label()),
                      plain(own.subject.id()), plain(role_of(own.control)), plain(value_text(own)),
                      std::isnan(own.reference) ? "" : short_number(own.reference), own.n,
                      plain(direction_text(own)), plain(status));
    }
  }
}

}  // namespace

std::string markdown(const Results& results) {
  std::string out;
  add_heading(results, out);
  add_headline(results.rows, out);
  if (results.bench) add_study(results.bench->study, out);
  if (!results.remarks.empty()) out += fmt::format("## {}\n\n", words::kRemarksHeading);
  for (const RemarkGroup& group : grouped_remarks(results)) {
    if (group.cause != result::Cause::other)
      out += fmt::format("\n{}:\n\n", plain(group.heading()));
    for (const std::string& text : group.texts) out += fmt::format("- {}\n", plain(text));
  }
  out += "\n";
  if (!results.skipped.empty()) out += fmt::format("## {}\n\n", words::kNotMeasuredHeading);
  for (const result::Skipped& skipped : results.skipped) {
    out += fmt::format("- {}: {}\n", plain(skipped.group), plain(words::text(skipped.reason)));
  }
  out += "\n";
  add_all(results.rows, out);
  return out;
}

}  // namespace vestige::report
