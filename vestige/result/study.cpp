// Names of measures, and failed runs as a reason.
#include "vestige/result/study.h"

#include <fmt/format.h>

#include <algorithm>

namespace vestige::result {

std::string label(const Measure& measure, bool with_audit) {
  std::string text = measure.metric;
  if (!measure.setting.empty()) {
    std::string settings;
    for (std::size_t at = 0; at < measure.setting.size();) {
      const std::size_t end = std::min(measure.setting.find(';', at), measure.setting.size());
      settings += (settings.empty() ? "" : ", ") + measure.setting.substr(at, end - at);
      at = end + 1;
    }
    std::erase(settings, '"');
    text += fmt::format(" ({})", settings);
  }
  if (with_audit && !measure.audit.empty()) text += fmt::format(", audit {}", measure.audit);
  return text;
}

Reason failed_runs_reason(const FailedRuns& runs) {
  return reason(Code::runs_failed, runs.method, runs.variant, runs.failed, runs.runs, runs.why);
}

}  // namespace vestige::result
