// vestige: the verbs that read evidence and results; the others are vestige-lab's, which it starts.
#include "cli/lab_program.h"
#include "cli/program.h"

namespace {

void add_verbs(CLI::App& app, vestige::cli::Invocation& invocation) {
  vestige::cli::add_audit(app, invocation);
  vestige::cli::add_import(app, invocation);
  vestige::cli::add_inspect(app, invocation);
  vestige::cli::add_report(app, invocation);
  vestige::cli::add_gate(app, invocation);
  vestige::cli::add_compare(app, invocation);
  vestige::cli::add_ledger(app, invocation);
  vestige::cli::add_dossier(app, invocation);
  vestige::cli::add_verify(app, invocation);
  vestige::cli::add_metrics(app, invocation);
  vestige::cli::add_conformance(app, invocation);
  vestige::cli::add_shipped_demo(app, invocation);
  vestige::cli::add_completion(app, invocation);
  vestige::cli::add_manual(app, invocation);
  for (const vestige::cli::LabVerb& verb : vestige::cli::lab_verbs()) {
    app.add_subcommand(verb.name, verb.summary)->group("Training lab (vestige-lab)");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (vestige::cli::is_lab_command(argc, argv)) return vestige::cli::start_lab(argv);
  return vestige::cli::run_program(argc, argv, add_verbs);
}
