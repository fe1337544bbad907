// Tables and sentences of an experiment as plain text.
#include "vestige/report/terminal/study_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>
#include <vector>

#include "vestige/metrics/family.h"
#include "vestige/report/blocks.h"
#include "vestige/report/terminal/terminal.h"
#include "vestige/words/study_views.h"
#include "vestige/words/words.h"

namespace vestige::report {
namespace {

using result::CheckResult;
using result::ControlRow;
using result::Measure;
using result::MethodResult;
using result::Study;

constexpr std::size_t kLabelWidth = 30;
constexpr std::size_t kShownDisagreements = 5;

/// What the short text names: audits only where there are several, main metrics only.
struct Shown {
  bool full = false;
  bool audits = false;
  std::size_t width = kTerminalWidth;
};

std::string title(const Measure& measure, const std::string& variant, const Shown& shown) {
  return fmt::format("{}, variant {}", label(measure, shown.audits), variant);
}

bool shows_forgetting(const Measure& measure) {
  const metrics::MetricInfo* info = metrics::find_metric(measure.metric);
  return info == nullptr || info->shows_forgetting;
}

/// Metrics that show forgetting, scores with an ideal that is reached from below, and accuracies.
bool is_main(const Measure& measure) {
  if (shows_forgetting(measure) || is_utility(measure.metric)) return true;
  const metrics::MetricInfo* info = metrics::find_metric(measure.metric);
  return info->direction == metrics::Direction::higher && !std::isnan(info->ideal);
}

std::string interval(const metrics::Estimate& estimate) {
  if (std::isnan(estimate.lower) && std::isnan(estimate.upper)) return "";
  return fmt::format("{} .. {}", table_number(estimate.lower), table_number(estimate.upper));
}

/// The first column before columns of `others`: short where the line is.
std::size_t label_width(std::size_t width, std::size_t others) {
  return std::clamp<std::size_t>(width - std::min(width, 2 + others), 8, kLabelWidth);
}

/// A name for the first column; one that is too long has a line of its own.
std::string label_column(const std::string& name, std::size_t room, std::size_t width) {
  if (name.size() <= room) return fmt::format("  {:<{}}", name, room);
  return wrap(name, "  ", "    ", width) + std::string(2 + room, ' ');
}

/// What is shown without `full`: the measures of the comparison, else the first setting of each
/// metric and audit.
std::set<Measure> main_measures(const Study& study) {
  std::set<Measure> shown;
  for (const auto& metric : study.comparison.metrics) shown.insert(metric.measure);
  if (!shown.empty()) return shown;
  std::set<std::string> seen;
  for (const MethodResult& result : study.results) {
    if (seen.insert(result.measure.metric + "|" + result.measure.audit).second) {
      shown.insert(result.measure);
    }
  }
  return shown;
}

void print_results(const Study& study, const Shown& shown, std::ostringstream& out) {
  if (study.results.empty()) return;
  const std::set<Measure> main = main_measures(study);
  out << words::kResultsHeading << "\n";
  const std::size_t room = label_width(shown.width, 44);
  const MethodResult* before = nullptr;
  for (const MethodResult& result : study.results) {
    const Measure& measure = result.measure;
    if (!shown.full && (main.count(measure) == 0 || !is_main(measure))) continue;
    if (before == nullptr || before->measure != measure || before->variant != result.variant) {
      const std::string better = result.direction == metrics::Direction::match
                                     ? std::string("should match retrained")
                                     : fmt::format("{} is better", metrics::name(result.direction));
      out << "\n"
          << wrap(title(measure, result.variant, shown) + " | " + better, "", "    ", shown.width);
      out << fmt::format("  {:<{}} {:>10}  {:<26} {:>4}\n", "", room, "mean", "95 % interval", "n");
    }
    before = &result;
    std::string name = result.control ? fmt::format("({})", result.method) : result.method;
    if (result.failed_runs > 0) {
      name += fmt::format(" ({})", words::failed_of_runs(result.failed_runs, result.runs));
    }
    out << label_column(name, room, shown.width)
        << fmt::format(" {:>10}{:<1} {:<26} {:>4}\n", table_number(result.value.value),
                       result.failed || result.unreliable > 0.5 ? "?" : "", interval(result.value),
                       result.n);
  }
  out << "\n" << wrap(std::string(words::kMarksNote), "", "  ", shown.width);
}

std::string graded(const ControlRow& row) {
  if (!row.graded.in_order) return "-";
  const char* in_order = *row.graded.in_order ? "yes" : "no";
  if (row.graded.replicates == 0) return in_order;
  return fmt::format("{} {}/{}", in_order, row.graded.ordered_replicates, row.graded.replicates);
}

/// Without `full`: what could be tested, in the first such setting of each metric, audit and
/// variant.
bool skip_control(const ControlRow& row, bool full,
                  std::set<std::tuple<std::string, std::string, std::string>>& seen) {
  if (full) return false;
  if (row.verdict == result::ControlVerdict::not_testable) return true;
  return !seen.insert({row.measure.metric, row.measure.audit, row.variant}).second;
}

void print_controls(const Study& study, const Shown& shown, std::ostringstream& out) {
  if (study.controls.empty()) return;
  out << "\n" << words::kControlsHeading << "\n";
  const std::size_t room = label_width(shown.width, 68);
  // Numbers of narrow terminals have a line of their own, below the name.
  const bool narrow = room < kLabelWidth / 2;
  const auto first = [&](const std::string& name) {
    return narrow && !name.empty() ? wrap(name, "  ", "    ", shown.width)
                                   : label_column(name, narrow ? 0 : room, shown.width);
  };
  const auto numbers = [&](auto retrained, auto original, auto constant, auto power, auto d_prime,
                           auto order, auto verdict) {
    return fmt::format(fmt::runtime(narrow ? " {:>8} {:>8} {:>8} {:>5} {:>5} {:>8} {}\n"
                                           : " {:>9} {:>9} {:>9} {:>6} {:>6} {:>9} {}\n"),
                       retrained, original, constant, power, d_prime, order, verdict);
  };
  out << first("")
      << numbers("retrained", "original", "constant", "power", "d'", "in order", "verdict");
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  std::size_t hidden = 0;
  for (const ControlRow& row : study.controls) {
    if (skip_control(row, shown.full, seen)) {
      ++hidden;
      continue;
    }
    out << first(title(row.measure, row.variant, shown))
        << numbers(table_number(row.retrained.value), table_number(row.original.value),
                   table_number(row.constant.value),
                   std::isnan(row.power) ? "-" : fmt::format("{:.2f}", row.power),
                   std::isnan(row.d_prime) ? "-" : fmt::format("{:.1f}", row.d_prime), graded(row),
                   result::name(row.verdict));
  }
  if (hidden > 0) {
    out << fmt::format("  {}\n", words::hidden_controls(hidden));
  }
  out << "\n" << words::kFailedControlsHeading << "\n";
  for (const result::Reason& own : study.failed)
    out << wrap(words::text(own), "- ", "  ", shown.width);
  if (study.failed.empty()) out << "- none\n";
}

void print_pairs(const result::MetricComparison& metric, const Shown& shown,
                 std::ostringstream& out) {
  std::size_t alike = 0;
  for (const result::MethodPair& pair : metric.pairs) {
    if (!shown.full && pair.better.empty()) {
      ++alike;
      continue;
    }
    const bool left = pair.difference < 0;
    const std::string tested =
        std::isnan(pair.adjusted_p)
            ? "not tested"
            : fmt::format("p = {:.2g}, d = {:.2f}", pair.adjusted_p, std::abs(pair.cohen_d));
    out << wrap(fmt::format("{} before {}: by {} ({}), {}, n = {}", left ? pair.left : pair.right,
                            left ? pair.right : pair.left, table_number(std::abs(pair.difference)),
                            interval({pair.difference, pair.lower, pair.upper}), tested, pair.n),
                "    ", "      ", shown.width);
  }
  if (alike > 0 && alike == metric.pairs.size()) {
    out << fmt::format("    {}\n", words::pairs_not_told_apart(alike));
  }
}

void print_comparison(const Study& study, const Shown& shown, std::ostringstream& out) {
  const result::MethodComparison& comparison = study.comparison;
  if (comparison.metrics.empty()) return;
  out << fmt::format("\n{}\n", words::comparison_heading(comparison.tests));
  std::size_t hidden = 0;
  for (const result::MetricComparison& metric : comparison.metrics) {
    // One block is a table of results, not a comparison.
    const bool compared = metric.failed || metric.blocks >= 2;
    if (!shown.full && (!compared || !is_main(metric.measure))) {
      ++hidden;
      continue;
    }
    const result::Reason said =
        result::reason(result::Code::about_comparison, label(metric.measure, shown.audits),
                       metric.failed ? metric.failed_variants : metric.variants, metric.reasons);
    out << wrap(words::text(said), "- ", "  ", shown.width);
    if (metric.left_out > 0) {
      out << fmt::format("    {}\n", words::blocks_left_out(metric.left_out));
    }
    print_pairs(metric, shown, out);
  }
  if (hidden > 0) {
    out << fmt::format("- {}\n", words::hidden_comparisons(hidden));
  }
}

void print_agreement(const Study& study, const Shown& shown, std::ostringstream& out) {
  std::vector<const result::Agreement*> known;
  for (const result::Agreement& own : study.comparison.agreement) {
    if (std::isnan(own.tau)) continue;
    if (shown.full || (shows_forgetting(own.left) && shows_forgetting(own.right))) {
      known.push_back(&own);
    }
  }
  if (known.empty()) return;
  std::stable_sort(known.begin(), known.end(),
                   [](const auto* left, const auto* right) { return left->tau < right->tau; });
  const std::size_t count = shown.full ? known.size() : std::min(known.size(), kShownDisagreements);
  out << fmt::format("\n{}\n", words::agreement_heading(count, known.size()));
  for (std::size_t place = 0; place < count; ++place) {
    const result::Agreement& own = *known[place];
    out << wrap(fmt::format("{:+.2f}  {} and {} ({} methods, p = {:.2g})", own.tau,
                            label(own.left, shown.audits), label(own.right, shown.audits),
                            own.methods, own.p),
                "  ", "         ", shown.width);
  }
}

/// Metrics with the same source of noise share a line.
void print_variance(const Study& study, const Shown& shown, std::ostringstream& out) {
  if (study.variance.empty()) return;
  out << "\n" << words::kNoiseHeading << "\n";
  std::vector<std::pair<std::string, std::string>> lines;  // source, metrics
  std::size_t without = 0;
  for (const result::VarianceRow& row : study.variance) {
    if (!shown.full && (row.method != "*" || !is_main(row.measure))) continue;
    if (!shown.full && row.noisiest == result::Level::none) {
      ++without;
      continue;
    }
    std::string name = title(row.measure, row.variant, shown);
    if (row.method != "*") name += ", " + row.method;
    const std::string source = words::text(row.source);
    const auto found = std::find_if(lines.begin(), lines.end(),
                                    [&](const auto& line) { return line.first == source; });
    if (found == lines.end()) {
      lines.emplace_back(source, name);
    } else {
      found->second += "; " + name;
    }
  }
  for (const auto& [source, names] : lines) {
    out << wrap(fmt::format("{}: {}", source, names), "- ", "  ", shown.width);
  }
  if (without > 0) {
    out << fmt::format("- {}\n", words::hidden_noise(without));
  }
}

Shown what_to_name(const Study& study, bool full, std::size_t width) {
  std::set<std::string> audits;
  for (const MethodResult& result : study.results) audits.insert(result.measure.audit);
  return {full, audits.size() > 1, width};
}

}  // namespace

std::string failed_runs_text(const std::vector<result::FailedRuns>& runs, std::size_t width) {
  std::string text = runs.empty() ? "" : "Failed runs\n";
  for (const result::FailedRuns& own : runs) {
    text += wrap(words::text(failed_runs_reason(own)), "- ", "  ", width);
  }
  return text;
}

std::string findings_text(const std::vector<CheckResult>& findings, std::size_t width) {
  std::ostringstream out;
  std::size_t counts[3] = {0, 0, 0};
  for (const CheckResult& finding : findings) {
    ++counts[static_cast<std::size_t>(finding.outcome)];
    std::string source = finding.source.empty() ? "" : fmt::format(" ({})", finding.source);
    if (finding.control) source += " [control]";
    out << wrap(finding.finding + source, fmt::format("{:<13} ", result::name(finding.outcome)),
                std::string(14, ' '), width);
    out << wrap(words::text(finding.reasons), std::string(14, ' '), std::string(14, ' '), width);
  }
  out << words::outcomes(counts[0], counts[1], counts[2]) << "\n";
  return out.str();
}

std::string study_text(const Study& study, bool full, std::size_t width) {
  std::ostringstream out;
  const Shown shown = what_to_name(study, full, width);
  print_results(study, shown, out);
  if (!study.failed_runs.empty()) out << "\n" << failed_runs_text(study.failed_runs, width);
  print_controls(study, shown, out);
  print_comparison(study, shown, out);
  print_agreement(study, shown, out);
  print_variance(study, shown, out);
  if (!study.findings.empty()) out << "\nFindings\n" << findings_text(study.findings, width);
  return out.str();
}

}  // namespace vestige::report
