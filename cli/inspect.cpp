// vestige inspect DIR: what is wrong with the evidence, and what it can support.
#include <fmt/format.h>

#include <memory>

#include "cli/verbs.h"
#include "vestige/audit/requests.h"
#include "vestige/base/context.h"
#include "vestige/evidence/reader.h"
#include "vestige/report/terminal/brief.h"
#include "vestige/report/terminal/inspection.h"

namespace vestige::cli {
namespace {

struct InspectOptions {
  std::string path;
  int threads = 0;
  double memory = kDefaultMemory;
  bool strict = false;
  bool json = false;
};

int inspect(const InspectOptions& options) {
  const Context context({.threads = options.threads, .memory = options.memory});
  const report::Inspection inspection =
      report::inspect(evidence::read(options.path, false, context), context);
  // An audit stops at a mistake in requests.csv; so does this, with the same sentence.
  if (inspection.errors() == 0) {
    audit::RequestOptions requests;
    requests.context = context;
    context.run([&] { audit::asked_requests(inspection.reading.evidence, requests); });
  }
  fmt::print("{}", options.json
                       ? report::inspection_json(inspection).dump(1) + "\n"
                       : report::inspection_text(inspection, report::terminal_style().width));
  const bool fails = inspection.errors() > 0 || (options.strict && inspection.warnings() > 0);
  return fails ? 2 : 0;
}

}  // namespace

void add_inspect(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* verb = app.add_subcommand(
      "inspect", "Check evidence and say which metrics it supports and what is missing");
  verb->add_option("DIR", options->path, "Evidence: a folder, a .npz or a .safetensors file")
      ->required();
  verb->add_flag("--strict", options->strict,
                 "Exit code 2 on warnings too (default: on errors only)");
  verb->add_flag("--json", options->json, kJsonText);
  verb->add_option("--threads", options->threads, kThreadsText);
  verb->add_option("--memory", options->memory, kMemoryText);
  verb->callback([options, &invocation] { invocation.exit_code = inspect(*options); });
}

}  // namespace vestige::cli
