// Retrained models, original and constant predictor, read by the program itself.
#include "vestige/audit/controls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "vestige/audit/verdicts/differences.h"
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
using result::Cause;
using result::Code;
using result::Reason;
using result::reason;

/// The control rows of one metric and setting; the first of each where there are several models.
struct Controls {
  const Row* retrained = nullptr;
  const Row* original = nullptr;
  const Row* constant = nullptr;
};

using Key = std::pair<std::string, std::string>;  // metric, setting

std::map<Key, Controls> collect(const std::vector<Row>& rows) {
  std::map<Key, Controls> found;
  for (const Row& row : rows) {
    if (std::isnan(row.value)) continue;
    Controls& controls = found[{row.metric, setting(row)}];
    if (row.control == Control::retrained && controls.retrained == nullptr)
      controls.retrained = &row;
    if (row.control == Control::original && controls.original == nullptr) controls.original = &row;
    if (row.control == Control::constant && controls.constant == nullptr) {
      controls.constant = &row;
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
  std::map<Key, const Row*> retrained_rows;
  for (const Row& row : rows) {
    // Means that count as utility are no gaps.
    const metrics::MetricInfo* metric = metrics::find_metric(row.metric);
    if (metric != nullptr && !metric->utility_of.empty()) continue;
    if (row.control == Control::retrained && row.contrast != nullptr) {
      retrained_rows.try_emplace({row.metric, setting(row)}, &row);
    }
  }
  for (Row& row : rows) {
    const auto retrained = retrained_rows.find({row.metric, setting(row)});
    if (row.control != Control::original || row.contrast == nullptr ||
        retrained == retrained_rows.end()) {
      continue;
    }
    const metrics::Gap beyond =
        metrics::gap_difference(*row.contrast, *retrained->second->contrast);
    const double half = metrics::t_half_width(beyond.error, beyond.degrees);
    if (!std::isfinite(beyond.estimate) || !std::isfinite(half)) continue;
    row.facts[kBeyondLower] = beyond.estimate - half;
    row.facts[kBeyondUpper] = beyond.estimate + half;
  }
}

Reason failure(const Row& original, const Row& retrained, const Discrimination& seen) {
  if (std::isnan(seen.lower)) return {};
  if (seen.lower <= 0 && seen.upper >= 0) {
    return reason(Code::cannot_tell_original, original.value, retrained.value, seen.lower,
                  seen.upper);
  }
  if (as_good(original, retrained)) {
    return reason(Code::original_rated_better, original.value, retrained.value);
  }
  return {};
}

/// A metric that failed; of one setting, or of all where `setting` is empty.
struct Failure {
  std::string metric;
  std::string setting;
  Reason why;
};

/// Marks the metric's rows and those of metrics that are worked out from it.
void mark(std::vector<Row>& rows, const std::string& metric, const std::string& only_setting,
          const Reason& why) {
  for (Row& row : rows) {
    if (row.metric != metric || row.control != Control::none || row.status != Status::ok) continue;
    if (!only_setting.empty() && setting(row) != only_setting) continue;
    row.status = Status::unreliable;
    row.notes.push_back(why);
  }
  for (const metrics::Family& family : metrics::families()) {
    for (const MetricInfo& info : family.metrics) {
      if (std::find(info.parts.begin(), info.parts.end(), metric) == info.parts.end()) continue;
      mark(rows, std::string(info.id), only_setting,
           reason(Code::made_of_failed_metric, metric, why));
    }
  }
}

}  // namespace

std::string setting(const Row& row) {
  std::string text;
  for (const auto& [key, value] : row.settings.items()) text += key + "=" + value.dump() + ";";
  return text;
}

Discrimination discriminate(const Row& original, const Row& retrained, std::uint64_t seed,
                            metrics::BootstrapCounts* counts) {
  Discrimination result;
  result.difference = original.value - retrained.value;
  if (original.facts.contains(kBeyondLower) && original.facts.contains(kBeyondUpper)) {
    result.lower = original.facts.at(kBeyondLower).get<double>();
    result.upper = original.facts.at(kBeyondUpper).get<double>();
    return result;
  }
  if (!original.terms.empty() && original.terms.size() == retrained.terms.size()) {
    std::vector<double> differences;
    for (std::size_t index = 0; index < retrained.terms.size(); ++index) {
      const double difference = original.terms[index] - retrained.terms[index];
      if (!std::isnan(difference)) differences.push_back(difference);
    }
    const metrics::Estimate estimate =
        differences.size() > kMostForBootstrap
            ? metrics::t_interval(differences)
            : metrics::bootstrap_mean(
                  differences,
                  {.kind = metrics::BootstrapKind::percentile, .seed = seed, .purpose = "controls"},
                  counts);
    result.lower = estimate.lower;
    result.upper = estimate.upper;
    return result;
  }
  // MOVER: the interval of a difference from the two separate intervals.
  result.lower = result.difference -
                 std::hypot(original.value - original.lower, retrained.upper - retrained.value);
  result.upper = result.difference +
                 std::hypot(original.upper - original.value, retrained.value - retrained.lower);
  return result;
}

void fill_references(std::vector<Row>& rows) {
  std::map<Key, std::vector<const Row*>> retrained_rows;
  for (const Row& row : rows) {
    if (row.control == Control::retrained && !std::isnan(row.value)) {
      retrained_rows[{row.metric, setting(row)}].push_back(&row);
    }
  }
  for (Row& row : rows) {
    const auto found = retrained_rows.find({row.metric, setting(row)});
    // A model on the way is not an answer: nothing stands beside it.
    if (found == retrained_rows.end() || row.control == Control::retrained ||
        row.control == Control::checkpoint) {
      continue;
    }
    // Of several retrained models the one of the same name stands beside a model, else the first.
    const auto same = std::find_if(
        found->second.begin(), found->second.end(),
        [&row](const Row* retrained) { return retrained->subject.name == row.subject.name; });
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
    if (controls.retrained == nullptr) continue;
    if (controls.original != nullptr) {
      const Discrimination seen =
          discriminate(*controls.original, *controls.retrained, seed, &counts);
      const Reason why = failure(*controls.original, *controls.retrained, seen);
      const bool at_halves = controls.retrained->settings.value("halves", false);
      if (!why.empty()) {
        const bool noise = seen.lower <= 0 && seen.upper >= 0;
        remarks.push_back({noise ? Cause::cannot_tell : Cause::wrong_way,
                           {key.first},
                           reason(Code::about_metric, label(*controls.retrained), why)});
        // Where the retrained control exists at half the models only, its verdict holds for all of
        // them.
        failures.push_back({key.first, at_halves ? "" : key.second, why});
      } else if (at_halves) {
        remarks.push_back({Cause::difference,
                           {key.first},
                           reason(Code::original_retrained_difference, label(*controls.retrained),
                                  controls.original->value, controls.retrained->value)});
      }
    }
    if (controls.constant != nullptr && as_good(*controls.constant, *controls.retrained) &&
        fooled.insert(key.first).second) {
      remarks.push_back({Cause::constant_as_good,
                         {key.first},
                         reason(Code::constant_as_good, label(*controls.retrained),
                                controls.constant->value, controls.retrained->value)});
    }
  }
  for (const Failure& failed : failures) mark(rows, failed.metric, failed.setting, failed.why);
  return remarks;
}

}  // namespace vestige::audit
