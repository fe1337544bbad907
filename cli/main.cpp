// vestige: parse the command line, run one verb, turn exceptions into one line and an exit code.
#include <fmt/format.h>
#include <vestige/version.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <new>

#include "cli/verbs.h"
#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/progress.h"

namespace {

constexpr int kOurFault = 1;
constexpr int kCallersFault = 2;
constexpr int kInterrupted = 130;

std::string quoted(const std::string& word) {
  return word.find_first_of(" \t\"'$*?") == std::string::npos ? word : "'" + word + "'";
}

int run(int argc, char** argv) {
  vestige::cli::Context context;
  for (int index = 0; index < argc; ++index) {
    context.command += (index == 0 ? "vestige" : " " + quoted(argv[index]));
  }
  CLI::App app{
      "Vestige tells whether machine unlearning really removed data from a model.\n"
      "It reads what models said (logits and labels on disk) and measures what is left."};
  app.name("vestige");
  app.set_version_flag("--version",
                       fmt::format("vestige {} ({}, {}, {})", vestige::kVersion, vestige::kCommit,
                                   vestige::kCompiler, vestige::kBuildType));
  app.get_formatter()->column_width(34);
  app.option_defaults()->always_capture_default();
  app.require_subcommand(0, 1);
  app.footer(
      "Exit codes: 0 done, 1 our fault (or a failed conformance case), 2 something to mend in the\n"
      "input or the command, 130 interrupted. vestige VERB --help shows every option and default.");
  vestige::cli::add_audit(app, context);
  vestige::cli::add_inspect(app, context);
  vestige::cli::add_conformance(app, context);
  vestige::cli::add_completion(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error, std::cout, std::cerr);
    return code == 0 ? 0 : kCallersFault;
  }
  if (app.get_subcommands().empty()) {
    fmt::print("{}", app.help());
    return kCallersFault;
  }
  return context.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  vestige::install_interrupt_handler();
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is an error of write(), not the end
  try {
    const int code = run(argc, argv);
    if (std::fflush(stdout) != 0) {
      fmt::print(stderr, "vestige: cannot write to standard output\n");
      return kCallersFault;
    }
    return code;
  } catch (const vestige::InputError& error) {
    fmt::print(stderr, "vestige: {}\n", error.what());
    return kCallersFault;
  } catch (const vestige::Interrupted&) {
    fmt::print(stderr, "vestige: interrupted; nothing was written\n");
    return kInterrupted;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "vestige: out of memory\n");
    return kOurFault;
  } catch (const std::exception& error) {
    fmt::print(stderr, "vestige: internal error: {}; please report it\n", error.what());
    return kOurFault;
  }
}
