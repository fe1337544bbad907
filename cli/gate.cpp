// vestige gate RESULTS [POLICY]: do the results meet the policy? Exit code 0 or 3.
#include "vestige/practice/gate.h"

#include <fmt/format.h>

#include <memory>

#include "cli/gate_files.h"
#include "cli/verbs.h"
#include "vestige/base/error.h"
#include "vestige/report/json/read_results.h"

namespace vestige::cli {
namespace {

struct GateOptions {
  std::string results;
  std::string policy;
  bool policy_given = false;
  bool standard = false;  ///< --default
  GateFiles files;
  bool json = false;
};

practice::Policy policy_of(const GateOptions& options) {
  require(!options.standard || !options.policy_given,
          "{} and --default: give one of them, the policy file or --default", options.policy);
  return options.policy_given ? read_given_policy(options.policy, "POLICY")
                              : practice::default_policy();
}

int run_gate(const GateOptions& options) {
  check_gate_files(options.files);
  const practice::Policy policy = policy_of(options);
  const report::Results results = report::read_results(options.results);
  const practice::Gate gate = practice::gate(results, policy);
  write_gate_files(options.files, gate, results);
  if (options.json) {
    fmt::print("{}\n",
               practice::gate_json(gate).dump(1, ' ', false, Json::error_handler_t::replace));
  } else {
    fmt::print("{}", practice::gate_text(gate));
  }
  return gate.passed ? 0 : kPolicyFailed;
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

void add_gate(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<GateOptions>();
  CLI::App* verb = app.add_subcommand(
      "gate", "Check results against a policy: exit code 0 (passed) or 3 (failed)");
  verb->add_option("RESULTS", options->results,
                   "results.json of an audit or a bench, or the folder that holds it")
      ->required();
  CLI::Option* policy =
      verb->add_option("POLICY", options->policy,
                       "Policy, a TOML file (docs/practice/gate.md; default: as with --default)");
  verb->add_flag("--default", options->standard,
                 "The default policy: every method must be forgotten");
  add_gate_files(*verb, options->files);
  verb->add_flag("--json", options->json, kJsonText);
  verb->callback([options, policy, &invocation] {
    options->policy_given = policy->count() > 0;
    invocation.exit_code = run_gate(*options);
  });
}

}  // namespace vestige::cli
