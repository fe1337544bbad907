// Methods by metrics in LaTeX.
#include "vestige/report/tables/paper_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "vestige/base/error.h"
#include "vestige/base/text.h"
#include "vestige/metrics/family.h"
#include "vestige/report/blocks.h"
#include "vestige/report/page/escape.h"
#include "vestige/report/tables/study_tables.h"
#include "vestige/study/method_lines.h"
#include "vestige/words/terminal.h"

namespace vestige::report {
namespace {

using metrics::Control;
using metrics::Row;

/// The block of each metric that was asked for; without a wish the headline metrics.
std::vector<Block> columns_of(const std::vector<study::StudyRow>& rows, const PaperChoice& choice) {
  const std::vector<Block> all = blocks_of(rows);
  if (choice.metrics.empty()) return headline_blocks(all);
  const std::vector<Block> main = main_blocks(all);
  std::vector<Block> chosen;
  for (const std::string& asked : choice.metrics) {
    const auto found = std::find_if(main.begin(), main.end(),
                                    [&](const Block& block) { return block.metric == asked; });
    if (found == main.end()) {
      std::vector<std::string> known;
      for (const Block& block : main) known.push_back(block.metric);
      fail("--metrics {}: these results have no such metric: did you mean '{}'?", asked,
           nearest(asked, known));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

bool is_reference(Control control) {
  return control == Control::retrained || control == Control::original;
}

/// Retrained, methods in the order asked for, original.
std::vector<std::string> lines_of(const std::vector<Block>& columns, const PaperChoice& choice) {
  std::vector<std::string> retrained, methods, original;
  for (const std::string& method : method_order(columns)) {
    Control control = Control::none;
    for (const Block& block : columns) {
      for (const study::StudyRow* row : block.rows) {
        if (method_of(row->row) == method) control = row->row.control;
      }
    }
    if (control == Control::retrained) retrained.push_back(method);
    if (control == Control::original) original.push_back(method);
    if (control == Control::none) methods.push_back(method);
  }
  for (const std::string& asked : choice.methods) {
    require(std::find(methods.begin(), methods.end(), asked) != methods.end(),
            "--methods {}: these results have no such method: did you mean '{}'?", asked,
            nearest(asked, methods));
  }
  if (!choice.methods.empty()) methods = choice.methods;
  retrained.insert(retrained.end(), methods.begin(), methods.end());
  retrained.insert(retrained.end(), original.begin(), original.end());
  return retrained;
}

const Row* row_of(const Block& block, const std::string& method) {
  for (const study::StudyRow* row : block.rows) {
    if (method_of(row->row) == method) return &row->row;
  }
  return nullptr;
}

/// How far a value is from the best that it could be; NaN where that is not known.
double loss_of(const Row& row) {
  switch (row.direction) {
    case metrics::Direction::lower:
      return row.value;
    case metrics::Direction::higher:
      return -row.value;
    case metrics::Direction::match:
      return std::abs(row.value - row.reference);
  }
  return metrics::kUndefined;
}

/// Methods whose numbers are no achievement: a copy of a retrained model, noise or a constant
/// answer can be nearest to retrained.
struct Doubtful {
  std::set<std::string> idle;      ///< hardly changed the model
  std::set<std::string> unjudged;  ///< NOT TESTED or COLLAPSED
};

Doubtful doubtful_of(const Results& results) {
  Doubtful doubtful;
  for (const audit::Verdict& verdict : results.verdicts) {
    if (verdict.hardly_changed) doubtful.idle.insert(verdict.method);
    if (verdict.word == audit::Word::not_tested || verdict.word == audit::Word::collapsed) {
      doubtful.unjudged.insert(verdict.method);
    }
  }
  return doubtful;
}

std::string best_of(const Block& block, const std::vector<std::string>& methods,
                    const Doubtful& doubtful) {
  std::string best;
  double least = metrics::kUndefined;
  for (const std::string& method : methods) {
    const Row* row = row_of(block, method);
    if (row == nullptr || row->control != Control::none) continue;
    if (doubtful.idle.count(method) + doubtful.unjudged.count(method) > 0) continue;
    if (row->status != metrics::Status::ok) continue;
    const double loss = loss_of(*row);
    if (std::isnan(loss) || loss >= least) continue;
    least = loss;
    best = method;
  }
  return best;
}

std::string cell(const Row* row, bool best, bool interval) {
  if (row == nullptr || std::isnan(row->value)) return "--";
  std::string text = short_number(row->value);
  if (best) text = fmt::format("\\textbf{{{}}}", text);
  if (interval && !std::isnan(row->lower) && !std::isnan(row->upper)) {
    text += fmt::format(" [{}, {}]", short_number(row->lower), short_number(row->upper));
  }
  if (row->status == metrics::Status::unreliable) text = fmt::format("\\textit{{{}}}?", text);
  return text;
}

std::string heading(const Block& block) {
  const metrics::MetricInfo* info = metrics::find_metric(block.metric);
  if (info == nullptr) return block.metric;
  return std::string(info->brief.empty() ? info->name : info->brief);
}

/// "$\\uparrow$": higher is better; nothing where a value should match that of retrained models.
std::string_view arrow(const Block& block) {
  switch (block.rows.front()->row.direction) {
    case metrics::Direction::lower:
      return " $\\downarrow$";
    case metrics::Direction::higher:
      return " $\\uparrow$";
    case metrics::Direction::match:
      break;
  }
  return "";
}

std::string audit_tabular(const Results& results, const PaperChoice& choice) {
  const std::vector<study::StudyRow> rows = study::method_lines(results.rows);
  const std::vector<Block> columns = columns_of(rows, choice);
  require(!columns.empty(), "--latex: these results have no metric for a table of methods");
  const std::vector<std::string> lines = lines_of(columns, choice);
  const Doubtful doubtful = doubtful_of(results);
  std::string text =
      fmt::format("% needs \\usepackage{{booktabs}}\n% {}\n", words::kPaperTableNote);
  text +=
      fmt::format("\\begin{{tabular}}{{l{}}}\n\\toprule\nmethod", std::string(columns.size(), 'r'));
  std::vector<std::string> best;
  for (const Block& block : columns) {
    text += " & " + latex_text(heading(block)) + std::string(arrow(block));
    best.push_back(best_of(block, lines, doubtful));
  }
  text += " \\\\\n\\midrule\n";
  for (const std::string& method : lines) {
    const Row* first = row_of(columns.front(), method);
    const bool reference = first != nullptr && is_reference(first->control);
    text += reference ? fmt::format("\\emph{{{}}}", latex_text(method)) : latex_text(method);
    if (doubtful.idle.count(method) > 0) text += "$^{\\dagger}$";
    if (doubtful.unjudged.count(method) > 0) text += "$^{\\ddagger}$";
    for (std::size_t i = 0; i < columns.size(); ++i) {
      text += " & " + cell(row_of(columns[i], method), best[i] == method, choice.interval);
    }
    text += " \\\\\n";
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace

std::string paper_table(const Results& results, const PaperChoice& choice) {
  return results.bench ? main_table(results.bench->study, choice.metrics, choice.methods)
                       : audit_tabular(results, choice);
}

}  // namespace vestige::report
