// The table that a paper prints: methods by chosen metrics.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "vestige/metrics/family.h"
#include "vestige/report/escape.h"
#include "vestige/report/study_tables.h"

namespace vestige::report {
namespace {

using study::MethodRank;
using study::MetricComparison;

constexpr std::size_t kMostMetrics = 8;

/// Metrics that an experiment's brief table shows; all of them where it shows none.
std::vector<const MetricComparison*> chosen(const study::Study& study) {
  std::vector<const MetricComparison*> own, all;
  std::set<std::string> seen;
  for (const MetricComparison& metric : study.comparison.metrics) {
    if (!seen.insert(metric.measure.metric).second) continue;
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
  for (const study::MethodPair& pair : metric.pairs) {
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

/// Runs that failed, over all arms.
std::map<std::string, std::pair<std::size_t, std::size_t>> failures(const study::Study& study) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> counts;
  for (const study::FailedRuns& runs : study.failed_runs) {
    auto& [failed, all] = counts[runs.method];
    failed += runs.failed;
    all += runs.runs;
  }
  return counts;
}

std::string mark_of(const MetricComparison& metric, const MethodRank& method) {
  if (metric.failed) return "controls failed";
  if (method.control) return "";
  const std::string best = best_of(metric);
  if (method.method == best) return "best";
  return beaten(metric, best, method.method) ? "worse" : "";
}

std::string plain(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

std::string main_csv(const study::Study& study) {
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
                                plain(own->value.upper), csv_field(mark_of(*metric, *own)));
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
  const std::string mark = mark_of(metric, *own);
  if (mark == "best") return fmt::format("$\\mathbf{{{}}}$", text);
  if (mark == "worse") return fmt::format("${}^{{\\dagger}}$", text);
  if (metric.failed) return fmt::format("\\textit{{${}$}}$^{{?}}$", text);
  return fmt::format("${}$", text);
}

std::string main_tex(const study::Study& study) {
  const std::vector<const MetricComparison*> metrics = chosen(study);
  std::string text = fmt::format(
      "% needs \\usepackage{{booktabs}}\n"
      "% mean +- half of the 95 % interval; bold: ranked first; dagger: the first is shown to be\n"
      "% better (paired test, adjusted p < 0.05); ?: the metric failed its own controls\n"
      "\\begin{{tabular}}{{l{}}}\n\\toprule\nmethod",
      std::string(metrics.size(), 'r'));
  for (const MetricComparison* metric : metrics) text += " & " + latex_text(heading(*metric));
  text += " \\\\\n\\midrule\n";
  auto failed = failures(study);
  bool controls = false;
  for (const auto& [method, control] : methods_of_study(metrics)) {
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

}  // namespace

std::vector<TableFile> main_tables(const study::Study& study) {
  return {{"main.csv", main_csv(study)}, {"main.tex", main_tex(study)}};
}

}  // namespace vestige::report
