// vestige inspect DIR: what is wrong with the evidence, and what it can support.
#include <fmt/format.h>

#include <memory>

#include "cli/verbs.h"
#include "vestige/audit/audit.h"
#include "vestige/base/parallel.h"
#include "vestige/evidence/reader.h"
#include "vestige/report/terminal.h"

namespace vestige::cli {

void add_inspect(CLI::App& app, Context& context) {
  struct Options {
    std::string path;
    int threads = 0;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "inspect", "Check evidence and say which metrics it supports and what is missing");
  verb->add_option("DIR", options->path, "Evidence: a folder, a .npz or a .safetensors file")
      ->required();
  verb->add_option("--threads", options->threads, kThreadsText);
  verb->callback([options, &context] {
    set_threads(options->threads);
    const evidence::Reading reading = evidence::read(options->path);
    fmt::print("{}", report::inspect_text(reading.evidence, reading.findings,
                                          audit::support(reading.evidence)));
    context.exit_code = evidence::count(reading.findings, evidence::Severity::error) > 0 ? 2 : 0;
  });
}

}  // namespace vestige::cli
