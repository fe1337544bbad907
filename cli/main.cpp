// vestige: the verbs that read evidence and results; the others are vestige-lab's, which it starts.
#include "cli/lab_program.h"
#include "cli/program.h"

namespace {

void add_verbs(CLI::App& app, vestige::cli::Context& context) {
  vestige::cli::add_audit(app, context);
  vestige::cli::add_inspect(app, context);
  vestige::cli::add_report(app, context);
  vestige::cli::add_gate(app, context);
  vestige::cli::add_compare(app, context);
  vestige::cli::add_ledger(app, context);
  vestige::cli::add_dossier(app, context);
  vestige::cli::add_verify(app, context);
  vestige::cli::add_metrics(app, context);
  vestige::cli::add_conformance(app, context);
  vestige::cli::add_shipped_demo(app, context);
  vestige::cli::add_completion(app, context);
  for (const vestige::cli::LabVerb& verb : vestige::cli::lab_verbs()) {
    app.add_subcommand(verb.name, verb.summary)->group("Training lab (vestige-lab)");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (vestige::cli::is_lab_command(argc, argv)) return vestige::cli::start_lab(argv);
  return vestige::cli::run_program(argc, argv, add_verbs);
}
