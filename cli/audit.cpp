// vestige audit DIR --out OUT: measure everything, write results.json, samples.csv and the page.
#include "vestige/audit/audit.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/gate_files.h"
#include "cli/metric_options.h"
#include "cli/verbs.h"
#include "vestige/audit/metric_options.h"
#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/memory.h"
#include "vestige/base/parallel.h"
#include "vestige/base/progress.h"
#include "vestige/base/text.h"
#include "vestige/report/audit_run.h"
#include "vestige/report/brief.h"
#include "vestige/report/requests_views.h"
#include "vestige/report/results_json.h"
#include "vestige/report/terminal.h"

namespace vestige::cli {
namespace {

struct AuditOptions {
  std::string path;
  std::string out;
  std::string title;
  std::string verdict;
  std::vector<std::string> metrics;
  evidence::ReadOptions reading;
  std::uint64_t seed = 1;
  int threads = 0;
  double memory = kDefaultMemory;
  std::string policy;
  std::vector<std::string> fail_on;
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
      fmt::print("{}", report::verdict_text(verdict));
      return;
    }
    names.push_back(verdict.method);
  }
  require(!names.empty(), "--verdict {}: this evidence has no unlearned method", method);
  fail("--verdict {}: there is no such method: did you mean '{}'?", method, nearest(method, names));
}

/// What the results must be like, by --policy or --fail-on; nothing where neither is given.
std::optional<practice::Policy> policy_of(const AuditOptions& options) {
  require(options.policy.empty() || options.fail_on.empty(),
          "--policy and --fail-on: give one of them; the policy's [verdicts] says what --fail-on "
          "would");
  check_gate_files(options.gate_files);
  if (!options.policy.empty()) return practice::read_policy(options.policy);
  if (!options.fail_on.empty()) return practice::policy_of_words(options.fail_on);
  require(options.gate_files.junit.empty() && options.gate_files.markdown.empty(),
          "--junit and --summary show a gate: give --policy FILE or --fail-on WORDS too");
  return std::nullopt;
}

int measure_and_write(const AuditOptions& options, const Json& metric_options,
                      const std::string& command) {
  set_threads(options.threads);
  set_memory(options.memory);
  if (options.quiet) set_progress_style(ProgressStyle::quiet);
  // Refuse before the work, not after it.
  std::optional<FileSet> files;
  if (!options.out.empty()) files.emplace(options.out, options.force);
  const std::optional<practice::Policy> policy = policy_of(options);

  report::Audited audited = report::run_audit(
      options.path,
      {command, {options.metrics, options.seed, metric_options}, options.title, options.reading});
  std::optional<practice::Gate> gate;
  if (policy) {
    gate = practice::gate(audited.results, *policy);
    audited.results.gate = practice::gate_json(*gate);
  }
  if (files) {
    report::add_files(audited, *files);
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
                                             options.full));
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
  return gate && !gate->passed() ? kGateClosed : 0;
}

}  // namespace

void run_audit(const std::string& path, const std::string& out, Context& context) {
  AuditOptions options;
  options.path = path;
  options.out = out;
  options.force = true;
  context.exit_code =
      measure_and_write(options, audit::checked_options(Json::object(), "audit"), context.command);
}

void add_audit(CLI::App& app, Context& context) {
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
           "Families or ids, separated by commas (default: all that the evidence supports)");
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
  verb->add_option("--policy", options->policy,
                   "Hold the results against this policy; exit code 3 if a rule fails (default: "
                   "none)");
  add_list(*verb, "--fail-on", options->fail_on,
           "Exit code 3 if a method's verdict is one of these: under, over, utility, inconclusive, "
           "returns (default: never)");
  add_gate_files(*verb, options->gate_files);
  verb->add_option("--title", options->title, "Title of the page (default: the answer)");
  verb->add_flag("--quiet", options->quiet, "No progress; the results stay (default: on stderr)");
  auto metric_options = std::make_shared<MetricOptions>(*verb);
  verb->callback([options, metric_options, &context] {
    context.exit_code = measure_and_write(*options, metric_options->json(), context.command);
  });
}

}  // namespace vestige::cli
