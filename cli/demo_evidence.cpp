// vestige demo --evidence: audit the evidence that comes with the source; trains nothing.
#include <memory>

#include "cli/verbs.h"

namespace vestige::cli {

void add_shipped_demo(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand(
      "demo", "Train, unlearn and audit a small experiment; --evidence: audit shipped evidence");
  struct DemoOptions {
    bool evidence = false;  // without it the verb is vestige-lab's and never comes here
    std::string out = "out/evidence";
  };
  auto options = std::make_shared<DemoOptions>();
  verb->add_flag("--evidence", options->evidence,
                 "Audit demo/fashion-one instead of training (default: train, in vestige-lab)");
  verb->add_option("--out", options->out, "Folder for results and the page");
  verb->callback([options, &context] { run_audit("demo/fashion-one", options->out, context); });
}

}  // namespace vestige::cli
