// vestige audit DIR --out OUT: measure everything, write results.json, samples.csv and the page.
#include "vestige/audit/audit.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/gate_files.h"
#include "cli/metric_options.h"
#include "cli/plugin.h"
#include "cli/verbs.h"
#include "vestige/audit/metric_options.h"
#include "vestige/base/context.h"
#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/text.h"
#include "vestige/report/audit_run.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/requests_views.h"
#include "vestige/report/terminal/brief.h"
#include "vestige/report/terminal/terminal.h"

namespace vestige::cli {
namespace {

struct AuditOptions {
  std::string path;
  std::string out;
  std::string title;
  std::string verdict;
  std::vector<std::string> metrics;
  std::vector<std::string> plugins;
  evidence::ReadOptions reading;
  std::uint64_t seed = 1;
  int threads = 0;
  double memory = kDefaultMemory;
  std::string policy;
  bool policy_given = false;
  std::vector<std::string> fail_on;
  bool fail_on_given = false;
  GateFiles gate_files;
  bool json = false;
  bool force = false;
  bool quiet = false;
  bool full = false;
};

/// One verdict with its tests; the nearest name if there is none.
void print_verdict(const report::Results& results, const std::string& method) {
  std::vector<std::string> names;
  for (const audit::Verdict& verdict : results.verdicts) {
    if (verdict.method == method) {
      fmt::print("{}", report::verdict_text(verdict, report::terminal_style().width));
      return;
    }
    names.push_back(verdict.method);
  }
  require(!names.empty(), "--verdict {}: this evidence has no unlearned method", method);
  fail("--verdict {}: there is no such method: did you mean '{}'?", method, nearest(method, names));
}

/// The acceptance criteria by --policy or --fail-on; nothing where neither is given.
std::optional<practice::Policy> policy_of(const AuditOptions& options) {
  require(!options.policy_given || !options.fail_on_given,
          "--policy and --fail-on: give one of them; the policy's [verdicts] says what --fail-on "
          "would");
  check_gate_files(options.gate_files);
  if (options.policy_given) return read_given_policy(options.policy, "--policy");
  require(!options.fail_on_given || !options.fail_on.empty(),
          "--fail-on is empty: name what must fail, such as under,over,utility");
  if (options.fail_on_given) return practice::policy_of_words(options.fail_on);
  require(options.gate_files.junit.empty() && options.gate_files.markdown.empty(),
          "--junit and --summary need a policy: give --policy FILE or --fail-on WORDS too");
  return std::nullopt;
}

int measure_and_write(const AuditOptions& options, const Json& metric_options,
                      const std::string& command) {
  const Context context(
      {.threads = options.threads,
       .memory = options.memory,
       .progress = options.quiet ? ProgressStyle::quiet : ProgressStyle::automatic});
  // Refuse before the work, not after it.
  std::optional<FileSet> files;
  if (!options.out.empty()) files.emplace(options.out, options.force, FileSet::Others::refused);
  const std::optional<practice::Policy> policy = policy_of(options);

  report::AuditRun run{command,
                       {options.metrics, options.seed, metric_options, context},
                       options.title,
                       options.reading};
  if (policy) run.before = [&](const auto& found) { practice::check_methods(*policy, found); };
  report::Audited audited = report::run_audit(options.path, run);
  std::optional<practice::Gate> gate;
  if (policy) {
    gate = practice::gate(audited.results, *policy);
    audited.results.gate = *gate;
  }
  if (files) {
    report::add_files(audited, *files, context);
    check_interrupt();
    files->commit();
  }
  if (gate) write_gate_files(options.gate_files, *gate, audited.results);
  if (options.json) {
    fmt::print("{}", report::results_text(audited.results));
  } else {
    // Who asks for metrics by name wants their values.
    if (options.full || !options.metrics.empty()) {
      fmt::print("{}\n", report::audit_table(audited.evidence, audited.findings, audited.results,
                                             options.full, report::terminal_style().width));
    }
    if (options.verdict.empty()) {
      fmt::print("{}", report::audit_brief(audited.results, report::terminal_style()));
    } else {
      print_verdict(audited.results, options.verdict);
    }
    const std::string requests = report::requests_text(audited.results.requests);
    if (!requests.empty()) fmt::print("\n{}", requests);
    fmt::print("\n{}\n", options.out.empty()
                             ? "nothing was written: give --out FOLDER; --full has all numbers"
                             : fmt::format("open {0}/report.html; numbers: {0}/results.json, "
                                           "--full",
                                           options.out));
    if (gate) fmt::print("\n{}", practice::gate_text(*gate));
  }
  return gate && !gate->passed ? kPolicyFailed : 0;
}

/// The options for audit_in_python.
Json settings_of(const AuditOptions& options, const Json& metric_options,
                 const std::string& command) {
  require(!options.policy_given || !options.fail_on_given,
          "--policy and --fail-on: give one of them; the policy's [verdicts] says what --fail-on "
          "would");
  return {{"path", options.path},
          {"out", options.out},
          {"title", options.title},
          {"verdict", options.verdict},
          {"metrics", options.metrics},
          {"methods", options.reading.methods},
          {"exclude", options.reading.exclude},
          {"keep_going", options.reading.keep_going},
          {"seed", options.seed},
          {"threads", options.threads},
          {"memory", options.memory},
          {"policy", options.policy},
          {"fail_on", options.fail_on},
          {"junit", options.gate_files.junit},
          {"summary", options.gate_files.markdown},
          {"json", options.json},
          {"force", options.force},
          {"quiet", options.quiet},
          {"full", options.full},
          {"options", metric_options},
          {"command", command}};
}

}  // namespace

void run_audit(const std::string& path, const std::string& out, Invocation& invocation) {
  AuditOptions options;
  options.path = path;
  options.out = out;
  options.force = true;
  invocation.exit_code = measure_and_write(options, audit::checked_options(Json::object(), "audit"),
                                           invocation.command);
}

void add_audit(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<AuditOptions>();
  CLI::App* verb = app.add_subcommand(
      "audit", "Measure what is left of the forgotten data; write results.json and report.html");
  verb->add_option("DIR", options->path, "Evidence: a folder, a .npz or a .safetensors file")
      ->required();
  verb->add_option(
      "--out", options->out,
      "Folder for results.json, samples.csv, report.html and plots/ (default: nothing is "
      "written)");
  verb->add_flag("--force", options->force,
                 "Replace results in an --out folder that is not empty (default: refuse)");
  verb->add_flag("--json", options->json, kJsonText);
  add_list(*verb, "--metrics", options->metrics,
           "Metric groups or ids, separated by commas (default: all that the evidence supports)");
  add_list(
      *verb, "--plugin", options->plugins,
      "Python files with metrics of your own (@vestige.metric), separated by commas; needs the "
      "Python package (default: none)");
  add_list(*verb, "--methods", options->reading.methods,
           "Audit these unlearned methods only, separated by commas (default: all)");
  add_list(*verb, "--exclude", options->reading.exclude,
           "Leave these unlearned methods out, separated by commas (default: none)");
  verb->add_flag("--keep-going", options->reading.keep_going,
                 "Leave out a model whose files have an error and go on (default: stop)");
  verb->add_option("--seed", options->seed, "Root of every random draw")->check(not_negative());
  verb->add_option("--threads", options->threads, kThreadsText);
  verb->add_option("--memory", options->memory, kMemoryText);
  verb->add_flag(
      "--full", options->full,
      "Print every metric, setting and model, then the answer (default: the answer; with "
      "--metrics their main settings too)");
  verb->add_option("--verdict", options->verdict,
                   "Print one method's verdict with its tests (default: a line for each)");
  CLI::Option* policy =
      verb->add_option("--policy", options->policy,
                       "Check the results against this policy; exit code 3 if it fails (default: "
                       "none)");
  CLI::Option* fail_on =
      add_list(*verb, "--fail-on", options->fail_on,
               "Exit code 3 if a method's verdict is one of these, or was not tested: under, over, "
               "utility, undecided, returns, or a word such as traces_remain (default: never)");
  add_gate_files(*verb, options->gate_files);
  verb->add_option("--title", options->title, "Title of the page (default: the answer)");
  verb->add_flag("--quiet", options->quiet, "No progress; the results stay (default: on stderr)");
  auto metric_options = std::make_shared<MetricOptions>(*verb);
  verb->callback([options, metric_options, policy, fail_on, &invocation] {
    options->policy_given = policy->count() > 0;
    options->fail_on_given = fail_on->count() > 0;
    if (!options->plugins.empty()) {
      audit_in_python(options->plugins,
                      settings_of(*options, metric_options->json(), invocation.command));
    }
    invocation.exit_code = measure_and_write(*options, metric_options->json(), invocation.command);
  });
}

}  // namespace vestige::cli
