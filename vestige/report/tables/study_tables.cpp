// CSV and LaTeX tables of an experiment.
#include "vestige/report/tables/study_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "vestige/report/page/escape.h"
#include "vestige/words/study_views.h"
#include "vestige/words/words.h"

namespace vestige::report {
namespace {

using result::Measure;
using result::Study;

// --- CSV (RFC 4180) ---

std::string field(std::string_view text) { return csv_field(text); }

std::string field(double value) {
  if (std::isnan(value)) return "";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return fmt::format("{}", value);
}

std::string field(std::size_t value) { return fmt::format("{}", value); }
std::string field(bool value) { return value ? "true" : "false"; }

/// Lines of comma-separated fields.
class Csv {
 public:
  explicit Csv(const std::string& header) : text_(header + "\n") {}

  template <typename... Fields>
  void line(const Fields&... fields) {
    std::string row;
    bool first = true;
    ((row += (first ? "" : ",") + fields, first = false), ...);
    text_ += row + "\n";
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string measure_fields(const Measure& measure) {
  return field(measure.metric) + "," + field(measure.setting) + "," + field(measure.audit);
}

std::string fields(const metrics::Estimate& estimate) {
  return field(estimate.value) + "," + field(estimate.lower) + "," + field(estimate.upper);
}

std::string methods_csv(const Study& study) {
  Csv csv(
      "metric,setting,audit,variant,method,control,role,mean,lower,upper,interval,n,reference,"
      "direction,unreliable,controls_failed,runs,failed_runs");
  for (const result::MethodResult& result : study.results) {
    csv.line(measure_fields(result.measure), field(result.variant), field(result.method),
             field(result.control), field(metrics::name(result.role)), fields(result.value),
             field(words::text(result.interval)), field(result.n), field(result.reference),
             field(metrics::name(result.direction)), field(result.unreliable), field(result.failed),
             field(result.runs), field(result.failed_runs));
  }
  return csv.text();
}

std::string controls_csv(const Study& study) {
  Csv csv(
      "metric,setting,audit,variant,direction,replicates,retrained,retrained_lower,retrained_upper,"
      "original,"
      "original_lower,original_upper,constant,constant_lower,constant_upper,graded,in_order,"
      "ordered_replicates,graded_replicates,power,pairs,d_prime,unreliable,fooled_by_constant,"
      "verdict,reason");
  for (const result::ControlRow& row : study.controls) {
    std::string graded;
    for (const result::GradedValue& grade : row.graded.values) {
      graded += fmt::format("{}{}={}", graded.empty() ? "" : "; ", grade.removed,
                            field(grade.value.value));
    }
    csv.line(measure_fields(row.measure), field(row.variant), field(metrics::name(row.direction)),
             field(row.replicates), fields(row.retrained), fields(row.original),
             fields(row.constant), field(graded),
             row.graded.in_order ? field(*row.graded.in_order) : std::string(),
             field(row.graded.ordered_replicates), field(row.graded.replicates), field(row.power),
             field(row.pairs), field(row.d_prime), field(row.unreliable), field(row.fooled),
             field(result::name(row.verdict)), field(words::text(row.reason)));
  }
  return csv.text();
}

/// Steps of graded retrains, and every two grades: one-sided p-values.
std::string grades_csv(const Study& study) {
  Csv csv("metric,setting,audit,variant,pair,from,to,n,gain,p_better,p_worse");
  for (const result::ControlRow& row : study.controls) {
    const auto add = [&](const std::vector<result::GradeStep>& steps, const char* pair) {
      for (const result::GradeStep& step : steps) {
        csv.line(measure_fields(row.measure), field(row.variant), std::string(pair),
                 field(step.from), field(step.to), field(step.n), field(step.gain),
                 field(step.p_better), field(step.p_worse));
      }
    };
    add(row.graded.steps, "step");
    add(row.graded.between, "grades");
  }
  return csv.text();
}

std::string comparison_csv(const Study& study) {
  Csv csv(
      "metric,setting,audit,left,right,n,difference,lower,upper,t,p,adjusted_p,wilcoxon_p,cohen_d,"
      "better");
  for (const result::MetricComparison& metric : study.comparison.metrics) {
    for (const result::MethodPair& pair : metric.pairs) {
      csv.line(measure_fields(metric.measure), field(pair.left), field(pair.right), field(pair.n),
               field(pair.difference), field(pair.lower), field(pair.upper), field(pair.t),
               field(pair.p), field(pair.adjusted_p), field(pair.wilcoxon_p), field(pair.cohen_d),
               field(pair.better));
    }
  }
  return csv.text();
}

std::string ranks_csv(const Study& study) {
  Csv csv(
      "metric,setting,audit,method,control,n,mean,lower,upper,badness,badness_lower,badness_upper,"
      "rank,rank_lower,rank_upper,best,stable,controls_failed,variants");
  for (const result::MetricComparison& metric : study.comparison.metrics) {
    for (const result::MethodRank& method : metric.methods) {
      csv.line(
          measure_fields(metric.measure), field(method.method), field(method.control),
          field(method.n), fields(method.value), fields(method.badness), fields(method.rank),
          field(method.best), field(metric.stable), field(metric.failed),
          field(fmt::format(
              "{}", fmt::join(metric.failed ? metric.failed_variants : metric.variants, " "))));
    }
  }
  return csv.text();
}

std::string agreement_csv(const Study& study) {
  Csv csv(
      "left_metric,left_setting,left_audit,right_metric,right_setting,right_audit,methods,tau,p");
  for (const result::Agreement& own : study.comparison.agreement) {
    csv.line(measure_fields(own.left), measure_fields(own.right), field(own.methods),
             field(own.tau), field(own.p));
  }
  return csv.text();
}

std::string names_of(const std::vector<result::Level>& levels) {
  std::string names;
  for (const result::Level level : levels) {
    names += (names.empty() ? "" : " ") + std::string(result::name(level));
  }
  return names;
}

std::string variance_csv(const Study& study) {
  Csv csv(
      "metric,setting,audit,variant,method,level,groups,estimable,component,share,negative,"
      "includes,n");
  for (const result::VarianceRow& row : study.variance) {
    for (const result::LevelShare& level : row.levels) {
      csv.line(measure_fields(row.measure), field(row.variant), field(row.method),
               field(result::name(level.level)), field(level.groups), field(level.estimable),
               field(level.component), field(level.share), field(level.negative),
               field(names_of(level.includes)), field(row.n));
    }
  }
  return csv.text();
}

std::string findings_csv(const Study& study) {
  Csv csv("finding,source,outcome,estimate,lower,upper,n,how,sentence");
  for (const result::CheckResult& finding : study.findings) {
    csv.line(field(finding.finding), field(finding.source), field(result::name(finding.outcome)),
             fields(finding.estimate), field(finding.n), field(words::text(finding.how)),
             field(words::text(finding.reasons)));
  }
  return csv.text();
}

std::string failed_runs_csv(const Study& study) {
  Csv csv("variant,method,runs,failed,why");
  for (const result::FailedRuns& runs : study.failed_runs) {
    csv.line(field(runs.variant), field(runs.method), field(runs.runs), field(runs.failed),
             field(words::text(runs.why)));
  }
  return csv.text();
}

// --- LaTeX ---

/// How a paper shows what a metric says that failed its controls; it may define its own.
constexpr const char* kFailedCommand = "\\providecommand{\\vestigefailed}[1]{\\textit{#1}$^{?}$}\n";

std::string latex(const std::string& text) { return latex_text(text); }

/// $-0.123$; -- where undefined.
std::string latex(double value) {
  if (std::isnan(value)) return "--";
  if (std::isinf(value)) return value > 0 ? "$\\infty$" : "$-\\infty$";
  const std::string text = fmt::format("{:.3g}", value);
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos) return fmt::format("${}$", text);
  return fmt::format("${}\\cdot10^{{{}}}$", text.substr(0, exponent),
                     std::stoi(text.substr(exponent + 1)));
}

std::string latex(const metrics::Estimate& estimate) {
  if (std::isnan(estimate.lower) && std::isnan(estimate.upper)) return latex(estimate.value);
  return fmt::format("{} [{}, {}]", latex(estimate.value), latex(estimate.lower),
                     latex(estimate.upper));
}

/// A longtable with booktabs rules; it breaks over pages and takes \input as it is.
class LatexTable {
 public:
  LatexTable(const std::string& columns, std::initializer_list<const char*> heads) {
    std::string head;
    for (const char* name : heads) head += (head.empty() ? "" : " & ") + std::string(name);
    text_ = fmt::format(
        "% needs \\usepackage{{booktabs,longtable}}\n\\begin{{longtable}}{{{}}}\n\\toprule\n{} "
        "\\\\\n\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n",
        columns, head);
  }

  template <typename... Fields>
  void line(const Fields&... fields) {
    std::string row;
    bool first = true;
    ((row += (first ? "" : " & ") + fields, first = false), ...);
    text_ += row + " \\\\\n";
  }

  /// A line over all columns.
  void note(std::size_t columns, const std::string& text) {
    text_ += fmt::format("\\multicolumn{{{}}}{{p{{0.9\\linewidth}}}}{{{}}} \\\\\n", columns, text);
  }

  std::string text() const { return text_ + "\\end{longtable}\n"; }

 private:
  std::string text_;
};

std::string methods_tex(const Study& study) {
  LatexTable table("lllrr", {"metric", "variant", "method", "mean [95\\,\\% interval]", "$n$"});
  bool any_failed = false;
  for (const result::MethodResult& result : study.results) {
    std::string name = latex(result.method);
    if (result.failed_runs > 0) {
      name += fmt::format(" ({})", words::failed_of_runs(result.failed_runs, result.runs));
    }
    const std::string value = latex(result.value);
    any_failed = any_failed || result.failed;
    table.line(latex(label(result.measure, true)), latex(result.variant),
               result.control ? "\\emph{" + name + "}" : name,
               result.failed ? "\\vestigefailed{" + value + "}" : value,
               fmt::format("{}", result.n));
  }
  if (any_failed) {
    table.note(5, "$^{?}$ " + std::string(words::kFailedMetricNote));
  }
  return kFailedCommand + table.text();
}

std::string controls_tex(const Study& study) {
  LatexTable table("llrrrrrl", {"metric", "variant", "retrained", "original", "constant", "power",
                                "$d'$", "verdict"});
  for (const result::ControlRow& row : study.controls) {
    table.line(latex(label(row.measure, true)), latex(row.variant), latex(row.retrained),
               latex(row.original), latex(row.constant.value), latex(row.power), latex(row.d_prime),
               latex(std::string(result::name(row.verdict))));
  }
  return table.text();
}

std::string comparison_tex(const Study& study) {
  LatexTable table("lllrrrr", {"metric", "left", "right", "difference [95\\,\\% interval]",
                               "$p_{\\mathrm{BH}}$", "$d$", "$n$"});
  for (const result::MetricComparison& metric : study.comparison.metrics) {
    if (metric.failed) {
      table.note(7, latex(words::sentence(result::reason(result::Code::about_comparison,
                                                         label(metric.measure),
                                                         metric.failed_variants, metric.reasons))));
    }
    for (const result::MethodPair& pair : metric.pairs) {
      const bool left = pair.better == pair.left;
      const auto name = [&](const std::string& method, bool bold) {
        return bold && !pair.better.empty() ? "\\textbf{" + latex(method) + "}" : latex(method);
      };
      table.line(latex(label(metric.measure)), name(pair.left, left), name(pair.right, !left),
                 latex(metrics::Estimate{pair.difference, pair.lower, pair.upper}),
                 latex(pair.adjusted_p), latex(pair.cohen_d), fmt::format("{}", pair.n));
    }
  }
  return table.text();
}

std::string failed_runs_tex(const Study& study) {
  LatexTable table("llrrp{0.5\\linewidth}", {"variant", "method", "runs", "failed", "why"});
  for (const result::FailedRuns& runs : study.failed_runs) {
    table.line(latex(runs.variant), latex(runs.method), fmt::format("{}", runs.runs),
               fmt::format("{}", runs.failed), latex(words::text(runs.why)));
  }
  return table.text();
}

std::string findings_tex(const Study& study) {
  LatexTable table("p{0.34\\linewidth}lp{0.46\\linewidth}", {"finding", "outcome", "numbers"});
  for (const result::CheckResult& finding : study.findings) {
    const std::string source = finding.source.empty() ? "" : " (" + latex(finding.source) + ")";
    table.line(latex(finding.finding) + source, std::string(result::name(finding.outcome)),
               latex(words::text(finding.reasons)));
  }
  return table.text();
}

}  // namespace

std::vector<TableFile> study_csv(const Study& study) {
  std::vector<TableFile> files = {
      {"methods.csv", methods_csv(study)},       {"controls.csv", controls_csv(study)},
      {"comparison.csv", comparison_csv(study)}, {"ranks.csv", ranks_csv(study)},
      {"agreement.csv", agreement_csv(study)},   {"variance.csv", variance_csv(study)},
      {"findings.csv", findings_csv(study)},     {"failed_runs.csv", failed_runs_csv(study)}};
  const bool graded =
      std::any_of(study.controls.begin(), study.controls.end(),
                  [](const result::ControlRow& row) { return !row.graded.steps.empty(); });
  if (graded) files.push_back({"grades.csv", grades_csv(study)});
  return files;
}

std::vector<TableFile> study_latex(const Study& study) {
  return {{"methods.tex", methods_tex(study)},
          {"controls.tex", controls_tex(study)},
          {"comparison.tex", comparison_tex(study)},
          {"findings.tex", findings_tex(study)},
          {"failed_runs.tex", failed_runs_tex(study)}};
}

}  // namespace vestige::report
