// Tables and sentences of an experiment as plain text.
#include "vestige/report/study_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <tuple>

#include "vestige/report/terminal.h"

namespace vestige::report {
namespace {

using study::ControlRow;
using study::Finding;
using study::Measure;
using study::MethodResult;
using study::Study;

constexpr std::size_t kNameWidth = 30;
constexpr std::size_t kShownDisagreements = 5;  // shown at most, without `full`

std::string number(double value) {
  if (std::isnan(value)) return "-";
  if (value == std::floor(value) && std::abs(value) < 1e6) return fmt::format("{:.0f}", value);
  if (std::abs(value) < 1e-3 || std::abs(value) >= 1e5) return fmt::format("{:.2e}", value);
  return fmt::format("{:.4f}", value);
}

std::string interval(const metrics::Estimate& estimate) {
  if (std::isnan(estimate.lower) && std::isnan(estimate.upper)) return "";
  return fmt::format("{} .. {}", number(estimate.lower), number(estimate.upper));
}

/// A name for the first column; one that is too long has a line of its own.
std::string first_column(const std::string& name) {
  if (name.size() <= kNameWidth) return fmt::format("  {:<{}}", name, kNameWidth);
  return wrap(name, "  ", "    ") + std::string(2 + kNameWidth, ' ');
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

void print_results(const Study& study, bool full, std::ostringstream& out) {
  if (study.results.empty()) return;
  const std::set<Measure> shown = main_measures(study);
  out << "Results (mean over blocks: models of one index in one split)\n";
  const MethodResult* before = nullptr;
  for (const MethodResult& result : study.results) {
    if (!full && shown.count(result.measure) == 0) continue;
    if (before == nullptr || before->measure != result.measure || before->arm != result.arm) {
      std::string title = label(result.measure, true);
      if (!result.arm.empty()) title += ", arm " + result.arm;
      title += result.direction == metrics::Direction::match
                   ? std::string(" | should match retrained")
                   : fmt::format(" | {} is better", metrics::name(result.direction));
      out << "\n" << wrap(title, "", "    ");
      out << fmt::format("  {:<{}} {:>10}  {:<26} {:>4}\n", "", kNameWidth, "mean", "95 % interval",
                         "n");
    }
    before = &result;
    const std::string name = result.control ? fmt::format("({})", result.method) : result.method;
    out << first_column(name)
        << fmt::format(" {:>10}{:<1} {:<26} {:>4}\n", number(result.value.value),
                       result.unreliable > 0.5 ? "?" : "", interval(result.value), result.n);
  }
  out << "\n(name)  a control; ?  unreliable in more than half of the audits\n";
}

std::string graded(const ControlRow& row) {
  if (row.steps.empty()) return "-";
  return fmt::format("{} {}/{}", row.graded_in_order ? "yes" : "no", row.ordered,
                     row.graded_replicates);
}

/// Without `full`: the first setting of each metric, audit and arm that has floor and ceiling.
bool skip_control(const ControlRow& row, bool full,
                  std::set<std::tuple<std::string, std::string, std::string>>& seen) {
  if (full) return false;
  if (std::isnan(row.floor.value) || std::isnan(row.ceiling.value)) return true;
  return !seen.insert({row.measure.metric, row.measure.audit, row.arm}).second;
}

void print_controls(const Study& study, bool full, std::ostringstream& out) {
  if (study.controls.empty()) return;
  out << "\nControls (power: share of pairs in which the original is worse than retrained)\n";
  out << fmt::format("  {:<{}} {:>9} {:>9} {:>9} {:>6} {:>6} {:>9} {}\n", "", kNameWidth,
                     "retrained", "original", "constant", "power", "d'", "in order", "verdict");
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  std::size_t hidden = 0;
  for (const ControlRow& row : study.controls) {
    if (skip_control(row, full, seen)) {
      ++hidden;
      continue;
    }
    const std::string name = label(row.measure, true) + (row.arm.empty() ? "" : ", arm " + row.arm);
    out << first_column(name)
        << fmt::format(" {:>9} {:>9} {:>9} {:>6} {:>6} {:>9} {}\n", number(row.floor.value),
                       number(row.ceiling.value), number(row.collapsed.value),
                       std::isnan(row.power) ? "-" : fmt::format("{:.2f}", row.power),
                       std::isnan(row.d_prime) ? "-" : fmt::format("{:.1f}", row.d_prime),
                       graded(row), study::name(row.verdict));
  }
  if (hidden > 0) out << fmt::format("  {} more settings: --full shows them\n", hidden);
  out << "\nMetrics that failed their own controls\n";
  for (const std::string& sentence : study.failed) out << wrap(sentence, "- ", "  ");
  if (study.failed.empty()) out << "- none\n";
}

void print_comparison(const Study& study, bool full, std::ostringstream& out) {
  const study::MethodComparison& comparison = study.comparison;
  if (comparison.metrics.empty()) return;
  out << wrap(fmt::format("Comparison of methods ({} paired tests, p after Benjamini-Hochberg)",
                          comparison.tests),
              "\n", "");
  for (const study::MetricComparison& metric : comparison.metrics) {
    out << wrap(fmt::format("{}: {}", label(metric.measure), metric.sentence), "- ", "  ");
    if (metric.left_out > 0) {
      out << wrap(
          fmt::format("{} blocks lack a method and do not count for the ranks", metric.left_out),
          "    ", "    ");
    }
    std::size_t alike = 0;
    for (const study::MethodPair& pair : metric.pairs) {
      if (!full && pair.better.empty()) {
        ++alike;
        continue;
      }
      const bool left = pair.t.mean_difference < 0;
      out << wrap(fmt::format("{} before {}: by {} ({}), p = {:.2g}, d = {:.2f}, n = {}",
                              left ? pair.left : pair.right, left ? pair.right : pair.left,
                              number(std::abs(pair.t.mean_difference)),
                              interval({pair.t.mean_difference, pair.t.lower, pair.t.upper}),
                              pair.adjusted_p, std::abs(pair.t.cohen_d), pair.t.n),
                  "    ", "      ");
    }
    if (alike > 0 && alike == metric.pairs.size()) {
      out << fmt::format("    no pair of the {} is told apart\n", alike);
    }
  }
}

void print_agreement(const Study& study, bool full, std::ostringstream& out) {
  std::vector<const study::Agreement*> known;
  for (const study::Agreement& own : study.comparison.agreement) {
    if (!std::isnan(own.tau)) known.push_back(&own);
  }
  if (known.empty()) return;
  std::stable_sort(known.begin(), known.end(),
                   [](const auto* left, const auto* right) { return left->tau < right->tau; });
  const std::size_t shown =
      full ? known.size() : std::min<std::size_t>(known.size(), kShownDisagreements);
  out << wrap(fmt::format("Where metrics disagree about methods (Kendall's tau; the {} lowest of "
                          "{} pairs)",
                          shown, known.size()),
              "\n", "");
  for (std::size_t place = 0; place < shown; ++place) {
    const study::Agreement& own = *known[place];
    out << wrap(fmt::format("{:+.2f}  {} and {} ({} methods, p = {:.2g})", own.tau, label(own.left),
                            label(own.right), own.methods, own.p),
                "  ", "         ");
  }
}

void print_variance(const Study& study, bool full, std::ostringstream& out) {
  if (study.variance.empty()) return;
  std::set<std::string> arms;
  for (const study::VarianceRow& row : study.variance) arms.insert(row.arm);
  out << "\nWhere the noise comes from\n";
  for (const study::VarianceRow& row : study.variance) {
    if (!full && row.method != "*") continue;
    std::string name = label(row.measure);
    if (arms.size() > 1) name += ", arm " + row.arm;
    if (row.method != "*") name += ", " + row.method;
    out << wrap(fmt::format("{}: {}", name, row.sentence), "- ", "  ");
  }
}

}  // namespace

std::string findings_text(const std::vector<Finding>& findings) {
  std::ostringstream out;
  std::size_t counts[3] = {0, 0, 0};
  for (const Finding& finding : findings) {
    ++counts[static_cast<std::size_t>(finding.outcome)];
    const std::string source = finding.source.empty() ? "" : fmt::format(" ({})", finding.source);
    out << wrap(finding.finding + source, fmt::format("{:<13} ", study::name(finding.outcome)),
                std::string(14, ' '));
    out << wrap(finding.sentence, std::string(14, ' '), std::string(14, ' '));
  }
  out << fmt::format("{} held, {} did not hold, {} inconclusive\n", counts[0], counts[1],
                     counts[2]);
  return out.str();
}

std::string study_text(const Study& study, bool full) {
  std::ostringstream out;
  print_results(study, full, out);
  print_controls(study, full, out);
  print_comparison(study, full, out);
  print_agreement(study, full, out);
  print_variance(study, full, out);
  if (!study.findings.empty()) out << "\nFindings\n" << findings_text(study.findings);
  return out.str();
}

}  // namespace vestige::report
