// One screen per experiment.
#include "vestige/report/study_brief.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "vestige/metrics/family.h"
#include "vestige/report/study_text.h"
#include "vestige/report/terminal.h"

namespace vestige::report {
namespace {

using study::MethodResult;

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
  study::Measure measure{};
  bool several = false;  ///< the metric was measured in other settings too
};
using BriefTable = std::map<std::string, HeadlineColumn>;

/// One setting per metric: that of the competition's setup where the arm has one; else the first
/// that has every method and retrained and did not fail its controls, so that what stands in one
/// column can be compared; else the first.
BriefTable brief_table(const std::string& arm, const std::vector<MethodResult>& results) {
  std::map<std::string, std::vector<study::Measure>> settings;
  std::map<study::Measure, std::map<std::string, const MethodResult*>> found;
  std::map<study::Measure, bool> sound;
  std::map<study::Measure, std::size_t> methods;
  for (const MethodResult& result : results) {
    if (result.arm != arm) continue;
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
    for (const study::Measure& measure : list) most = std::max(most, methods[measure]);
    const auto whole = std::find_if(list.begin(), list.end(), [&](const study::Measure& measure) {
      return sound[measure] && methods[measure] == most && found[measure].contains("retrained");
    });
    const study::Measure& chosen = in_setup != list.end() ? *in_setup
                                   : whole != list.end()  ? *whole
                                                          : list.front();
    table[metric] = {found[chosen], chosen, list.size() > 1};
  }
  return table;
}

std::string arm_table(const std::string& arm, const std::vector<MethodResult>& results) {
  const BriefTable table = brief_table(arm, results);
  std::vector<std::string> methods;
  std::vector<const metrics::MetricInfo*> shown;
  for (const metrics::MetricInfo* headline : brief_metrics()) {
    if (table.contains(std::string(headline->id)) &&
        kBriefWidth + (shown.size() + 1) * kColumnWidth <= kTerminalWidth) {
      shown.push_back(headline);
    }
  }
  if (shown.empty()) return {};
  for (const bool controls : {false, true}) {
    for (const MethodResult& result : results) {
      const bool counts =
          result.arm == arm && result.control == controls &&
          std::any_of(shown.begin(), shown.end(), [&](const metrics::MetricInfo* headline) {
            return result.measure.metric == headline->id;
          });
      if (counts && std::find(methods.begin(), methods.end(), result.method) == methods.end()) {
        methods.push_back(result.method);
      }
    }
  }
  std::string text = fmt::format("{:<{}}", fit("arm " + arm), kBriefWidth);
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
    text += wrap(fmt::format("{}: {}", headline->brief, study::label(column.measure, true)), "  ",
                 "    ");
  }
  return text + "\n";
}

std::string controls_line(const study::Study& study) {
  std::set<std::string> passed, failed;
  for (const study::ControlRow& row : study.controls) {
    if (row.verdict == study::ControlVerdict::passed) passed.insert(row.measure.metric);
    if (row.verdict == study::ControlVerdict::failed) failed.insert(row.measure.metric);
  }
  if (passed.empty() && failed.empty()) return "Controls: none could be tested here.\n";
  std::string text = fmt::format(
      "Controls: {} metrics told original from retrained in some arm, {} failed in some arm",
      passed.size(), failed.size());
  std::string names;
  for (const std::string& name : failed) names += (names.empty() ? "" : ", ") + name;
  if (!names.empty()) text += ": " + names;
  return wrap(text + ".", "", "  ");
}

/// How often each level was the largest source of noise.
std::string noise_line(const study::Study& study) {
  std::map<std::string, int> largest;
  for (const study::VarianceRow& row : study.variance) {
    if (row.method == "*" && !row.noisiest.empty()) ++largest[row.noisiest];
  }
  if (largest.empty()) return "Noise: one measurement at every level, so that it is not seen.\n";
  std::string levels;
  for (const auto& [name, count] : largest) {
    levels += fmt::format("{}{} (of {} numbers)", levels.empty() ? "" : ", ", name, count);
  }
  return wrap("Noise comes mostly from: " + levels + ".", "", "  ");
}

}  // namespace

std::string study_brief(const study::Study& study) {
  std::string text;
  std::vector<std::string> arms;
  for (const MethodResult& result : study.results) {
    if (std::find(arms.begin(), arms.end(), result.arm) == arms.end()) arms.push_back(result.arm);
  }
  for (const std::string& arm : arms) text += arm_table(arm, study.results);
  text += "(in brackets: controls; ?: the metric failed its own controls and ranks nobody)\n";
  const bool survivors =
      std::any_of(study.results.begin(), study.results.end(),
                  [](const MethodResult& result) { return result.failed_runs > 0; });
  if (survivors) text += "(3/5: three of five runs worked, and only these are in the table)\n";
  text += failed_runs_text(study.failed_runs);
  text += controls_line(study);
  text += noise_line(study);
  if (!study.findings.empty()) text += "\n" + findings_text(study.findings);
  return text;
}

}  // namespace vestige::report
