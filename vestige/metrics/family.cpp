// What the declarations of all families say together.
#include "vestige/metrics/family.h"

#include <algorithm>
#include <cassert>

namespace vestige::metrics {

std::function<Measure(const Preparation&)> each(Measurements (*measure)(const Comparison&,
                                                                        const Request&,
                                                                        Progress&)) {
  return [measure](const Preparation& from) -> Measure {
    return [measure, &request = from.request](const Comparison& comparison, Progress& progress) {
      return measure(comparison, request, progress);
    };
  };
}

Support support_of(const Family& family, const evidence::Evidence& evidence, const Json& options,
                   const Context& context) {
  Support support = family.support(evidence);
  if (!support.supported || family.too_large == nullptr) return support;
  Reason why = family.too_large(evidence, options, context);
  return why.empty() ? support : Support{false, std::move(why)};
}

bool takes_setups(const Family& family) {
  const std::string key = std::string(family.name) + ".setup";
  return std::any_of(family.options.begin(), family.options.end(),
                     [&](const Option& option) { return option.key == key; });
}

const MetricInfo* find_metric(std::string_view id) {
  for (const Family& family : families()) {
    for (const MetricInfo& info : family.metrics) {
      if (info.id == id) return &info;
    }
  }
  return nullptr;
}

bool is_replaced(std::string_view id, const std::function<bool(std::string_view)>& measured) {
  for (const Family& family : families()) {
    for (const MetricInfo& other : family.metrics) {
      if (other.replaces == id && measured(other.id)) return true;
    }
  }
  return false;
}

const Family* family_of(std::string_view id) {
  for (const Family& family : families()) {
    for (const MetricInfo& info : family.metrics) {
      if (info.id == id) return &family;
    }
  }
  return nullptr;
}

Range range_of(std::string_view id) {
  const Family* family = family_of(id);
  Range range;
  std::size_t longest = 0;
  if (family == nullptr) return range;
  for (const auto& [beginning, own] : family->ranges) {
    if (beginning.size() < longest || !id.starts_with(beginning)) continue;
    longest = beginning.size();
    range = own;
  }
  return range;
}

Estimate within(std::string_view id, Estimate estimate) {
  const Range range = range_of(id);
  // Comparisons with NaN are false: an interval that is not there stays away.
  if (estimate.lower < range.least) estimate.lower = range.least;
  if (estimate.upper > range.most) estimate.upper = range.most;
  return estimate;
}

const SeriesInfo* find_series(std::string_view kind, std::string_view metric) {
  for (const Family& family : families()) {
    for (const SeriesInfo& info : family.series) {
      const bool same = metric == info.metric ||
                        (metric.starts_with(info.metric) && metric[info.metric.size()] == '.');
      if (info.kind == kind && same) return &info;
    }
  }
  return nullptr;
}

std::string renamed(std::string_view id) {
  for (const Family& family : families()) {
    for (const auto& [before, now] : family.formerly) {
      if (id == before) return std::string(now);
      if (id.starts_with(before) && id[before.size()] == '.') {
        return std::string(now) + std::string(id.substr(before.size()));
      }
    }
  }
  return {};
}

Row make_row(std::string_view id, const Comparison& comparison, const Request& request) {
  const MetricInfo* info = find_metric(id);
  assert(info != nullptr && "every id that a metric group produces is in its list");
  Row row;
  row.metric = id;
  row.subject = comparison.subject;
  row.direction = info->direction;
  row.ideal = info->ideal;
  row.control = comparison.control;
  row.seed = request.seed;
  return row;
}

Subject subject_of(const evidence::Model& model) { return {model.role, model.method, model.name}; }
Subject subject_of(const evidence::Group& group) { return {group.role, group.method, {}}; }

}  // namespace vestige::metrics
