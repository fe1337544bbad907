// Which point of each grid wins.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "vestige/experiment/tune.h"
#include "vestige/study/controls_table.h"
#include "vestige/study/measure.h"
#include "vestige/words/study_views.h"
#include "vestige/words/words.h"

namespace vestige::experiment {
namespace {

/// Means of a measure's rows: of points by label, of originals and retrained models by role.
struct Means {
  double value = 0, badness = 0;
  std::size_t count = 0;
};
std::map<std::string, Means> means_of(const std::vector<study::StudyRow>& rows,
                                      const study::Measure& measure) {
  const std::vector<double> badness = study::badness(rows);
  std::map<std::string, Means> means;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const metrics::Row& row = rows[i].row;
    if (row.metric != measure.metric || std::isnan(row.value)) continue;
    const std::string label = study::method_label(row.subject);
    // The retrained control may exist in another setting only: it is shown, and decides nothing.
    const bool role = row.subject.method.empty();
    if (!role && study::measure_of(rows[i]) != measure) continue;
    Means& own = means[label];
    own.value += row.value;
    own.badness += badness[i];
    ++own.count;
  }
  for (auto& [label, own] : means) {
    own.value /= static_cast<double>(own.count);
    own.badness /= static_cast<double>(own.count);
  }
  return means;
}

/// Why the measure's controls failed on the tuning models; empty if they did not.
std::string failed_control(const std::vector<study::StudyRow>& rows,
                           const study::Measure& measure) {
  for (const study::ControlRow& row : study::controls_table(rows)) {
    const bool failed = row.verdict == study::ControlVerdict::failed;
    if (failed && row.measure == measure) return words::text(row.reason);
  }
  return {};
}

}  // namespace

TuneResult judge_points(const std::vector<TunePoint>& points, const TuneSettings& settings,
                        const std::vector<VariantAudit>& audits,
                        const std::vector<result::FailedRuns>& failed) {
  std::vector<study::StudyRow> rows;
  for (const VariantAudit& audit : audits) {
    for (study::StudyRow row : audit.results.rows) {
      if (row.row.metric == settings.metric) row.row.direction = settings.goal;
      rows.push_back(std::move(row));
    }
  }
  const auto first_of = [&](bool every_setting, auto fits) {
    for (const study::Measure& own : study::measures(rows, {}, every_setting)) {
      if (own.metric == settings.metric && fits(own)) return own;
    }
    return study::Measure{.metric = settings.metric};
  };
  // Repeats of a setup decide where there are some; controls exist for the whole pool.
  const study::Measure controlled = first_of(false, [](const study::Measure&) { return true; });
  const study::Measure repeated = first_of(true, study::in_setup);
  const study::Measure measure = study::in_setup(repeated) ? repeated : controlled;
  const std::map<std::string, Means> means = means_of(rows, measure);
  const auto of = [&](const std::string& label) {
    const auto found = means.find(label);
    return found == means.end() ? Means{metrics::kUndefined, metrics::kUndefined, 0}
                                : found->second;
  };
  TuneResult result{.points = {},
                    .measure = study::label(measure),
                    .original = of("original").value,
                    .retrained = of("retrained").value,
                    .controls = failed_control(rows, controlled),
                    .lost = {}};
  for (const TunePoint& point : points) {
    const Means own = of(point.label);
    TunedPoint tuned{point, own.value, own.badness, {}, false};
    for (const result::FailedRuns& runs : failed) {
      if (runs.method != point.label) continue;
      tuned.failed = fmt::format("{}: {}", words::failed_of_runs(runs.failed, runs.runs),
                                 words::text(runs.why));
    }
    result.points.push_back(std::move(tuned));
  }
  const auto sound = [](const TunedPoint& own) {
    return own.failed.empty() && !std::isnan(own.badness);
  };
  std::set<std::string> won;
  for (TunedPoint& candidate : result.points) {
    const auto before = [&](const TunedPoint& other) {
      if (other.point.method != candidate.point.method || !sound(other)) return false;
      const bool earlier = &other < &candidate;
      return other.badness < candidate.badness || (earlier && other.badness == candidate.badness);
    };
    candidate.best = result.controls.empty() && sound(candidate) &&
                     std::none_of(result.points.begin(), result.points.end(), before);
    if (candidate.best) won.insert(candidate.point.method);
  }
  for (const TunedPoint& own : result.points) {
    if (result.controls.empty() && won.insert(own.point.method).second) {
      result.lost.push_back(own.point.method);
    }
  }
  return result;
}

Json tuned_methods(const Json& methods, const std::vector<TunedPoint>& points) {
  Json tuned_list = methods;
  for (Json& entry : tuned_list) {
    const std::string label = label_of(entry);
    for (const TunedPoint& tuned : points) {
      if (!tuned.best || tuned.point.method != label) continue;
      entry = tuned.point.entry;
      entry["label"] = label;
    }
  }
  return tuned_list;
}

std::string tune_text(const TuneResult& result, const TuneList& list,
                      const TuneSettings& settings) {
  const bool match = settings.goal == metrics::Direction::match;
  std::string text = fmt::format("{}: {}", result.measure, goal_text(settings.goal));
  if (!std::isnan(result.original)) text += fmt::format("; originals {:.4f}", result.original);
  if (!std::isnan(result.retrained)) text += fmt::format("; retrained {:.4f}", result.retrained);
  text += "\n";
  text +=
      fmt::format("{:<24} {:>10} {:>10}  options\n", "method", "value", match ? "distance" : "");
  for (const TunedPoint& tuned : result.points) {
    const auto number = [](double value) {
      return std::isnan(value) ? std::string("undefined") : fmt::format("{:.4f}", value);
    };
    text += fmt::format("{:<24} {:>10} {:>10}  {}{}{}\n", tuned.point.method, number(tuned.value),
                        match ? number(tuned.badness) : "", options_text(tuned.point.options),
                        tuned.failed.empty() ? "" : "  (" + tuned.failed + ")",
                        tuned.best ? "  <- best" : "");
  }
  for (const LeftOut& own : list.left_out) {
    text += fmt::format("{:<24} left out: {}\n", own.method, own.why);
  }
  for (const std::string& method : result.lost) {
    text += fmt::format("{:<24} no point worked: it stays as it was\n", method);
  }
  if (!result.controls.empty()) {
    text += fmt::format("no point is chosen, because the controls of {} failed: {}\n",
                        result.measure, result.controls);
  }
  return text;
}

}  // namespace vestige::experiment
