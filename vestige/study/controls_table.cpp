// Floor, ceiling, graded retrains and power over replicates.
#include "vestige/study/controls_table.h"

#include <fmt/format.h>

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

constexpr std::size_t kFewestReplicates = 3;  // for a test over replicates

const Column* with_role(const BlockTable& table, Control role) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const Column& column) { return column.role == role; });
  return found == table.columns.end() ? nullptr : &*found;
}

/// "partial/25" -> 25; NaN where the name is no number.
double removed_share(const std::string& method) {
  const std::string text = method.substr(method.find('/') + 1);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return text.empty() || *end != '\0' ? metrics::kUndefined : value;
}

std::vector<const Column*> grades(const BlockTable& table) {
  std::vector<const Column*> found;
  for (const Column& column : table.columns) {
    if (column.role == Control::graded && !std::isnan(removed_share(column.method))) {
      found.push_back(&column);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Column* left, const Column* right) {
    return removed_share(left->method) < removed_share(right->method);
  });
  return found;
}

/// Values turned so that large is bad, one per block: for match, the original's side is bad.
std::vector<double> turned(const Column& column, double sign) {
  std::vector<double> values;
  for (const Cell& cell : column.cells) values.push_back(sign * cell.value);
  return values;
}

double bad_side(Direction direction, const Column& ceiling, const Column& floor) {
  if (direction == Direction::lower) return 1;
  if (direction == Direction::higher) return -1;
  return metrics::mean(values_of(ceiling)) < metrics::mean(values_of(floor)) ? -1 : 1;
}

/// Values of the blocks that have both.
struct Paired {
  std::vector<double> before;
  std::vector<double> after;
};

Paired pair(const Column& from, const Column& to, double sign) {
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

GradeStep step_between(const Column& from, const Column& to, double sign) {
  const Paired own = pair(from, to, sign);
  const metrics::PairedT better = metrics::paired_t(own.before, own.after);
  GradeStep step{.from = from.method, .to = to.method, .n = better.n};
  step.gain = better.mean_difference;
  step.p_better = better.p;
  step.p_worse = metrics::paired_t(own.before, own.after, metrics::Alternative::less).p;
  return step;
}

void fill_grades(const std::vector<const Column*>& ladder, double sign, ControlRow& row) {
  for (std::size_t place = 1; place + 1 < ladder.size(); ++place) {
    const Column& grade = *ladder[place];
    row.graded.push_back({grade.method, removed_share(grade.method),
                          metrics::within(row.measure.metric, mean_of(grade)),
                          values_of(grade).size()});
  }
  for (std::size_t less = 1; less + 1 < ladder.size(); ++less) {
    for (std::size_t more = less + 1; more + 1 < ladder.size(); ++more) {
      row.between.push_back(step_between(*ladder[less], *ladder[more], sign));
    }
  }
  row.graded_in_order = true;
  for (std::size_t place = 1; place < ladder.size(); ++place) {
    row.steps.push_back(step_between(*ladder[place - 1], *ladder[place], sign));
    row.graded_in_order = row.graded_in_order && row.steps.back().gain > 0;
  }
  for (std::size_t block = 0; block < ladder.front()->cells.size(); ++block) {
    bool complete = true, falls = true;
    for (std::size_t place = 0; place < ladder.size(); ++place) {
      const double own = sign * ladder[place]->cells[block].value;
      complete = complete && !std::isnan(own);
      if (place > 0) falls = falls && own < sign * ladder[place - 1]->cells[block].value;
    }
    if (!complete) continue;
    ++row.graded_replicates;
    if (falls) ++row.ordered;
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

void fill_power(const BlockTable& table, const Column& ceiling, const Column& floor, double sign,
                ControlRow& row) {
  std::map<std::uint64_t, Within> splits;
  for (std::size_t block = 0; block < table.blocks.size(); ++block) {
    Within& split = splits[table.blocks[block].split_seed];
    const double worse = sign * ceiling.cells[block].value;
    const double better = sign * floor.cells[block].value;
    if (!std::isnan(worse)) split.original.push_back(worse);
    if (!std::isnan(better)) split.retrained.push_back(better);
  }
  double wins = 0, squares = 0, freedom = 0;
  std::vector<double> differences;
  for (const auto& [seed, split] : splits) {
    if (split.original.empty() || split.retrained.empty()) continue;
    for (const double original : split.original) {
      for (const double retrained : split.retrained) {
        wins += original > retrained ? 1 : original == retrained ? 0.5 : 0;
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

std::string name_of(const std::string& grade) {
  return grade.starts_with("partial/") ? grade.substr(8) + " % removed" : grade;
}

/// The first reason to call the metric failed; empty if there is none.
std::string failure(const ControlRow& row, const metrics::PairedT& gap, bool asked,
                    const std::string& why) {
  if (row.unreliable > 0.5) {
    return fmt::format("{:.0f} % of the audits called it unreliable{}{}", 100 * row.unreliable,
                       why.empty() ? "" : ": ", why);
  }
  if (!asked) return {};
  if (gap.n >= kFewestReplicates && !(gap.lower > 0)) {
    return fmt::format(
        "original is not shown to be worse than retrained over {} replicates (difference {:.4g}, "
        "95 % interval [{:.3g}, {:.3g}])",
        gap.n, gap.mean_difference, gap.lower, gap.upper);
  }
  for (const GradeStep& step : row.steps) {
    if (step.n >= kFewestReplicates && step.p_worse < kSignificant) {
      return fmt::format("it gets worse from {} to {} (p = {:.2g} over {} replicates)",
                         name_of(step.from), name_of(step.to), step.p_worse, step.n);
    }
  }
  return {};
}

void judge(const Column* ceiling, const Column* floor, double sign, const std::string& why,
           ControlRow& row) {
  if (ceiling == nullptr || floor == nullptr) {
    row.reason = failure(row, {}, false, why);
    if (!row.reason.empty()) {
      row.verdict = ControlVerdict::failed;
      return;
    }
    row.reason = ceiling == nullptr ? "no original was measured in this setting"
                                    : "no retrained model was measured in this setting";
    return;
  }
  const Paired own = pair(*ceiling, *floor, sign);
  const metrics::PairedT gap = metrics::paired_t(own.before, own.after);
  const metrics::MetricInfo* info = metrics::find_metric(row.measure.metric);
  const bool asked = info == nullptr || info->shows_forgetting;
  row.reason = failure(row, gap, asked, why);
  if (!row.reason.empty()) {
    row.verdict = ControlVerdict::failed;
  } else if (!asked) {
    row.reason = "it is not asked to tell original from retrained";
  } else if (std::isnan(row.unreliable) && gap.n < kFewestReplicates) {
    row.reason = fmt::format("too few replicates ({}) and no interval of its own", gap.n);
  } else {
    row.verdict = ControlVerdict::passed;
    row.reason = gap.n >= kFewestReplicates
                     ? fmt::format("original is worse than retrained over {} replicates", gap.n)
                     : "the audits tell original from retrained";
  }
}

ControlRow control_row(const std::vector<StudyRow>& rows, const BlockTable& table,
                       const Measure& measure, const std::string& arm, std::uint64_t seed) {
  ControlRow row{.measure = measure, .arm = arm, .direction = table.direction};
  row.replicates = table.blocks.size();
  const Column* ceiling = with_role(table, Control::ceiling);
  const Column* floor = with_role(table, Control::floor);
  const Column* collapsed = with_role(table, Control::collapsed);
  const auto mean = [&](const Column& column) {
    return metrics::within(measure.metric, mean_of(column));
  };
  if (ceiling != nullptr) row.ceiling = mean(*ceiling);
  if (floor != nullptr) row.floor = mean(*floor);
  if (collapsed != nullptr) row.collapsed = mean(*collapsed);
  std::vector<const Column*> ladder = grades(table);
  double sign = 1;
  const Reliability seen = unreliable_share(rows, measure, arm, seed);
  const std::string& why = seen.note;
  if (ceiling == nullptr || floor == nullptr) {
    // The audits judged it in another setting (at half the models) and marked it here too.
    if (seen.unreliable > 0) {
      row.unreliable = static_cast<double>(seen.unreliable) / static_cast<double>(seen.measured);
    }
  } else {
    sign = bad_side(table.direction, *ceiling, *floor);
    fill_power(table, *ceiling, *floor, sign, row);
    row.unreliable = seen.share;
    if (!ladder.empty()) {
      ladder.insert(ladder.begin(), ceiling);
      ladder.push_back(floor);
      fill_grades(ladder, sign, row);
    }
  }
  row.fooled = floor != nullptr && collapsed != nullptr && table.direction != Direction::match &&
               metrics::mean(badness_of(*collapsed)) <= metrics::mean(badness_of(*floor));
  judge(ceiling, floor, sign, why, row);
  return row;
}

bool has_control(const BlockTable& table) {
  return std::any_of(table.columns.begin(), table.columns.end(), [](const Column& column) {
    return column.role != Control::none && !values_of(column).empty();
  });
}

/// Whether an audit called a value unreliable.
bool has_mark(const BlockTable& table) {
  for (const Column& column : table.columns) {
    for (const Cell& cell : column.cells) {
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

std::string_view name(ControlVerdict verdict) {
  switch (verdict) {
    case ControlVerdict::passed:
      return "passed";
    case ControlVerdict::failed:
      return "failed";
    case ControlVerdict::not_testable:
      return "not testable";
  }
  return "";
}

std::vector<ControlRow> controls_table(const std::vector<StudyRow>& rows, std::uint64_t seed) {
  std::vector<ControlRow> table;
  const std::vector<double> bad = badness(rows);
  for (const Measure& measure : measures(rows)) {
    for (const std::string& arm : arms(rows)) {
      const BlockTable blocks = block_table(rows, bad, measure, arm);
      const bool judged = has_control(blocks) || has_mark(blocks);
      if (judged || (is_derived(measure.metric) && !blocks.blocks.empty())) {
        table.push_back(control_row(rows, blocks, measure, arm, seed));
      }
    }
  }
  inherit_failures(table);
  return table;
}

std::vector<std::string> failed_controls(const std::vector<ControlRow>& table) {
  std::set<std::string> all_audits;
  for (const ControlRow& row : table) all_audits.insert(row.measure.audit);
  std::vector<std::string> sentences;
  std::set<std::string> fooled;
  for (const ControlRow& row : table) {
    const std::string who =
        fmt::format("{}, arm {}", label(row.measure, all_audits.size() > 1), row.arm);
    if (row.verdict == ControlVerdict::failed) {
      sentences.push_back(fmt::format("{} failed: {}", who, row.reason));
    } else if (!row.steps.empty() && !row.graded_in_order && should_be_ordered(row)) {
      const std::string counted = row.graded_replicates > 0
                                      ? fmt::format(" (they are in {} of {} replicates)",
                                                    row.ordered, row.graded_replicates)
                                      : "";
      sentences.push_back(
          fmt::format("{}: the means of graded retrains are not in order between original and "
                      "retrained{}",
                      who, counted));
    }
    if (row.fooled && row.verdict != ControlVerdict::not_testable &&
        fooled.insert(row.measure.metric).second) {
      sentences.push_back(
          fmt::format("{}: a constant predictor ({:.4g}) is as good as retrained ({:.4g}): read it "
                      "only beside the accuracies",
                      who, row.collapsed.value, row.floor.value));
    }
  }
  return sentences;
}

}  // namespace vestige::study
