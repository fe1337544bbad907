// vestige demo --evidence: audit the evidence that comes with the source; trains nothing.
#include <memory>

#include "cli/verbs.h"

namespace vestige::cli {

void add_shipped_demo(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand(
      "demo", "Train, unlearn and audit a small experiment; --evidence: audit shipped evidence");
  auto evidence = std::make_shared<bool>(false);
  auto out = std::make_shared<std::string>("out/evidence");
  verb->add_flag("--evidence", *evidence,
                 "Audit demo/fashion-one instead of training (default: train, in vestige-lab)");
  verb->add_option("--out", *out, "Folder for results and the page");
  verb->callback([out, &context] { run_audit("demo/fashion-one", *out, context); });
}

}  // namespace vestige::cli
