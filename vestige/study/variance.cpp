// Variance components of split, training, unlearning and attack, method by method.
#include "vestige/study/variance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "vestige/metrics/stats/statistics.h"
#include "vestige/metrics/stats/variance_components.h"

namespace vestige::study {
namespace {

constexpr std::array kLevels = {Level::split, Level::training, Level::unlearning, Level::attack};

/// Numbers for names, in the order of first use.
class Numbering {
 public:
  std::size_t of(const std::string& name) {
    return numbers_.try_emplace(name, numbers_.size()).first->second;
  }

 private:
  std::map<std::string, std::size_t> numbers_;
};

/// Values of one method with their places in the design.
struct Sample {
  bool method = false;
  std::vector<double> values{};
  std::vector<std::vector<std::size_t>> groups{3};  ///< split, training, unlearning
};

std::vector<std::string> names_of(const std::vector<Level>& levels) {
  std::vector<std::string> names;
  for (const Level level : levels) names.emplace_back(result::name(level));
  return names;
}

bool holds(const std::vector<Level>& levels, Level level) {
  return std::find(levels.begin(), levels.end(), level) != levels.end();
}

result::Reason source_of(const VarianceRow& row) {
  const auto found = std::find_if(row.levels.begin(), row.levels.end(),
                                  [&](const LevelShare& own) { return own.level == row.noisiest; });
  if (found == row.levels.end()) {
    return row.total == 0 ? result::Code::no_noise : result::Code::noise_not_seen;
  }
  std::vector<Level> unseen;
  for (const LevelShare& level : row.levels) {
    const bool inside =
        std::any_of(row.levels.begin(), row.levels.end(),
                    [&](const LevelShare& other) { return holds(other.includes, level.level); });
    if (!level.estimable && !inside) unseen.push_back(level.level);
  }
  return result::reason(result::Code::noise_mostly_from, found->share, result::name(found->level),
                        names_of(found->includes), names_of(unseen));
}

void finish(VarianceRow& row) {
  double largest = 0;
  for (const LevelShare& level : row.levels) {
    if (level.estimable && level.share > largest) {
      largest = level.share;
      row.noisiest = level.level;
    }
  }
  row.source = source_of(row);
}

VarianceRow break_down(const Sample& sample) {
  const metrics::VarianceComponents components =
      metrics::variance_components(sample.values, sample.groups);
  VarianceRow row{.n = components.n, .mean = components.mean, .total = components.total};
  for (std::size_t place = 0; place < kLevels.size(); ++place) {
    const metrics::VarianceLevel& own = components.levels[place];
    LevelShare level{.level = kLevels[place],
                     .groups = own.groups,
                     .estimable = own.estimable,
                     .component = own.component,
                     .share = own.share,
                     .negative = own.raw < 0};
    for (const std::size_t inner : own.includes) level.includes.push_back(kLevels[inner]);
    row.levels.push_back(std::move(level));
  }
  finish(row);
  return row;
}

/// Mean of the components over the methods in which a level is estimable. Levels that one of them
/// cannot tell apart cannot be told apart in the mean.
VarianceRow average(const std::vector<VarianceRow>& methods) {
  VarianceRow result{.method = "*", .mean = metrics::kUndefined, .total = 0};
  for (const VarianceRow& row : methods) result.n += row.n;
  bool any = false;
  for (std::size_t place = 0; place < kLevels.size(); ++place) {
    LevelShare level{.level = kLevels[place]};
    std::vector<double> components;
    for (const VarianceRow& row : methods) {
      const LevelShare& own = row.levels[place];
      level.groups += own.groups;
      if (own.estimable) components.push_back(own.component);
      for (const Level inner : own.includes) {
        if (!holds(level.includes, inner)) level.includes.push_back(inner);
      }
    }
    level.estimable = !components.empty();
    level.component = metrics::mean(components);
    if (level.estimable) result.total += level.component;
    any = any || level.estimable;
    result.levels.push_back(std::move(level));
  }
  if (!any) result.total = metrics::kUndefined;
  for (LevelShare& level : result.levels) {
    if (level.estimable && result.total > 0) level.share = level.component / result.total;
  }
  finish(result);
  return result;
}

struct NamedSample {
  std::string method;
  Sample sample;
};

std::vector<NamedSample> samples_of(const std::vector<StudyRow>& rows, const Measure& measure,
                                    const std::string& variant) {
  std::vector<NamedSample> samples;
  Numbering splits, originals, runs;
  for (const StudyRow& row : rows) {
    if (row.row.metric != measure.metric || row.variant != variant || std::isnan(row.row.value))
      continue;
    if (measure_of(row) != measure) continue;
    const metrics::Subject& subject = row.row.subject;
    const std::string method = method_label(subject);
    auto found = std::find_if(samples.begin(), samples.end(),
                              [&](const NamedSample& own) { return own.method == method; });
    if (found == samples.end()) {
      samples.push_back({method, {.method = is_method(subject)}});
      found = samples.end() - 1;
    }
    found->sample.values.push_back(row.row.value);
    found->sample.groups[0].push_back(splits.of(std::to_string(row.split_seed)));
    found->sample.groups[1].push_back(originals.of(original_of(subject)));
    found->sample.groups[2].push_back(runs.of(run_of(subject)));
  }
  return samples;
}

}  // namespace

std::vector<VarianceRow> variance_breakdown(const std::vector<StudyRow>& rows,
                                            const VarianceOptions& options) {
  std::vector<VarianceRow> result;
  std::vector<std::string> wanted = options.audits;
  if (wanted.empty() && !rows.empty()) wanted = {rows.front().audit};
  for (const Measure& measure : measures(rows, wanted, options.every_setting)) {
    for (const std::string& variant : variants(rows)) {
      std::vector<VarianceRow> methods;
      const std::size_t first = result.size();
      for (const NamedSample& own : samples_of(rows, measure, variant)) {
        result.push_back(break_down(own.sample));
        result.back().method = own.method;
        if (own.sample.method) methods.push_back(result.back());
      }
      if (!methods.empty()) result.push_back(average(methods));
      for (std::size_t place = first; place < result.size(); ++place) {
        VarianceRow& row = result[place];
        row.measure = measure;
        row.variant = variant;
      }
    }
  }
  return result;
}

}  // namespace vestige::study
