// Retrained, original and partly retrained models and power over replicates.
#include "vestige/study/controls_table.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "vestige/audit/controls.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/stats/statistics.h"
#include "vestige/metrics/stats/t_tests.h"
#include "vestige/study/design_blocks.h"
#include "vestige/study/inherit_controls.h"
#include "vestige/study/reliability.h"

namespace vestige::study {
namespace {

using metrics::Control;
using metrics::Direction;
using result::Code;

constexpr std::size_t kFewestReplicates = 3;  // for a test over replicates

const MethodColumn* with_role(const BlockTable& table, Control role) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const MethodColumn& column) { return column.role == role; });
  return found == table.columns.end() ? nullptr : &*found;
}

/// "partial/25" -> 25; NaN where the name is no number.
double removed_share(const std::string& method) {
  const std::string text = method.substr(method.find('/') + 1);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return text.empty() || *end != '\0' ? metrics::kUndefined : value;
}

std::vector<const MethodColumn*> grades(const BlockTable& table) {
  std::vector<const MethodColumn*> found;
  for (const MethodColumn& column : table.columns) {
    if (column.role == Control::graded && !std::isnan(removed_share(column.method))) {
      found.push_back(&column);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const MethodColumn* left, const MethodColumn* right) {
                     return removed_share(left->method) < removed_share(right->method);
                   });
  return found;
}

/// Values turned so that large is bad, one per block: for match, the original's side is bad.
std::vector<double> turned(const MethodColumn& column, double sign) {
  std::vector<double> values;
  for (const BlockCell& cell : column.cells) values.push_back(sign * cell.value);
  return values;
}

double bad_side(Direction direction, const MethodColumn& original, const MethodColumn& retrained) {
  if (direction == Direction::lower) return 1;
  if (direction == Direction::higher) return -1;
  return metrics::mean(values_of(original)) < metrics::mean(values_of(retrained)) ? -1 : 1;
}

/// Values of the blocks that have both.
struct Paired {
  std::vector<double> before;
  std::vector<double> after;
};

Paired pair(const MethodColumn& from, const MethodColumn& to, double sign) {
  const std::vector<double> left = turned(from, sign);
  const std::vector<double> right = turned(to, sign);
  Paired paired;
  for (std::size_t block = 0; block < left.size(); ++block) {
    if (std::isnan(left[block]) || std::isnan(right[block])) continue;
    paired.before.push_back(left[block]);
    paired.after.push_back(right[block]);
  }
  return paired;
}

GradeStep step_between(const MethodColumn& from, const MethodColumn& to, double sign) {
  const Paired own = pair(from, to, sign);
  const metrics::PairedT better = metrics::paired_t(own.before, own.after);
  GradeStep step{.from = from.method, .to = to.method, .n = better.n};
  step.gain = better.mean_difference;
  step.p_better = better.p;
  step.p_worse = metrics::paired_t(own.before, own.after, metrics::Alternative::less).p;
  return step;
}

void fill_grades(const std::vector<const MethodColumn*>& ladder, double sign, ControlRow& row) {
  for (std::size_t place = 1; place + 1 < ladder.size(); ++place) {
    const MethodColumn& grade = *ladder[place];
    row.graded.values.push_back({grade.method, removed_share(grade.method), values_of(grade).size(),
                                 metrics::within(row.measure.metric, mean_of(grade))});
  }
  for (std::size_t less = 1; less + 1 < ladder.size(); ++less) {
    for (std::size_t more = less + 1; more + 1 < ladder.size(); ++more) {
      row.graded.between.push_back(step_between(*ladder[less], *ladder[more], sign));
    }
  }
  bool gains = true;
  for (std::size_t place = 1; place < ladder.size(); ++place) {
    row.graded.steps.push_back(step_between(*ladder[place - 1], *ladder[place], sign));
    gains = gains && row.graded.steps.back().gain > 0;
  }
  row.graded.in_order = gains;
  for (std::size_t block = 0; block < ladder.front()->cells.size(); ++block) {
    bool complete = true, falls = true;
    for (std::size_t place = 0; place < ladder.size(); ++place) {
      const double own = sign * ladder[place]->cells[block].value;
      complete = complete && !std::isnan(own);
      if (place > 0) falls = falls && own < sign * ladder[place - 1]->cells[block].value;
    }
    if (!complete) continue;
    ++row.graded.replicates;
    if (falls) ++row.graded.ordered_replicates;
  }
}

/// Turned values of the models of each role within one split.
struct Within {
  std::vector<double> original;
  std::vector<double> retrained;
};

double squares_about_mean(const std::vector<double>& values) {
  return values.size() < 2 ? 0 : metrics::variance(values) * static_cast<double>(values.size() - 1);
}

void fill_power(const BlockTable& table, const MethodColumn& original,
                const MethodColumn& retrained, double sign, ControlRow& row) {
  std::map<std::uint64_t, Within> splits;
  for (std::size_t block = 0; block < table.blocks.size(); ++block) {
    Within& split = splits[table.blocks[block].split_seed];
    const double worse = sign * original.cells[block].value;
    const double better = sign * retrained.cells[block].value;
    if (!std::isnan(worse)) split.original.push_back(worse);
    if (!std::isnan(better)) split.retrained.push_back(better);
  }
  double wins = 0, squares = 0, freedom = 0;
  std::vector<double> differences;
  for (const auto& [seed, split] : splits) {
    if (split.original.empty() || split.retrained.empty()) continue;
    for (const double worse : split.original) {
      for (const double better : split.retrained) {
        wins += worse > better ? 1 : worse == better ? 0.5 : 0;
        ++row.pairs;
      }
    }
    differences.push_back(metrics::mean(split.original) - metrics::mean(split.retrained));
    squares += squares_about_mean(split.original) + squares_about_mean(split.retrained);
    freedom += static_cast<double>(split.original.size() + split.retrained.size() - 2);
  }
  if (row.pairs == 0) return;
  row.power = wins / static_cast<double>(row.pairs);
  // With one model of each role per split their spread is seen only in the differences, whose
  // variance is twice that of one model. Two values show no spread worth dividing by.
  double variance = metrics::kUndefined;
  if (freedom >= 2) {
    variance = squares / freedom;
  } else if (differences.size() >= kFewestReplicates) {
    variance = metrics::variance(differences) / 2;
  }
  if (variance > 0) row.d_prime = metrics::mean(differences) / std::sqrt(variance);
}

/// Per cent of the forget set that a model of a step was trained without.
double removed_by(const std::string& name) {
  if (name == "original") return 0;
  return name == "retrained" ? 100 : removed_share(name);
}

/// The first reason to call the metric failed; empty if there is none.
result::Reason failure(const ControlRow& row, const metrics::PairedT& gap, bool asked,
                       const result::Reasons& why) {
  if (row.unreliable > 0.5) return result::reason(Code::often_unreliable, row.unreliable, why);
  if (!asked) return {};
  if (gap.n >= kFewestReplicates && !(gap.lower > 0)) {
    return result::reason(Code::original_not_shown_worse, gap.n, gap.mean_difference, gap.lower,
                          gap.upper);
  }
  for (const GradeStep& step : row.graded.steps) {
    if (step.n >= kFewestReplicates && step.p_worse < kSignificant) {
      return result::reason(Code::worse_with_more_removed, removed_by(step.from),
                            removed_by(step.to), step.p_worse, step.n);
    }
  }
  return {};
}

void judge(const MethodColumn* original, const MethodColumn* retrained, double sign,
           const result::Reasons& why, ControlRow& row) {
  if (original == nullptr || retrained == nullptr) {
    row.reason = failure(row, {}, false, why);
    if (!row.reason.empty()) {
      row.verdict = ControlVerdict::failed;
      return;
    }
    row.reason = original == nullptr ? Code::no_original_in_setting : Code::no_retrained_in_setting;
    return;
  }
  const Paired own = pair(*original, *retrained, sign);
  const metrics::PairedT gap = metrics::paired_t(own.before, own.after);
  const metrics::MetricInfo* info = metrics::find_metric(row.measure.metric);
  const bool asked = info == nullptr || info->shows_forgetting;
  row.reason = failure(row, gap, asked, why);
  if (!row.reason.empty()) {
    row.verdict = ControlVerdict::failed;
  } else if (!asked) {
    row.reason = Code::not_meant_to_discriminate;
  } else if (std::isnan(row.unreliable) && gap.n < kFewestReplicates) {
    row.reason = result::reason(Code::few_replicates_no_interval, gap.n);
  } else {
    row.verdict = ControlVerdict::passed;
    row.reason = gap.n >= kFewestReplicates ? result::reason(Code::original_shown_worse, gap.n)
                                            : result::Reason(Code::audits_discriminate);
  }
}

ControlRow control_row(const std::vector<StudyRow>& rows, const BlockTable& table,
                       const Measure& measure, const std::string& variant, std::uint64_t seed) {
  ControlRow row{.measure = measure, .variant = variant, .direction = table.direction};
  row.replicates = table.blocks.size();
  const MethodColumn* original = with_role(table, Control::original);
  const MethodColumn* retrained = with_role(table, Control::retrained);
  const MethodColumn* constant = with_role(table, Control::constant);
  const auto mean = [&](const MethodColumn& column) {
    return metrics::within(measure.metric, mean_of(column));
  };
  if (original != nullptr) row.original = mean(*original);
  if (retrained != nullptr) row.retrained = mean(*retrained);
  if (constant != nullptr) row.constant = mean(*constant);
  std::vector<const MethodColumn*> ladder = grades(table);
  double sign = 1;
  const Reliability seen = unreliable_share(rows, measure, variant, seed);
  if (original == nullptr || retrained == nullptr) {
    // The audits judged it in another setting (at half the models) and marked it here too.
    if (seen.unreliable > 0) {
      row.unreliable = static_cast<double>(seen.unreliable) / static_cast<double>(seen.measured);
    }
  } else {
    sign = bad_side(table.direction, *original, *retrained);
    fill_power(table, *original, *retrained, sign, row);
    row.unreliable = seen.share;
    if (!ladder.empty()) {
      ladder.insert(ladder.begin(), original);
      ladder.push_back(retrained);
      fill_grades(ladder, sign, row);
    }
  }
  row.fooled = retrained != nullptr && constant != nullptr && table.direction != Direction::match &&
               metrics::mean(badness_of(*constant)) <= metrics::mean(badness_of(*retrained));
  judge(original, retrained, sign, seen.notes, row);
  return row;
}

bool has_control(const BlockTable& table) {
  return std::any_of(table.columns.begin(), table.columns.end(), [](const MethodColumn& column) {
    return column.role != Control::none && !values_of(column).empty();
  });
}

/// Whether an audit called a value unreliable.
bool has_mark(const BlockTable& table) {
  for (const MethodColumn& column : table.columns) {
    for (const BlockCell& cell : column.cells) {
      for (const StudyRow* row : cell.rows) {
        if (row->row.status == metrics::Status::unreliable) return true;
      }
    }
  }
  return false;
}

/// Whether graded retrains must lie in order: metrics that passed, and scores with an ideal (MIAU,
/// which original and retrained calibrate).
bool should_be_ordered(const ControlRow& row) {
  if (row.verdict == ControlVerdict::passed) return true;
  const metrics::MetricInfo* info = metrics::find_metric(row.measure.metric);
  return info != nullptr && !std::isnan(info->ideal) && row.direction != Direction::match;
}

}  // namespace

std::vector<ControlRow> controls_table(const std::vector<StudyRow>& rows, std::uint64_t seed) {
  std::vector<ControlRow> table;
  const std::vector<double> bad = badness(rows);
  for (const Measure& measure : measures(rows)) {
    for (const std::string& variant : variants(rows)) {
      const BlockTable blocks = block_table(rows, bad, measure, variant);
      const bool judged = has_control(blocks) || has_mark(blocks);
      if (judged || (is_derived(measure.metric) && !blocks.blocks.empty())) {
        table.push_back(control_row(rows, blocks, measure, variant, seed));
      }
    }
  }
  inherit_failures(table);
  return table;
}

result::Reasons failed_controls(const std::vector<ControlRow>& table) {
  std::set<std::string> all_audits;
  for (const ControlRow& row : table) all_audits.insert(row.measure.audit);
  result::Reasons reasons;
  std::set<std::string> fooled;
  for (const ControlRow& row : table) {
    const std::string metric = label(row.measure, all_audits.size() > 1);
    if (row.verdict == ControlVerdict::failed) {
      reasons.push_back(
          result::reason(Code::failed_controls_in_variant, metric, row.variant, row.reason));
    } else if (!row.graded.in_order.value_or(true) && should_be_ordered(row)) {
      reasons.push_back(result::reason(Code::grades_not_in_order, metric, row.variant,
                                       row.graded.ordered_replicates, row.graded.replicates));
    }
    if (row.fooled && row.verdict != ControlVerdict::not_testable &&
        fooled.insert(row.measure.metric).second) {
      reasons.push_back(result::reason(Code::constant_as_good_in_variant, metric, row.variant,
                                       row.constant.value, row.retrained.value));
    }
  }
  return reasons;
}

}  // namespace vestige::study
