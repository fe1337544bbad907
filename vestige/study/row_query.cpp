// Selecting rows and comparing queries.
#include "vestige/study/row_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "vestige/audit/controls.h"
#include "vestige/metrics/stats/statistics.h"
#include "vestige/metrics/stats/t_tests.h"
#include "vestige/study/measure.h"

namespace vestige::study {
namespace {

constexpr std::size_t kFewest = 3;  // replicates for a t interval

bool same(const Json& left, const Json& right) {
  if (!left.is_number() || !right.is_number()) return left == right;
  const double a = left.get<double>();
  const double b = right.get<double>();
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

/// A setting or a fact of the row: a check may ask for either.
const Json* parameter(const metrics::Row& row, const std::string& key) {
  for (const Json* place : {&row.settings, &row.facts}) {
    const auto found = place->find(key);
    if (found != place->end()) return &*found;
  }
  return nullptr;
}

bool fits(const StudyRow& row, const RowQuery& query) {
  const metrics::Subject& subject = row.row.subject;
  if (row.row.metric != query.metric) return false;
  if (!query.variant.empty() && row.variant != query.variant) return false;
  if (!query.audit.empty() && row.audit != query.audit) return false;
  if (query.split_seed && row.split_seed != *query.split_seed) return false;
  if (query.method == "*" ? !is_method(subject) : method_label(subject) != query.method) {
    return false;
  }
  for (const auto& [key, value] : query.params.items()) {
    const Json* own = parameter(row.row, key);
    if (own == nullptr || !same(*own, value)) return false;
  }
  return true;
}

double value_of(const metrics::Row& row, bool gap) {
  if (!gap) return row.value;
  return std::abs(row.value - (std::isnan(row.reference) ? row.ideal : row.reference));
}

/// All fitting rows of the first audit that has any.
std::vector<Selected> candidates(const std::vector<StudyRow>& rows, const RowQuery& query) {
  std::vector<Selected> found;
  for (const StudyRow& row : rows) {
    if (!fits(row, query)) continue;
    const double value = value_of(row.row, query.gap);
    if (std::isnan(value)) continue;
    if (!found.empty() && found.front().row->audit != row.audit) continue;
    found.push_back({&row, value});
  }
  return found;
}

std::string setting_of(const Selected& selected) { return audit::setting(selected.row->row); }

bool has_setting(const std::vector<Selected>& selected, const std::string& setting) {
  return std::any_of(selected.begin(), selected.end(),
                     [&](const Selected& own) { return setting_of(own) == setting; });
}

/// Beside the numbers of a setup, an audit has those of the whole pool, which are the same in all
/// setups of one pool: where every query has a setup, the setups are what is compared.
void prefer_setups(std::vector<std::vector<Selected>>& all) {
  const auto own = [](const Selected& selected) { return in_setup(measure_of(*selected.row)); };
  if (!std::all_of(all.begin(), all.end(), [&](const auto& selected) {
        return std::any_of(selected.begin(), selected.end(), own);
      })) {
    return;
  }
  for (std::vector<Selected>& selected : all) {
    std::erase_if(selected, [&](const Selected& row) { return !own(row); });
  }
}

/// The first setting that every query has; the first of the first one if there is none.
std::string common_setting(const std::vector<std::vector<Selected>>& all) {
  for (const Selected& first : all.front()) {
    const std::string setting = setting_of(first);
    if (std::all_of(all.begin(), all.end(),
                    [&](const auto& other) { return has_setting(other, setting); })) {
      return setting;
    }
  }
  return {};
}

void keep_one_setting(std::vector<Selected>& selected, const std::string& common) {
  std::map<std::string, std::string> chosen;  // by variant
  for (const Selected& own : selected) {
    const auto [place, is_new] = chosen.try_emplace(own.row->variant, setting_of(own));
    if (!is_new && setting_of(own) == common) place->second = common;
  }
  std::erase_if(selected, [&](const Selected& own) {
    return setting_of(own) != chosen.at(own.row->variant);
  });
}

struct Pairs {
  std::vector<double> left;
  std::vector<double> right;
};

Pairs pair(const Replicates& left, const Replicates& right) {
  std::map<std::string, double> values;
  for (std::size_t i = 0; i < right.keys.size(); ++i) values[right.keys[i]] = right.values[i];
  Pairs pairs;
  for (std::size_t i = 0; i < left.keys.size(); ++i) {
    const auto found = values.find(left.keys[i]);
    if (found == values.end()) continue;
    pairs.left.push_back(left.values[i]);
    pairs.right.push_back(found->second);
  }
  return pairs;
}

result::Code t_over(Replicate kind) {
  switch (kind) {
    case Replicate::model:
      return result::Code::t_over_pairs_of_models;
    case Replicate::split:
      return result::Code::t_over_pairs_of_splits;
    case Replicate::run:
      return result::Code::t_over_pairs_of_runs;
    case Replicate::attack:
    case Replicate::split_attack:
      return result::Code::t_over_pairs_of_attack_seeds;
  }
  return result::Code::none;
}

metrics::Estimate own_interval(const std::vector<Selected>& selected, const CheckSide& side) {
  if (side.number) return {*side.number, *side.number, *side.number};
  metrics::Estimate sum{0, 0, 0};
  for (const Selected& own : selected) {
    sum.value += own.value;
    sum.lower += side.query.gap ? metrics::kUndefined : own.row->row.lower;
    sum.upper += side.query.gap ? metrics::kUndefined : own.row->row.upper;
  }
  const auto n = static_cast<double>(selected.size());
  return {sum.value / n, sum.lower / n, sum.upper / n};
}

/// Whether the audit paired the two by example: the original's value then has the interval of its
/// difference to retrained models beside it.
bool paired_by_audit(const std::vector<Selected>& left, const std::vector<Selected>& right) {
  if (left.size() != 1 || right.size() != 1) return false;
  const metrics::Row& ours = left[0].row->row;
  const metrics::Row& theirs = right[0].row->row;
  return ours.metric == theirs.metric && ours.settings == theirs.settings &&
         left[0].row->variant == right[0].row->variant &&
         left[0].row->audit == right[0].row->audit && ours.control == metrics::Control::original &&
         theirs.control == metrics::Control::retrained &&
         ours.facts.contains(audit::kBeyondLower) && ours.facts.contains(audit::kBeyondUpper);
}

/// From the rows' own intervals.
CheckDifference from_rows(const std::vector<Selected>& left, const CheckSide& left_side,
                          const std::vector<Selected>& right, const CheckSide& right_side,
                          std::uint64_t seed) {
  const metrics::Estimate a = own_interval(left, left_side);
  const metrics::Estimate b = own_interval(right, right_side);
  CheckDifference result{
      .left = a.value, .right = b.value, .estimate = {.value = a.value - b.value}};
  result.n = left.size();
  metrics::Row first, second;
  const bool by_row = !left_side.query.gap && !right_side.query.gap && paired_by_audit(left, right);
  if (by_row) first.facts = left[0].row->row.facts;
  first.value = a.value;
  first.lower = a.lower;
  first.upper = a.upper;
  second.value = b.value;
  second.lower = b.lower;
  second.upper = b.upper;
  const audit::Discrimination seen = audit::discriminate(first, second, seed);
  if (std::isnan(seen.lower) || std::isnan(seen.upper)) return result;
  result.estimate.lower = seen.lower;
  result.estimate.upper = seen.upper;
  result.how = by_row              ? result::Code::interval_paired_by_audit
               : right_side.number ? result::Code::interval_of_audit
                                   : result::Code::mover_from_audit_intervals;
  return result;
}

}  // namespace

std::vector<std::vector<Selected>> select(const std::vector<StudyRow>& rows,
                                          const std::vector<RowQuery>& queries) {
  std::vector<std::vector<Selected>> all;
  for (const RowQuery& query : queries) all.push_back(candidates(rows, query));
  if (all.empty()) return all;
  prefer_setups(all);
  const std::string common = common_setting(all);
  for (std::vector<Selected>& selected : all) keep_one_setting(selected, common);
  return all;
}

namespace {

result::Reason values_of(const RowQuery& query, const std::vector<std::string>& ways,
                         const std::vector<std::string>& in_variants,
                         const std::vector<std::string>& params) {
  result::Reason values = result::reason(
      result::Code::values_of, ways, query.method == "*" ? "" : query.method, in_variants,
      query.audit, query.split_seed ? std::to_string(*query.split_seed) : "", params);
  return query.gap ? result::reason(result::Code::gap_of, std::move(values)) : values;
}

}  // namespace

result::Reason describe(const RowQuery& query) {
  std::vector<std::string> in_variants, params;
  if (!query.variant.empty()) in_variants = {query.variant};
  for (const auto& [key, value] : query.params.items()) {
    params.push_back(fmt::format("{}={}", key, point_text(value)));
  }
  return values_of(query, {query.metric}, in_variants, params);
}

result::Reason describe(const RowQuery& query, const std::vector<Selected>& selected) {
  std::vector<std::string> ways, in_variants;
  const auto add = [](std::vector<std::string>& list, const std::string& text) {
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
  };
  for (const Selected& own : selected) {
    add(ways, label(measure_of(*own.row)));
    add(in_variants, own.row->variant);
  }
  return values_of(query, ways, in_variants, {});
}

CheckResult nothing_measured(const RowQuery& query) {
  return {.reasons = {result::reason(result::Code::nothing_measured_for, describe(query))}};
}

std::string point_text(const Json& point) {
  return point.is_string() ? point.get<std::string>() : point.dump();
}

Replicates replicates(const std::vector<Selected>& selected, Replicate kind, bool with_variant,
                      bool with_split) {
  Replicates result;
  std::map<std::string, std::size_t> places;
  std::vector<double> counts;
  for (const Selected& own : selected) {
    std::string key = with_variant ? own.row->variant : std::string();
    if (with_split) key += fmt::format("|split {}", own.row->split_seed);
    if (kind == Replicate::model || kind == Replicate::run || kind == Replicate::attack) {
      key += "|model " + original_of(own.row->row.subject);
    }
    if (kind == Replicate::run || kind == Replicate::attack)
      key += "|run " + run_of(own.row->row.subject);
    if (kind == Replicate::attack || kind == Replicate::split_attack) {
      key += fmt::format("|attack {}", own.row->attack_seed);
    }
    const auto [place, is_new] = places.try_emplace(key, places.size());
    if (is_new) {
      result.keys.push_back(key);
      result.values.push_back(0);
      counts.push_back(0);
    }
    result.values[place->second] += own.value;
    counts[place->second] += 1;
  }
  for (std::size_t i = 0; i < counts.size(); ++i) result.values[i] /= counts[i];
  return result;
}

CheckDifference difference(const std::vector<Selected>& left, const CheckSide& left_side,
                           const std::vector<Selected>& right, const CheckSide& right_side,
                           std::uint64_t seed) {
  const bool with_variant =
      left_side.query.variant.empty() && (right_side.number || right_side.query.variant.empty());
  const bool with_split =
      right_side.number || left_side.query.split_seed == right_side.query.split_seed;
  for (const Replicate kind : {Replicate::model, Replicate::split, Replicate::run,
                               Replicate::attack, Replicate::split_attack}) {
    const Replicates own = replicates(left, kind, with_variant, with_split);
    Replicates other = own;
    if (right_side.number) {
      std::fill(other.values.begin(), other.values.end(), *right_side.number);
    } else {
      other = replicates(right, kind, with_variant, with_split);
    }
    const Pairs pairs = pair(own, other);
    if (pairs.left.size() < kFewest) continue;
    const metrics::PairedT t = metrics::paired_t(pairs.left, pairs.right);
    return {metrics::mean(pairs.left),
            metrics::mean(pairs.right),
            {t.mean_difference, t.lower, t.upper},
            t.n,
            result::reason(t_over(kind), t.n)};
  }
  if (!right_side.number) {
    const Replicates own = replicates(left, Replicate::model, with_variant, true);
    const Replicates other = replicates(right, Replicate::model, with_variant, true);
    const metrics::WelchT welch = metrics::welch_t(own.values, other.values);
    if (own.values.size() >= kFewest && other.values.size() >= kFewest &&
        !std::isnan(welch.lower)) {
      return {metrics::mean(own.values),
              metrics::mean(other.values),
              {welch.mean_difference, welch.lower, welch.upper},
              std::min(own.values.size(), other.values.size()),
              result::reason(result::Code::welch_over_unpaired_models, own.values.size(),
                             other.values.size())};
    }
  }
  return from_rows(left, left_side, right, right_side, seed);
}

RowQuery at_point(RowQuery query, const std::string& over, const Json& point) {
  if (over == "variant") {
    query.variant = point.get<std::string>();
  } else if (over == "audit") {
    query.audit = point.get<std::string>();
  } else if (over == "metric") {
    query.metric = point.get<std::string>();
  } else if (over == "split_seed") {
    query.split_seed = point.get<std::uint64_t>();
  } else {
    query.params[over] = point;
  }
  return query;
}

std::vector<RowQuery> asked_queries(const Check& check) {
  std::vector<RowQuery> queries;
  for (const CheckSide& side : check.sides) {
    if (side.number) continue;
    if (check.at.empty()) queries.push_back(side.query);
    for (const Json& point : check.at) queries.push_back(at_point(side.query, check.over, point));
  }
  return queries;
}

}  // namespace vestige::study
