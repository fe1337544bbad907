// One screen per experiment.
#include "vestige/report/terminal/study_brief.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "vestige/metrics/family.h"
#include "vestige/report/terminal/study_text.h"
#include "vestige/report/terminal/terminal.h"
#include "vestige/study/measure.h"
#include "vestige/words/study_views.h"

namespace vestige::report {
namespace {

using result::MethodResult;

/// Metrics with a word for the brief table, in the registry's order.
std::vector<const metrics::MetricInfo*> brief_metrics() {
  std::vector<const metrics::MetricInfo*> found;
  for (const metrics::Family& family : metrics::families()) {
    for (const metrics::MetricInfo& info : family.metrics) {
      if (!info.brief.empty()) found.push_back(&info);
    }
  }
  return found;
}

constexpr std::size_t kBriefWidth = 22;
constexpr std::size_t kColumnWidth = 11;

/// Long names lose their middle: what tells two of them apart often stands at the end.
std::string fit(const std::string& name) {
  constexpr std::size_t kMost = kBriefWidth - 1;
  if (name.size() <= kMost) return name;
  constexpr std::size_t kTail = 9;
  return name.substr(0, kMost - kTail - 2) + ".." + name.substr(name.size() - kTail);
}

bool doubtful(const MethodResult& result) { return result.failed || result.unreliable > 0.5; }

/// Controls stand in brackets; of methods that failed at times, how many runs worked stands behind.
std::string shown_name(const MethodResult& result) {
  if (result.control) return fmt::format("  ({})", result.method);
  if (result.failed_runs == 0) return "  " + result.method;
  return fmt::format("  {} {}/{}", result.method, result.runs - result.failed_runs, result.runs);
}

std::string cell(const MethodResult* result) {
  if (result == nullptr) return "";
  if (std::isnan(result->value.value)) return "undefined";
  return fmt::format("{:.4g}{}", result->value.value, doubtful(*result) ? "?" : "");
}

/// The results of one metric, all in one setting.
struct HeadlineColumn {
  std::map<std::string, const MethodResult*> methods{};
  result::Measure measure{};
  bool several = false;  ///< the metric was measured in other settings too
};
using BriefTable = std::map<std::string, HeadlineColumn>;

/// One setting per metric: that of the competition's setup where the variant has one; else the
/// first that has every method and retrained and did not fail its controls, so that what stands in
/// one column can be compared; else the first.
BriefTable brief_table(const std::string& variant, const std::vector<MethodResult>& results) {
  std::map<std::string, std::vector<result::Measure>> settings;
  std::map<result::Measure, std::map<std::string, const MethodResult*>> found;
  std::map<result::Measure, bool> sound;
  std::map<result::Measure, std::size_t> methods;
  for (const MethodResult& result : results) {
    if (result.variant != variant) continue;
    auto& list = settings[result.measure.metric];
    if (std::find(list.begin(), list.end(), result.measure) == list.end()) {
      list.push_back(result.measure);
    }
    found[result.measure].try_emplace(result.method, &result);
    if (!result.control) ++methods[result.measure];
    sound[result.measure] |= !result.control && !doubtful(result);
  }
  BriefTable table;
  for (const auto& [metric, list] : settings) {
    const auto in_setup = std::find_if(list.begin(), list.end(), study::in_setup);
    std::size_t most = 0;
    for (const result::Measure& measure : list) most = std::max(most, methods[measure]);
    const auto whole = std::find_if(list.begin(), list.end(), [&](const result::Measure& measure) {
      return sound[measure] && methods[measure] == most && found[measure].contains("retrained");
    });
    const result::Measure& chosen = in_setup != list.end() ? *in_setup
                                    : whole != list.end()  ? *whole
                                                           : list.front();
    table[metric] = {found[chosen], chosen, list.size() > 1};
  }
  return table;
}

std::string variant_table(const std::string& variant, const std::vector<MethodResult>& results,
                          std::size_t width) {
  const BriefTable table = brief_table(variant, results);
  std::vector<std::string> methods;
  std::vector<const metrics::MetricInfo*> shown;
  const auto measured = [&table](std::string_view id) { return table.contains(std::string(id)); };
  for (const metrics::MetricInfo* headline : brief_metrics()) {
    if (measured(headline->id) && !metrics::is_replaced(headline->id, measured) &&
        kBriefWidth + (shown.size() + 1) * kColumnWidth <= width) {
      shown.push_back(headline);
    }
  }
  if (shown.empty()) return {};
  for (const bool controls : {false, true}) {
    for (const MethodResult& result : results) {
      const bool counts =
          result.variant == variant && result.control == controls &&
          std::any_of(shown.begin(), shown.end(), [&](const metrics::MetricInfo* headline) {
            return result.measure.metric == headline->id;
          });
      if (counts && std::find(methods.begin(), methods.end(), result.method) == methods.end()) {
        methods.push_back(result.method);
      }
    }
  }
  std::string text = fmt::format("{:<{}}", fit("variant " + variant), kBriefWidth);
  for (const metrics::MetricInfo* headline : shown) {
    text += fmt::format("{:>{}}", headline->brief, kColumnWidth);
  }
  text += "\n";
  for (const std::string& method : methods) {
    std::string name = "  " + method;
    std::string line;
    for (const metrics::MetricInfo* headline : shown) {
      const auto& column = table.at(std::string(headline->id)).methods;
      const auto found = column.find(method);
      const MethodResult* result = found == column.end() ? nullptr : found->second;
      if (result != nullptr) name = shown_name(*result);
      line += fmt::format("{:>{}}", cell(result), kColumnWidth);
    }
    text += fmt::format("{:<{}}{}\n", fit(name), kBriefWidth, line);
  }
  for (const metrics::MetricInfo* headline : shown) {
    const HeadlineColumn& column = table.at(std::string(headline->id));
    if (!column.several) continue;
    text += wrap(fmt::format("{}: {}", headline->brief, label(column.measure, true)), "  ", "    ",
                 width);
  }
  return text + "\n";
}

std::string controls_text(const result::Study& study, std::size_t width) {
  std::set<std::string> passed, failed;
  for (const result::ControlRow& row : study.controls) {
    if (row.verdict == result::ControlVerdict::passed) passed.insert(row.measure.metric);
    if (row.verdict == result::ControlVerdict::failed) failed.insert(row.measure.metric);
  }
  if (passed.empty() && failed.empty())
    return wrap(std::string(words::kNoControlsNote), "", "  ", width);
  return wrap(words::controls_line(passed.size(), failed.size(),
                                   fmt::format("{}", fmt::join(failed, ", "))),
              "", "  ", width);
}

/// How often each level was the largest source of noise.
std::string noise_text(const result::Study& study, std::size_t width) {
  std::map<result::Level, std::size_t> largest;
  for (const result::VarianceRow& row : study.variance) {
    if (row.method == "*" && row.noisiest != result::Level::none) ++largest[row.noisiest];
  }
  if (largest.empty()) return wrap(std::string(words::kNoiseNotSeenNote), "", "  ", width);
  std::vector<std::string> sources;
  for (const auto& [level, count] : largest) {
    sources.push_back(words::noise_source(result::name(level), count));
  }
  return wrap(words::noise_line(fmt::format("{}", fmt::join(sources, ", "))), "", "  ", width);
}

}  // namespace

std::string study_brief(const result::Study& study, std::size_t width) {
  std::string text;
  std::vector<std::string> variants;
  for (const MethodResult& result : study.results) {
    if (std::find(variants.begin(), variants.end(), result.variant) == variants.end())
      variants.push_back(result.variant);
  }
  for (const std::string& variant : variants) text += variant_table(variant, study.results, width);
  text += wrap(std::string(words::kMarksNote), "", "  ", width);
  const bool survivors =
      std::any_of(study.results.begin(), study.results.end(),
                  [](const MethodResult& result) { return result.failed_runs > 0; });
  if (survivors) text += wrap(std::string(words::kSurvivorsNote), "", "  ", width);
  text += failed_runs_text(study.failed_runs, width);
  text += controls_text(study, width);
  text += noise_text(study, width);
  if (!study.findings.empty()) text += "\n" + findings_text(study.findings, width);
  return text;
}

}  // namespace vestige::report
