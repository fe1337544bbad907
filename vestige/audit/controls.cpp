// Floor, ceiling and collapsed model, read by the program itself.
#include "vestige/audit/controls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "vestige/metrics/family.h"
#include "vestige/metrics/stats/bootstrap.h"
#include "vestige/metrics/stats/contrast.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::audit {
namespace {

using metrics::Control;
using metrics::Direction;
using metrics::MetricInfo;
using metrics::Row;
using metrics::Status;

/// The control rows of one metric and setting; the first of each where there are several models.
struct Controls {
  const Row* floor = nullptr;
  const Row* ceiling = nullptr;
  const Row* collapsed = nullptr;
};

using Key = std::pair<std::string, std::string>;  // metric, setting

std::map<Key, Controls> collect(const std::vector<Row>& rows) {
  std::map<Key, Controls> found;
  for (const Row& row : rows) {
    if (std::isnan(row.value)) continue;
    Controls& controls = found[{row.metric, setting(row)}];
    if (row.control == Control::floor && controls.floor == nullptr) controls.floor = &row;
    if (row.control == Control::ceiling && controls.ceiling == nullptr) controls.ceiling = &row;
    if (row.control == Control::collapsed && controls.collapsed == nullptr) {
      controls.collapsed = &row;
    }
  }
  return found;
}

std::string label(const Row& row) {
  std::string text = row.metric;
  if (row.settings.contains("models"))
    text += fmt::format(" (N={})", row.settings["models"].dump());
  if (row.settings.contains("alpha"))
    text += fmt::format(" (alpha={})", row.settings["alpha"].dump());
  return text;
}

/// Is `value` at least as good as `other`, seen from the metric's direction and ideal?
bool as_good(const Row& row, const Row& other) {
  if (row.direction == Direction::higher) return row.value >= other.value;
  if (row.direction == Direction::lower) return row.value <= other.value;
  return false;
}

/// Gaps between forgotten and unseen rows are set against each other row by row, as verdicts do it:
/// from two intervals apart a difference that a verdict shows would be called noise. The interval
/// is written beside the original's value, so that results.json has it.
void pair_gaps(std::vector<Row>& rows) {
  std::map<Key, const Row*> floors;
  for (const Row& row : rows) {
    // Means that count as utility are no gaps.
    const metrics::MetricInfo* metric = metrics::find_metric(row.metric);
    if (metric != nullptr && !metric->utility_of.empty()) continue;
    if (row.control == Control::floor && row.contrast != nullptr) {
      floors.try_emplace({row.metric, setting(row)}, &row);
    }
  }
  for (Row& row : rows) {
    const auto floor = floors.find({row.metric, setting(row)});
    if (row.control != Control::ceiling || row.contrast == nullptr || floor == floors.end()) {
      continue;
    }
    const metrics::Gap beyond = metrics::gap_difference(*row.contrast, *floor->second->contrast);
    const double half = metrics::t_half_width(beyond.error, beyond.degrees);
    if (!std::isfinite(beyond.estimate) || !std::isfinite(half)) continue;
    row.facts[kBeyondLower] = beyond.estimate - half;
    row.facts[kBeyondUpper] = beyond.estimate + half;
  }
}

std::string failure(const Row& ceiling, const Row& floor, const Discrimination& seen) {
  if (std::isnan(seen.lower)) return {};
  if (seen.lower <= 0 && seen.upper >= 0) {
    return fmt::format(
        "cannot tell original ({:.4g}) from retrained ({:.4g}) on this evidence: the difference's "
        "95 % interval [{:.3g}, {:.3g}] contains 0, so its values for methods are noise",
        ceiling.value, floor.value, seen.lower, seen.upper);
  }
  if (as_good(ceiling, floor)) {
    return fmt::format(
        "rates original ({:.4g}) better than retrained ({:.4g}) on this evidence, so its values "
        "for methods cannot be read as forgetting",
        ceiling.value, floor.value);
  }
  return {};
}

/// A metric that failed; of one setting, or of all where `setting` is empty.
struct Failure {
  std::string metric;
  std::string setting;
  std::string why;
};

/// Marks the metric's rows and those of metrics that are worked out from it.
void mark(std::vector<Row>& rows, const std::string& metric, const std::string& only_setting,
          const std::string& why) {
  for (Row& row : rows) {
    if (row.metric != metric || row.control != Control::none || row.status != Status::ok) continue;
    if (!only_setting.empty() && setting(row) != only_setting) continue;
    row.status = Status::unreliable;
    row.note = row.note.empty() ? why : row.note + "; " + why;
  }
  for (const metrics::Family& family : metrics::families()) {
    for (const MetricInfo& info : family.metrics) {
      if (std::find(info.parts.begin(), info.parts.end(), metric) == info.parts.end()) continue;
      mark(rows, std::string(info.id), only_setting,
           fmt::format("it is made of {}, which {}", metric, why));
    }
  }
}

}  // namespace

std::string setting(const Row& row) {
  std::string text;
  for (const auto& [key, value] : row.settings.items()) text += key + "=" + value.dump() + ";";
  return text;
}

Discrimination discriminate(const Row& ceiling, const Row& floor, std::uint64_t seed,
                            metrics::BootstrapCounts* counts) {
  Discrimination result;
  result.difference = ceiling.value - floor.value;
  if (ceiling.facts.contains(kBeyondLower) && ceiling.facts.contains(kBeyondUpper)) {
    result.lower = ceiling.facts.at(kBeyondLower).get<double>();
    result.upper = ceiling.facts.at(kBeyondUpper).get<double>();
    return result;
  }
  if (!ceiling.terms.empty() && ceiling.terms.size() == floor.terms.size()) {
    std::vector<double> differences;
    for (std::size_t index = 0; index < floor.terms.size(); ++index) {
      const double difference = ceiling.terms[index] - floor.terms[index];
      if (!std::isnan(difference)) differences.push_back(difference);
    }
    const metrics::Estimate estimate = metrics::bootstrap_mean(
        differences,
        {.kind = metrics::BootstrapKind::percentile, .seed = seed, .purpose = "controls"}, counts);
    result.lower = estimate.lower;
    result.upper = estimate.upper;
    return result;
  }
  // MOVER: the interval of a difference from the two separate intervals.
  result.lower =
      result.difference - std::hypot(ceiling.value - ceiling.lower, floor.upper - floor.value);
  result.upper =
      result.difference + std::hypot(ceiling.upper - ceiling.value, floor.value - floor.lower);
  return result;
}

void fill_references(std::vector<Row>& rows) {
  std::map<Key, std::vector<const Row*>> floors;
  for (const Row& row : rows) {
    if (row.control == Control::floor && !std::isnan(row.value)) {
      floors[{row.metric, setting(row)}].push_back(&row);
    }
  }
  for (Row& row : rows) {
    const auto found = floors.find({row.metric, setting(row)});
    // A model on the way is not an answer: nothing stands beside it.
    if (found == floors.end() || row.control == Control::floor ||
        row.control == Control::checkpoint) {
      continue;
    }
    // Of several retrained models the one of the same name stands beside a model, else the first.
    const auto same =
        std::find_if(found->second.begin(), found->second.end(),
                     [&row](const Row* floor) { return floor->subject.name == row.subject.name; });
    row.reference = (same == found->second.end() ? found->second.front() : *same)->value;
  }
}

std::vector<Remark> judge_controls(std::vector<Row>& rows, std::uint64_t seed) {
  std::vector<Remark> remarks;
  metrics::BootstrapCounts counts;
  std::set<std::string> fooled;  // metrics that a constant predictor satisfies: said once each
  pair_gaps(rows);
  std::vector<Failure> failures;  // marked at the end: marking must not change what is judged
  for (const auto& [key, controls] : collect(rows)) {
    const MetricInfo* info = metrics::find_metric(key.first);
    if (info == nullptr || !info->shows_forgetting) continue;
    if (controls.floor == nullptr) continue;
    if (controls.ceiling != nullptr) {
      const Discrimination seen = discriminate(*controls.ceiling, *controls.floor, seed, &counts);
      const std::string why = failure(*controls.ceiling, *controls.floor, seen);
      const bool at_halves = controls.floor->settings.value("halves", false);
      if (!why.empty()) {
        const bool noise = seen.lower <= 0 && seen.upper >= 0;
        remarks.push_back({noise ? kCannotTell : kWrongWay,
                           {key.first},
                           fmt::format("{} {}", label(*controls.floor), why)});
        // Where the floor exists at half the models only, its verdict holds for all of them.
        failures.push_back({key.first, at_halves ? "" : key.second, why});
      } else if (at_halves) {
        remarks.push_back(
            {kRoom,
             {key.first},
             fmt::format("{}: nothing forgotten (original) scores {:.4g}, perfect forgetting "
                         "(retrained against retrained) {:.4g}; all that a method can gain lies "
                         "between the two",
                         label(*controls.floor), controls.ceiling->value, controls.floor->value)});
      }
    }
    if (controls.collapsed != nullptr && as_good(*controls.collapsed, *controls.floor) &&
        fooled.insert(key.first).second) {
      remarks.push_back(
          {kConstantAsGood,
           {key.first},
           fmt::format(
               "{}: a constant predictor scores {:.4g}, as good as retrained ({:.4g}): read it "
               "only beside the accuracies",
               label(*controls.floor), controls.collapsed->value, controls.floor->value)});
    }
  }
  for (const Failure& failed : failures) mark(rows, failed.metric, failed.setting, failed.why);
  return remarks;
}

}  // namespace vestige::audit
