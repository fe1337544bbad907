// Measures, and how bad a value is.
#include "vestige/study/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "vestige/audit/controls.h"

namespace vestige::study {
namespace {

using metrics::Control;
using metrics::Direction;

void add_new(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// How well a setting stands for its metric: a method was measured, else anything was.
int fitness(const StudyRow& row) {
  if (std::isnan(row.row.value)) return 0;
  return is_method(row.row.subject) ? 2 : 1;
}

double distance(const metrics::Row& row, double reference) {
  if (!std::isnan(reference)) return std::abs(row.value - reference);
  return std::abs(row.value - row.ideal);
}

using Pool = std::tuple<std::string, std::uint64_t, std::uint64_t, Measure>;

Pool pool_of(const StudyRow& row) {
  return {row.variant, row.split_seed, row.attack_seed, measure_of(row)};
}

}  // namespace

Measure measure_of(const StudyRow& row) {
  return {row.row.metric, audit::setting(row.row), row.audit};
}

bool in_setup(const Measure& measure) {
  const auto named = [&](const char* setup) {
    return measure.setting.find(fmt::format("setup=\"{}\";", setup)) != std::string::npos;
  };
  return named("full") || named("reuse-n-n") || named("reuse-n-1") || named("bootstrap");
}

std::vector<Measure> measures(const std::vector<StudyRow>& rows,
                              const std::vector<std::string>& wanted, bool every_setting) {
  std::vector<Measure> all;
  std::set<Measure> seen;
  std::map<std::pair<std::string, Measure>, int> fits;  // by variant
  for (const StudyRow& row : rows) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), row.audit) == wanted.end()) {
      continue;
    }
    const Measure measure = measure_of(row);
    if (seen.insert(measure).second) all.push_back(measure);
    int& fit = fits[{row.variant, measure}];
    fit = std::max(fit, fitness(row));
  }
  if (every_setting) return all;
  // The first setting of the best fitness, variant by variant: variants may differ in what they
  // measure with.
  std::map<std::tuple<std::string, std::string, std::string>, const Measure*> chosen;
  for (const std::string& variant : variants(rows)) {
    for (const Measure& measure : all) {
      const auto own = fits.find({variant, measure});
      if (own == fits.end()) continue;
      const Measure*& first = chosen[{variant, measure.audit, measure.metric}];
      if (first == nullptr || own->second > fits.at({variant, *first})) first = &measure;
    }
  }
  std::set<Measure> kept;
  for (const auto& [key, measure] : chosen) kept.insert(*measure);
  std::erase_if(all, [&](const Measure& measure) { return kept.count(measure) == 0; });
  return all;
}

std::vector<std::string> variants(const std::vector<StudyRow>& rows) {
  std::vector<std::string> names;
  for (const StudyRow& row : rows) add_new(names, row.variant);
  return names;
}

std::vector<std::string> audits(const std::vector<StudyRow>& rows) {
  std::vector<std::string> names;
  for (const StudyRow& row : rows) add_new(names, row.audit);
  return names;
}

bool is_control_method(std::string_view method) {
  return method == "identity" || method == "collapse";
}

bool is_method(const metrics::Subject& subject) {
  return subject.role == "unlearned" && !is_control_method(subject.method) &&
         subject.method != "retrain";
}

std::vector<double> badness(const std::vector<StudyRow>& rows) {
  std::map<Pool, std::vector<std::size_t>> retrained_rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].row.control != Control::retrained || std::isnan(rows[i].row.value)) continue;
    retrained_rows[pool_of(rows[i])].push_back(i);
  }
  std::vector<double> result(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const metrics::Row& row = rows[i].row;
    if (row.direction == Direction::lower) {
      result[i] = row.value;
    } else if (row.direction == Direction::higher) {
      result[i] = -row.value;
    } else {
      result[i] = distance(row, row.reference);
    }
  }
  for (const auto& [pool, members] : retrained_rows) {
    for (std::size_t place = 0; members.size() > 1 && place < members.size(); ++place) {
      const metrics::Row& row = rows[members[place]].row;
      if (row.direction != Direction::match || !std::isnan(row.reference)) continue;
      result[members[place]] = distance(row, rows[members[(place + 1) % members.size()]].row.value);
    }
  }
  return result;
}

}  // namespace vestige::study
