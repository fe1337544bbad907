// vestige compare OLD NEW [MORE...]: what changed from one audit to the next.
#include "vestige/practice/compare.h"

#include <fmt/format.h>

#include <deque>
#include <filesystem>
#include <memory>

#include "cli/gate_files.h"
#include "cli/verbs.h"
#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/report/json/read_results.h"

namespace vestige::cli {
namespace {

struct CompareOptions {
  std::vector<std::string> files;
  std::string html;
  std::string fail_on;
  bool json = false;
  bool force = false;
};

/// The results.json itself, or the one in a folder that an audit wrote.
std::string results_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored)
             ? (std::filesystem::path(path) / "results.json").string()
             : path;
}

int run_compare(const CompareOptions& options) {
  require(options.fail_on.empty() || options.fail_on == "worse",
          "--fail-on {}: give worse, the only condition there is", options.fail_on);
  require(options.files.size() >= 2,
          "compare {}: give two or more results, earlier ones first: vestige compare OLD NEW",
          options.files.front());
  std::error_code ignored;
  require(options.html.empty() || options.force || !std::filesystem::exists(options.html, ignored),
          "{} exists: give --force to replace it, or --html with another name", options.html);
  std::deque<report::Results> results;
  std::vector<practice::Named> audits;
  for (const std::string& file : options.files) {
    results.push_back(report::read_results(results_file(file)));
    audits.push_back({file, &results.back()});
  }
  std::vector<practice::Comparison> comparisons;
  for (std::size_t later = 1; later < audits.size(); ++later) {
    comparisons.push_back(practice::compare(*audits[later - 1].results, *audits[later].results,
                                            audits[later - 1].name, audits[later].name));
  }
  if (!options.html.empty()) {
    write_file(options.html, practice::comparison_page(audits, comparisons));
  }
  if (options.json) {
    Json list = Json::array();
    for (const practice::Comparison& own : comparisons) {
      list.push_back(practice::comparison_json(own));
    }
    fmt::print("{}\n", list.dump(1, ' ', false, Json::error_handler_t::replace));
  } else {
    for (const practice::Comparison& own : comparisons) {
      fmt::print("{}{}", &own == comparisons.data() ? "" : "\n", practice::comparison_text(own));
    }
  }
  if (options.fail_on.empty()) return 0;
  // The last audit is the one to accept; an earlier step that was put right does not fail it.
  const practice::Comparison overall =
      practice::compare(results.front(), results.back(), audits.front().name, audits.back().name);
  const bool worse = !overall.worse().empty() || !comparisons.back().worse().empty();
  return worse ? kPolicyFailed : 0;
}

}  // namespace

void add_compare(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* verb = app.add_subcommand(
      "compare", "Show what changed from one audit to the next: verdicts, numbers, inputs");
  verb->add_option("RESULTS", options->files,
                   "Two or more results.json, or folders that hold one, earlier ones first")
      ->required();
  verb->add_option("--html", options->html,
                   "A page with a summary plot per method and arrows (default: not written)");
  verb->add_option(
      "--fail-on", options->fail_on,
      "worse: exit code 3 if a verdict of the last audit is worse than in the first or "
      "in the one before it (default: never)");
  verb->add_flag("--json", options->json, kJsonText);
  verb->add_flag("--force", options->force, "Replace a file that exists (default: refuse)");
  verb->callback([options, &invocation] { invocation.exit_code = run_compare(*options); });
}

}  // namespace vestige::cli
