// vestige demo --evidence: audit the evidence that comes with the program; trains nothing.
#include <filesystem>
#include <memory>

#include "cli/verbs.h"
#include "vestige/base/platform/process.h"

namespace vestige::cli {
namespace {

/// Here, as in a clone; else where the program was built (build/vestige) or installed
/// (bin/vestige).
std::string shipped_evidence() {
  namespace fs = std::filesystem;
  const fs::path here = "demo/fashion-one";
  std::error_code none;
  const fs::path above = platform::own_program().parent_path().parent_path();
  for (const fs::path& path : {here, above / here, above / "share/vestige" / here}) {
    if (fs::is_directory(path, none)) return path.string();
  }
  return here.string();
}

}  // namespace

void add_shipped_demo(CLI::App& app, Invocation& invocation) {
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
  verb->callback(
      [options, &invocation] { run_audit(shipped_evidence(), options->out, invocation); });
}

}  // namespace vestige::cli
