// vestige gate RESULTS POLICY: may this be released? Exit code 0 or 3.
#include "vestige/practice/gate.h"

#include <fmt/format.h>

#include <memory>

#include "cli/gate_files.h"
#include "cli/verbs.h"
#include "vestige/report/read_results.h"

namespace vestige::cli {
namespace {

struct GateOptions {
  std::string results;
  std::string policy;
  GateFiles files;
  bool json = false;
};

int run_gate(const GateOptions& options) {
  check_gate_files(options.files);
  const practice::Policy policy = practice::read_policy(options.policy);
  const report::Results results = report::read_results(options.results);
  const practice::Gate gate = practice::gate(results, policy);
  write_gate_files(options.files, gate, results);
  if (options.json) {
    fmt::print("{}\n",
               practice::gate_json(gate).dump(1, ' ', false, Json::error_handler_t::replace));
  } else {
    fmt::print("{}", practice::gate_text(gate));
  }
  return gate.passed() ? 0 : kGateClosed;
}

}  // namespace

void add_gate_files(CLI::App& verb, GateFiles& files) {
  verb.add_option("--junit", files.junit,
                  "The checks as JUnit XML for CI systems; a file that exists is replaced "
                  "(default: not written)");
  verb.add_option("--summary", files.markdown,
                  "The checks as Markdown for CI systems; a file that exists is replaced "
                  "(default: not written)");
}

void add_gate(CLI::App& app, Context& context) {
  auto options = std::make_shared<GateOptions>();
  CLI::App* verb = app.add_subcommand(
      "gate", "Hold results against a policy: one line per rule, exit code 0 or 3");
  verb->add_option("RESULTS", options->results, "results.json of an audit or a bench")->required();
  verb->add_option("POLICY", options->policy, "Policy, a TOML file (docs/practice/gate.md)")
      ->required();
  add_gate_files(*verb, options->files);
  verb->add_flag("--json", options->json, kJsonText);
  verb->callback([options, &context] { context.exit_code = run_gate(*options); });
}

}  // namespace vestige::cli
