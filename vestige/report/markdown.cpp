// Markdown tables.
#include "vestige/report/markdown.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "vestige/report/escape.h"
#include "vestige/report/json_fields.h"
#include "vestige/report/method_lines.h"
#include "vestige/report/remarks.h"
#include "vestige/report/table_cells.h"

namespace vestige::report {
namespace {

std::string plain(std::string_view text) { return markdown_text(text); }

void add_heading(const Results& results, std::string& out) {
  const Json& evidence = results.evidence;
  const std::string recipe = text_of(results.bench, "recipe");
  out +=
      fmt::format("# Audit of {}\n\n", plain(recipe.empty() ? text_of(evidence, "path") : recipe));
  if (!text_of(evidence, "grade").empty()) {
    out += fmt::format("Grade of evidence **{}**: {}.\n\n", plain(text_of(evidence, "grade")),
                       plain(text_of(evidence, "grade_reason")));
  }
  for (const audit::Verdict& verdict : results.verdicts) {
    out += fmt::format(
        "- **{}**: **{}**; under-forgetting {}, over-forgetting {}, equivalence {}. "
        "{} {}\n",
        plain(verdict.method), audit::name(verdict.word), audit::name(verdict.under),
        audit::name(verdict.over), audit::name(verdict.equivalent), plain(verdict.sentence),
        plain(verdict.cannot));
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

/// Runs of methods that failed, and metrics that rank nobody.
void add_bench(const Json& bench, std::string& out) {
  const Json& runs = list_of(bench, "failed_runs");
  if (!runs.empty())
    out += "## Failed runs\n\n| arm | method | failed | why |\n|---|---|---|---|\n";
  for (const Json& own : runs) {
    out += fmt::format("| {} | {} | {:.0f} of {:.0f} | {} |\n", plain(text_of(own, "arm")),
                       plain(text_of(own, "method")), number_of(own, "failed"),
                       number_of(own, "runs"), plain(text_of(own, "why")));
  }
  if (!runs.empty()) out += "\n";
  const Json& failed = list_of(bench, "failed_controls");
  if (!failed.empty()) out += "## Metrics that failed their own controls\n\n";
  for (const Json& sentence : failed) {
    if (sentence.is_string()) out += fmt::format("- {}\n", plain(sentence.get<std::string>()));
  }
  if (!failed.empty()) out += "\n";
}

void add_all(const std::vector<study::StudyRow>& rows, std::string& out) {
  out += "## Every metric in its main setting\n\n";
  out += "| metric | model | what it is | value | retrained | n | direction | status |\n";
  out += "|---|---|---|---:|---:|---:|---|---|\n";
  const std::vector<study::StudyRow> lines = method_lines(rows);
  for (const Block& block : main_blocks(blocks_of(lines))) {
    for (const study::StudyRow* row : block.rows) {
      const metrics::Row& own = row->row;
      const std::string status = own.note.empty()
                                     ? std::string(metrics::name(own.status))
                                     : fmt::format("{}: {}", metrics::name(own.status), own.note);
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
  add_bench(results.bench, out);
  const Json& findings = list_of(results.bench, "findings");
  if (!findings.empty()) out += "## Findings\n\n";
  for (const Json& finding : findings) {
    out += fmt::format("- **{}**: {} {}\n", plain(text_of(finding, "outcome")),
                       plain(text_of(finding, "finding")), plain(text_of(finding, "sentence")));
  }
  if (!findings.empty()) out += "\n";
  if (!results.remarks.empty()) out += "## What these numbers can bear\n\n";
  for (const RemarkGroup& group : grouped_remarks(results)) {
    if (!group.cause.empty()) out += fmt::format("\n{}:\n\n", plain(group.heading()));
    for (const std::string& text : group.texts) out += fmt::format("- {}\n", plain(text));
  }
  out += "\n";
  if (!results.skipped.empty()) out += "## Not measured\n\n";
  for (const audit::Skipped& skipped : results.skipped) {
    out += fmt::format("- {}: {}\n", plain(skipped.family), plain(skipped.sentence));
  }
  out += "\n";
  add_all(results.rows, out);
  return out;
}

}  // namespace vestige::report
