// vestige report RESULTS.json: the web page and the tables, from results alone.
#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>

#include "cli/gate_files.h"
#include "cli/verbs.h"
#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/report/json/read_results.h"
#include "vestige/report/page/html.h"
#include "vestige/report/page/spec_files.h"
#include "vestige/report/tables/csv.h"
#include "vestige/report/tables/latex.h"
#include "vestige/report/tables/markdown.h"
#include "vestige/report/tables/paper_table.h"

namespace vestige::cli {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::string results;
  std::string html;
  std::string latex;
  std::string csv;
  std::string markdown;
  std::string specs;
  std::string policy;
  bool policy_given = false;
  report::PaperChoice paper;
  bool force = false;
};

struct View {
  const char* option;
  std::string target;
  std::function<std::string(const report::Results&)> make;
};

/// Refuses before the work: two views in one place, and files that are there already.
void check_targets(const std::vector<View>& views, const ReportOptions& options) {
  std::set<std::string> seen;
  for (const View& view : views) {
    const bool is_new = seen.insert(fs::path(view.target).lexically_normal().string()).second;
    require(is_new, "{} {}: another view goes there too; give each its own place", view.option,
            view.target);
    if (view.target == "-") continue;
    std::error_code ignored;
    require(!fs::is_directory(view.target, ignored), "{} {} is a folder: give the name of a file",
            view.option, view.target);
    require(options.force || !fs::exists(view.target, ignored),
            "{} exists: give --force to replace it, or {} with another name", view.target,
            view.option);
  }
}

int make_views(ReportOptions options) {
  const bool nothing_asked = options.html.empty() && options.latex.empty() && options.csv.empty() &&
                             options.markdown.empty() && options.specs.empty();
  if (nothing_asked) {
    const fs::path given = options.results;
    options.html = (fs::is_directory(given) ? given : given.parent_path()) / "report.html";
  }
  std::vector<View> views;
  const auto add = [&views](const char* option, const std::string& target,
                            std::function<std::string(const report::Results&)> make) {
    if (!target.empty()) views.push_back({option, target, std::move(make)});
  };
  add("--html", options.html, report::html);
  const bool paper = !options.paper.metrics.empty() || !options.paper.methods.empty();
  require(!paper || !options.latex.empty(),
          "--metrics and --methods choose columns and lines of a paper's table: give --latex FILE "
          "too (- is standard output)");
  add("--latex", options.latex, [&](const report::Results& results) {
    return paper ? report::paper_table(results, options.paper) : report::latex(results);
  });
  add("--csv", options.csv, report::csv);
  add("--markdown", options.markdown, report::markdown);
  check_targets(views, options);
  std::optional<practice::Policy> policy;
  if (options.policy_given) policy = read_given_policy(options.policy, "--policy");
  report::Results results = report::read_results(options.results);
  if (policy) results.gate = practice::gate(results, *policy);
  std::optional<FileSet> specs;
  if (!options.specs.empty()) {
    specs.emplace(options.specs, options.force);
    for (const report::SpecFile& file : report::spec_files(results)) {
      specs->add(file.name, file.text);
    }
  }
  for (const View& view : views) {
    const std::string text = view.make(results);
    if (view.target == "-") {
      fmt::print("{}", text);
    } else {
      write_file(view.target, text);
    }
  }
  if (specs) specs->commit();
  if (nothing_asked) fmt::print("{}\n", options.html);
  return 0;
}

}  // namespace

void add_report(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* verb = app.add_subcommand(
      "report", "Make the web page and tables of an audit or a bench from its results.json");
  verb->add_option("RESULTS", options->results,
                   "results.json of an audit or a bench, or the folder that holds it")
      ->required();
  verb->add_option("--html", options->html,
                   "The page, one file; - is standard output (default: report.html beside RESULTS "
                   "if nothing is asked for)");
  verb->add_option("--latex", options->latex,
                   "Tables for \\input; with --metrics or --methods the one table of a paper; - is "
                   "standard output");
  verb->add_option("--metrics", options->paper.metrics,
                   "Columns of the paper's table, by id, separated by commas (default with "
                   "--methods: the main metrics)")
      ->delimiter(',');
  verb->add_option("--methods", options->paper.methods,
                   "Lines of the paper's table between retrained and original (default with "
                   "--metrics: every method)")
      ->delimiter(',');
  verb->add_flag("!--no-interval", options->paper.interval,
                 "Values of the paper's table without intervals (default: with)");
  verb->add_option("--csv", options->csv, "Every number, one per line; - is standard output");
  verb->add_option("--markdown", options->markdown, "Tables and sentences; - is standard output");
  verb->add_option("--specs", options->specs,
                   "Folder for the plots as Vega-Lite files, which open in Altair");
  CLI::Option* policy = verb->add_option(
      "--policy", options->policy,
      "The page shows this policy and its outcome (default: the policy of the audit, if any)");
  verb->add_flag("--force", options->force, "Replace files that exist (default: refuse)");
  verb->callback([options, policy, &invocation] {
    options->policy_given = policy->count() > 0;
    invocation.exit_code = make_views(*options);
  });
}

}  // namespace vestige::cli
