// Plain-text tables.
#include "vestige/report/terminal/terminal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "vestige/evidence/probed.h"
#include "vestige/report/blocks.h"
#include "vestige/report/json/json_fields.h"
#include "vestige/report/remarks.h"
#include "vestige/report/tables/table_cells.h"
#include "vestige/study/method_lines.h"
#include "vestige/words/headline.h"
#include "vestige/words/terminal.h"
#include "vestige/words/verdicts.h"
#include "vestige/words/words.h"

namespace vestige::report {
namespace {

using metrics::Control;
using metrics::Row;
using metrics::Status;

std::string interval(const Row& row) {
  if (std::isnan(row.lower) && std::isnan(row.upper)) return "";
  return fmt::format("{} .. {}", table_number(row.lower), table_number(row.upper));
}

/// How wide the columns of a table of numbers are. Beside the name and the interval stand three
/// numbers, their gaps and a mark.
struct Columns {
  std::size_t name = 28;
  std::size_t interval = 24;  ///< 0: it has a line of its own
};

constexpr std::size_t kNumbers = 37;
constexpr std::size_t kShortInterval = 18;  // "-0.1234 .. -0.1234"
constexpr std::size_t kShortName = 20;

Columns columns_of(std::size_t width) {
  const Columns whole;
  if (width >= kNumbers + whole.name + whole.interval) return whole;
  if (width >= kNumbers + kShortName + kShortInterval) {
    return {std::min(whole.name, width - kNumbers - kShortInterval), kShortInterval};
  }
  return {std::min(whole.name, width - std::min(width, kNumbers)), 0};
}

/// Characters of UTF-8 text.
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
  }));
}

/// How many bytes of UTF-8 text make at most `width` characters.
std::size_t bytes_of(const std::string& text, std::size_t width) {
  std::size_t bytes = 0;
  for (std::size_t characters = 0; bytes < text.size(); ++bytes) {
    const bool starts = (static_cast<unsigned char>(text[bytes]) & 0xc0) != 0x80;
    if (starts && ++characters > width) break;
  }
  return bytes;
}

/// A name for the first column. One that is too long has a line of its own, so that names that
/// begin alike stay apart.
std::string first_column(const std::string& name, std::size_t width) {
  const std::size_t room = columns_of(width).name;
  if (columns(name) <= room) return fmt::format("  {:<{}}", name, room);
  return wrap(name, "  ", "  ", width) + std::string(2 + room, ' ');
}

/// Value, interval and what the controls have; an interval that does not fit stands below.
std::string numbers(const std::string& value, const std::string& mark, const std::string& interval,
                    const std::string& retrained, const std::string& original, std::size_t width) {
  const std::size_t room = columns_of(width).interval;
  const bool fits = interval.size() <= room;
  std::string text = fmt::format(" {:>10}{:<1}", value, mark);
  if (room > 0) text += fmt::format(" {:<{}}", fits ? interval : "", room);
  text += fmt::format(" {:>10} {:>10}\n", retrained, original);
  if (!fits) text += fmt::format("      interval {}\n", interval);
  return text;
}

/// Mean over control rows of one kind (one row, unless models are measured one by one).
double control_value(const Block& block, Control control) {
  double sum = 0;
  std::size_t count = 0;
  for (const study::StudyRow* row : block.rows) {
    if (row->row.control != control || std::isnan(row->row.value)) continue;
    sum += row->row.value;
    ++count;
  }
  return count == 0 ? metrics::kUndefined : sum / static_cast<double>(count);
}

std::string method_name(const Row& row) {
  const std::string method = method_of(row);
  return row.subject.name.empty() ? method : method + "/" + row.subject.name;
}

/// True if every model, controls included, has the same value: one line says it all.
bool all_equal(const Block& block) {
  const double first = block.rows.front()->row.value;
  return std::all_of(block.rows.begin(), block.rows.end(), [first](const study::StudyRow* row) {
    return row->row.value == first && row->row.status == Status::ok;
  });
}

void print_row(const Row& row, double retrained, double original, std::size_t width,
               std::ostringstream& out) {
  const std::string mark = row.status == Status::unreliable ? "?" : "";
  const std::string value = row.status == Status::skipped ? "skipped"
                            : std::isnan(row.value)       ? "undefined"
                                                          : table_number(row.value);
  out << first_column(method_name(row), width)
      << numbers(value, mark, interval(row), table_number(retrained), table_number(original),
                 width);
  if (std::isnan(row.value) && !row.notes.empty())
    out << wrap(words::text(row.notes), "      ", "      ", width);
}

void print_block(const Block& block, std::size_t width, std::ostringstream& out) {
  const Row& first = block.rows.front()->row;
  std::string title = fmt::format("{} | {}", block.label(), direction_text(first));
  if (block.rows.size() > 1 && all_equal(block)) {
    out << wrap(fmt::format("{} | {} for every model", title, table_number(first.value)), "",
                "    ", width);
    return;
  }
  if (!first.interval.empty()) title += " | interval: " + words::text(first.interval);
  out << wrap(title, "", "    ", width);
  const bool beside = columns_of(width).interval > 0;
  out << first_column("", width)
      << numbers("value", "", beside ? "interval" : "", "retrained", "original", width);
  const double retrained = control_value(block, Control::retrained);
  const double original = control_value(block, Control::original);
  std::vector<const Row*> models, checkpoints;
  for (const study::StudyRow* row : block.rows) {
    const Control control = row->row.control;
    if (control == Control::retrained || control == Control::original) continue;
    (control == Control::checkpoint ? checkpoints : models).push_back(&row->row);
  }
  for (const Row* row : models) print_row(*row, retrained, original, width, out);
  if (!checkpoints.empty()) out << fmt::format("  {}\n", words::kCheckpointsNote);
  for (const Row* row : checkpoints) print_row(*row, retrained, original, width, out);
  if (!models.empty() || !checkpoints.empty()) return;
  for (const study::StudyRow* row : block.rows) {
    out << first_column(row->row.subject.id(), width)
        << numbers(table_number(row->row.value), "", interval(row->row), "", "", width);
  }
}

/// The first setting of each metric, and the first one with a retrained control where that is
/// another.
std::vector<Block> shown_blocks(const std::vector<Block>& all) {
  std::vector<Block> shown;
  std::map<std::string, bool> has_retrained;
  for (const Block& block : all) {
    const bool retrained = !std::isnan(control_value(block, Control::retrained));
    const auto [place, is_new] = has_retrained.try_emplace(block.metric, retrained);
    if (!is_new && (place->second || !retrained)) continue;
    place->second = retrained;
    shown.push_back(block);
  }
  return shown;
}

void print_findings(const evidence::Findings& findings, std::size_t width,
                    std::ostringstream& out) {
  for (const evidence::Finding& finding : findings) {
    out << wrap(
        fmt::format("{}{}{}: {}", result::name(finding.severity), finding.code.empty() ? "" : " ",
                    finding.code, words::text(evidence::about(finding))),
        "", "    ", width);
  }
}

/// One line per method, then what the evidence cannot show, each sentence once.
void print_verdicts(const std::vector<audit::Verdict>& verdicts, std::size_t width,
                    std::ostringstream& out) {
  if (verdicts.empty()) return;
  out << fmt::format("\n{}\n", words::kVerdictsHeading);
  std::vector<std::string> limits;
  for (const audit::Verdict& verdict : verdicts) {
    out << wrap(words::sentence(verdict), "- ", "  ", width);
    if (std::find(limits.begin(), limits.end(), words::limits(verdict)) == limits.end()) {
      limits.push_back(words::limits(verdict));
    }
  }
  out << fmt::format("{}\n", words::kLimitsHeading);
  for (const std::string& limit : limits) out << wrap(limit, "- ", "  ", width);
}

}  // namespace

std::string table_number(double value) {
  if (std::isnan(value)) return "-";
  if (value == std::floor(value) && std::abs(value) < 1e7) return fmt::format("{:.0f}", value);
  if (std::abs(value) < 1e-3 || std::abs(value) >= 1e5) return fmt::format("{:.2e}", value);
  return fmt::format("{:.4f}", value);
}

std::string one_line(const std::string& text, std::size_t width) {
  if (columns(text) <= width) return text + "\n";
  return text.substr(0, bytes_of(text, width - 3)) + "...\n";
}

std::string wrap(const std::string& text, const std::string& first, const std::string& indent,
                 std::size_t width) {
  std::string result;
  std::string line = first;
  bool fresh = true;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!fresh && columns(line) + 1 + columns(word) > width) {
      result += line + "\n";
      line = indent;
      fresh = true;
    }
    // A word that is longer than a line (a path, for instance) is cut where the line ends.
    while (fresh && columns(line) + columns(word) > width && columns(word) > 1) {
      const std::size_t room = width - std::min(columns(line), width - 1);
      const std::size_t fits = bytes_of(word, room);
      result += line + word.substr(0, fits) + "\n";
      word.erase(0, fits);
      line = indent;
    }
    line += (fresh ? "" : " ") + word;
    fresh = false;
  }
  return result + line + "\n";
}

namespace {

/// Sequences per split of the first language model, by offsets, and rows of losses.
std::string sequence_counts(const evidence::Evidence& evidence) {
  constexpr std::string_view kSuffix = ".offsets";
  std::string counts;
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      for (const auto& [key, array] : model.tokens) {
        const std::string split = key.substr(0, key.size() - std::min(key.size(), kSuffix.size()));
        if (!key.ends_with(kSuffix) || array.size() == 0) continue;
        // Lower-cased texts and other answers are no splits of their own.
        if (split.ends_with(".lower") || split.ends_with(".paraphrased") ||
            split.ends_with(".perturbed")) {
          continue;
        }
        counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", split, array.size() - 1);
      }
      for (const auto& [split, array] : model.losses) {
        if (model.tokens.count(split + kSuffix.data()) > 0) continue;
        if (split.ends_with(".paraphrased") || split.ends_with(".perturbed")) continue;
        counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", split, array.rows());
      }
      if (!counts.empty()) return counts;
    }
  }
  return counts;
}

}  // namespace

std::string evidence_summary(const evidence::Evidence& evidence) {
  words::Holding held{.recovery_tests =
                          fmt::format("{}", fmt::join(evidence::probes(evidence), ", "))};
  for (const evidence::Group& group : evidence.groups) {
    if (group.role == evidence::kProbed) {
      held.recovered += group.models.size();
      continue;
    }
    held.models +=
        fmt::format("{}{} x {}", held.models.empty() ? "" : ", ", group.id(), group.models.size());
  }
  const std::string prefix = "choices.";
  for (const auto& [split, labels] : evidence.labels) {
    if (!split.starts_with(prefix)) continue;
    held.questions += fmt::format("{}{} {}", held.questions.empty() ? "" : ", ",
                                  split.substr(prefix.size()), labels.size());
  }
  const std::string sequences = sequence_counts(evidence);
  if (evidence.classes == 0 && !sequences.empty()) {
    held.examples = sequences;
    return words::holding(held);
  }
  for (const auto& [split, labels] : evidence.labels) {
    if (split.starts_with(prefix)) continue;
    held.examples +=
        fmt::format("{}{} {}", held.examples.empty() ? "" : ", ", split, labels.size());
  }
  held.classes = evidence.classes;
  held.kind = evidence::name(evidence.kind);
  held.declared = evidence.kind_declared;
  return words::holding(held);
}

namespace {

void print_grade(const Results& results, std::size_t width, std::ostringstream& out) {
  out << wrap(words::evidence_quality(text_of(results.evidence, "grade"),
                                      text_of(results.evidence, "grade_reason")),
              "", "    ", width);
}

/// Verdicts, blocks of numbers, remarks and what was not measured.
void print_results(const Results& results, bool full, std::size_t width, std::ostringstream& out) {
  print_verdicts(results.verdicts, width, out);
  bool unreliable = false;
  const std::vector<study::StudyRow> rows = full ? results.rows : method_lines(results.rows);
  const std::vector<Block> all = blocks_of(rows);
  const std::vector<Block> shown = full ? all : shown_blocks(all);
  for (const Block& block : shown) {
    out << "\n";
    print_block(block, width, out);
    for (const study::StudyRow* row : block.rows) {
      unreliable = unreliable || row->row.status == Status::unreliable;
    }
  }
  if (shown.size() < all.size()) {
    out << fmt::format("\n{}\n", words::more_settings(all.size() - shown.size()));
  }
  if (unreliable) out << fmt::format("\n{}\n", words::kUnreliableNote);
  if (!results.remarks.empty()) out << fmt::format("\n{}\n", words::kRemarksHeading);
  for (const RemarkGroup& group : grouped_remarks(results)) {
    if (group.cause != result::Cause::other) out << wrap(group.heading(), "", "  ", width);
    for (const std::string& text : group.texts) out << wrap(text, "- ", "  ", width);
  }
  if (!results.skipped.empty()) out << fmt::format("\n{}\n", words::kNotMeasuredHeading);
  for (const result::Skipped& skipped : results.skipped) {
    out << wrap(fmt::format("{}: {}", skipped.group, words::text(skipped.reason)), "- ", "  ",
                width);
  }
}

}  // namespace

std::string audit_table(const evidence::Evidence& evidence, const evidence::Findings& findings,
                        const Results& results, bool full, std::size_t width) {
  std::ostringstream out;
  out << wrap(evidence_summary(evidence), "", "    ", width);
  print_grade(results, width, out);
  print_findings(findings, width, out);
  print_results(results, full, width, out);
  return out.str();
}

std::string results_table(const Results& results, bool full, std::size_t width) {
  std::ostringstream out;
  print_grade(results, width, out);
  print_results(results, full, width, out);
  return out.str();
}

std::string support_text(const audit::FamilySupport& line) {
  result::Reasons reasons;
  for (const result::Reason& reason : {line.support.reason, line.cost}) {
    if (!reason.empty()) reasons.push_back(reason);
  }
  return words::text(reasons);
}

std::string inspect_text(const evidence::Evidence& evidence, const evidence::Findings& findings,
                         const std::vector<audit::FamilySupport>& support, const std::string& power,
                         std::size_t width) {
  std::ostringstream out;
  out << wrap(evidence_summary(evidence), "", "    ", width);
  const result::Grade grade = audit::evidence_quality(evidence);
  out << wrap(words::evidence_quality(std::string(1, grade.letter), words::text(grade.reason)), "",
              "    ", width);
  if (!power.empty()) out << wrap("verdicts: " + power, "", "    ", width);
  out << "\n";
  print_findings(findings, width, out);
  out << fmt::format(
      "{}\n\n", words::errors_and_warnings(evidence::count(findings, evidence::Severity::error),
                                           evidence::count(findings, evidence::Severity::warning)));
  out << fmt::format("{:<12} {:<5} {}\n", "group", "", words::kSupportHeading);
  for (const audit::FamilySupport& line : support) {
    const std::string said = support_text(line);
    const std::string text = said.empty() ? line.summary : said;
    out << wrap(text,
                fmt::format("{:<12} {:<5} ", line.family, line.support.supported ? "yes" : "no"),
                std::string(19, ' '), width);
  }
  return out.str();
}

}  // namespace vestige::report
