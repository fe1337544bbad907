// The table that a paper prints: methods by chosen metrics.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "vestige/base/error.h"
#include "vestige/base/text.h"
#include "vestige/metrics/family.h"
#include "vestige/report/page/escape.h"
#include "vestige/report/tables/study_tables.h"
#include "vestige/words/study_views.h"

namespace vestige::report {
namespace {

using result::MethodRank;
using result::MetricComparison;

constexpr std::size_t kMostMetrics = 8;

/// Metrics that an experiment's brief table shows; all of them where it shows none.
std::vector<const MetricComparison*> chosen(const result::Study& study) {
  std::vector<const MetricComparison*> own, all;
  std::set<std::string> seen;
  const auto measured = [&study](std::string_view id) {
    const auto& metrics = study.comparison.metrics;
    return std::any_of(metrics.begin(), metrics.end(), [id](const MetricComparison& metric) {
      return metric.measure.metric == id;
    });
  };
  for (const MetricComparison& metric : study.comparison.metrics) {
    if (!seen.insert(metric.measure.metric).second) continue;
    if (metrics::is_replaced(metric.measure.metric, measured)) continue;
    const metrics::MetricInfo* info = metrics::find_metric(metric.measure.metric);
    all.push_back(&metric);
    if (info != nullptr && !info->brief.empty()) own.push_back(&metric);
  }
  if (own.empty()) own = all;
  own.resize(std::min(own.size(), kMostMetrics));
  return own;
}

const MethodRank* find(const MetricComparison& metric, const std::string& method) {
  for (const MethodRank& own : metric.methods) {
    if (own.method == method) return &own;
  }
  return nullptr;
}

/// The method that is ranked first, if the metric ranks at all.
std::string best_of(const MetricComparison& metric) {
  if (metric.failed) return "";
  for (const MethodRank& own : metric.methods) {
    if (!own.control && !std::isnan(own.rank.value)) return own.method;
  }
  return "";
}

/// Whether the best is shown to be better than this method (paired test, adjusted p below 0.05).
bool beaten(const MetricComparison& metric, const std::string& best, const std::string& method) {
  for (const result::MethodPair& pair : metric.pairs) {
    const bool these =
        (pair.left == best && pair.right == method) || (pair.right == best && pair.left == method);
    if (these) return pair.better == best && !best.empty();
  }
  return false;
}

/// Methods first, controls after them, in the order of the first metric.
std::vector<std::pair<std::string, bool>> methods_of_study(
    const std::vector<const MetricComparison*>& metrics) {
  std::vector<std::pair<std::string, bool>> methods;
  std::set<std::string> seen;
  for (const bool control : {false, true}) {
    for (const MetricComparison* metric : metrics) {
      for (const MethodRank& own : metric->methods) {
        if (own.control == control && seen.insert(own.method).second) {
          methods.emplace_back(own.method, control);
        }
      }
    }
  }
  return methods;
}

std::string heading(const MetricComparison& metric) {
  const metrics::MetricInfo* info = metrics::find_metric(metric.measure.metric);
  const bool named = info != nullptr && !info->brief.empty();
  return named ? std::string(info->brief) : metric.measure.metric;
}

/// Runs that failed, over all variants.
std::map<std::string, std::pair<std::size_t, std::size_t>> failures(const result::Study& study) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> counts;
  for (const result::FailedRuns& runs : study.failed_runs) {
    auto& [failed, all] = counts[runs.method];
    failed += runs.failed;
    all += runs.runs;
  }
  return counts;
}

enum class Mark { none, failed, best, worse };

Mark mark_of(const MetricComparison& metric, const MethodRank& method) {
  if (metric.failed) return Mark::failed;
  if (method.control) return Mark::none;
  const std::string best = best_of(metric);
  if (method.method == best) return Mark::best;
  return beaten(metric, best, method.method) ? Mark::worse : Mark::none;
}

std::string_view mark_word(Mark mark) {
  constexpr std::string_view kMarkWords[] = {"", "controls failed", "best", "worse"};
  return kMarkWords[static_cast<std::size_t>(mark)];
}

std::string plain(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

std::string main_csv(const result::Study& study) {
  const std::vector<const MetricComparison*> metrics = chosen(study);
  std::string text = "method,control,runs,failed_runs";
  for (const MetricComparison* metric : metrics) {
    const std::string id = csv_field(metric->measure.metric);
    text += fmt::format(",{0},{0} lower,{0} upper,{0} mark", id);
  }
  text += "\n";
  auto failed = failures(study);
  for (const auto& [method, control] : methods_of_study(metrics)) {
    const auto [bad, all] = failed[method];
    text += fmt::format("{},{},{},{}", csv_field(method), control, all, bad);
    for (const MetricComparison* metric : metrics) {
      const MethodRank* own = find(*metric, method);
      text += own == nullptr
                  ? ",,,,"
                  : fmt::format(",{},{},{},{}", plain(own->value.value), plain(own->value.lower),
                                plain(own->value.upper), mark_word(mark_of(*metric, *own)));
    }
    text += "\n";
  }
  return text;
}

std::string cell(const MetricComparison& metric, const MethodRank* own) {
  if (own == nullptr || std::isnan(own->value.value)) return "--";
  const double half = (own->value.upper - own->value.lower) / 2;
  std::string text = std::isnan(half) ? fmt::format("{:.3g}", own->value.value)
                                      : fmt::format("{:.3g} \\pm {:.2g}", own->value.value, half);
  switch (mark_of(metric, *own)) {
    case Mark::best:
      return fmt::format("$\\mathbf{{{}}}$", text);
    case Mark::worse:
      return fmt::format("${}^{{\\dagger}}$", text);
    case Mark::failed:
      return fmt::format("\\textit{{${}$}}$^{{?}}$", text);
    case Mark::none:
      break;
  }
  return fmt::format("${}$", text);
}

/// The first setting of each metric that was asked for.
std::vector<const MetricComparison*> asked(const result::Study& study,
                                           const std::vector<std::string>& metrics) {
  std::vector<const MetricComparison*> own;
  std::vector<std::string> known;
  for (const MetricComparison& metric : study.comparison.metrics) {
    known.push_back(metric.measure.metric);
  }
  for (const std::string& id : metrics) {
    const auto found = std::find(known.begin(), known.end(), id);
    require(found != known.end(),
            "--metrics {}: this experiment compares no such metric: did you mean '{}'?", id,
            nearest(id, known));
    own.push_back(&study.comparison.metrics[static_cast<std::size_t>(found - known.begin())]);
  }
  return own;
}

/// The methods that were asked for, and all controls.
std::vector<std::pair<std::string, bool>> kept(
    const std::vector<std::pair<std::string, bool>>& measured,
    const std::vector<std::string>& methods) {
  std::vector<std::string> known;
  for (const auto& [method, control] : measured) {
    if (!control) known.push_back(method);
  }
  std::vector<std::pair<std::string, bool>> lines;
  for (const std::string& method : methods) {
    require(std::find(known.begin(), known.end(), method) != known.end(),
            "--methods {}: this experiment has no such method: did you mean '{}'?", method,
            nearest(method, known));
    lines.emplace_back(method, false);
  }
  for (const auto& line : measured) {
    if (line.second) lines.push_back(line);
  }
  return lines;
}

}  // namespace

std::string main_table(const result::Study& study, const std::vector<std::string>& ids,
                       const std::vector<std::string>& methods) {
  const std::vector<const MetricComparison*> metrics =
      ids.empty() ? chosen(study) : asked(study, ids);
  std::string text = fmt::format(
      "% needs \\usepackage{{booktabs}}\n"
      "% {}\n"
      "\\begin{{tabular}}{{l{}}}\n\\toprule\nmethod",
      words::kMainTableNote, std::string(metrics.size(), 'r'));
  for (const MetricComparison* metric : metrics) text += " & " + latex_text(heading(*metric));
  text += " \\\\\n\\midrule\n";
  auto failed = failures(study);
  bool controls = false;
  const auto measured = methods_of_study(metrics);
  for (const auto& [method, control] : methods.empty() ? measured : kept(measured, methods)) {
    if (control && !controls) text += "\\midrule\n";
    controls = control;
    text += control ? fmt::format("\\emph{{{}}}", latex_text(method)) : latex_text(method);
    const auto [bad, all] = failed[method];
    if (bad > 0) text += fmt::format(" ({} of {} failed)", bad, all);
    for (const MetricComparison* metric : metrics) {
      text += " & " + cell(*metric, find(*metric, method));
    }
    text += " \\\\\n";
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

std::vector<TableFile> main_tables(const result::Study& study) {
  return {{"main.csv", main_csv(study)}, {"main.tex", main_table(study, {}, {})}};
}

}  // namespace vestige::report
