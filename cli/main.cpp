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

/// One line on stderr. Not fmt::print, which throws where stderr cannot be written.
int complain(int code, const std::string& text) {
  std::fputs(fmt::format("vestige: {}\n", text).c_str(), stderr);
  return code;
}

int complain_about_stdout() {
  return complain(kCallersFault,
                  "cannot write to standard output (a full disk?): send it elsewhere");
}

/// A mistake on the command line as one sentence with the place to look.
std::string sentence(const CLI::App& app, const CLI::ParseError& error) {
  std::string text = error.what();
  if (text.starts_with("The ")) text[0] = 't';
  std::string verb;
  for (const CLI::App* used : app.get_subcommands()) verb = used->get_name() + " ";
  return fmt::format("{}; vestige {}--help lists what is known", text, verb);
}

int run(int argc, char** argv, vestige::cli::Context& context) {
  for (int index = 0; index < argc; ++index) {
    context.command += (index == 0 ? "vestige" : " " + quoted(argv[index]));
    if (index > 0) context.arguments.emplace_back(argv[index]);
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
  vestige::cli::add_report(app, context);
  vestige::cli::add_conformance(app, context);
#ifdef VESTIGE_WITH_LAB
  vestige::cli::add_split(app, context);
  vestige::cli::add_train(app, context);
  vestige::cli::add_unlearn(app, context);
  vestige::cli::add_methods(app, context);
  vestige::cli::add_collect(app, context);
  vestige::cli::add_models(app, context);
  vestige::cli::add_bench(app, context);
  vestige::cli::add_tune(app, context);
  vestige::cli::add_demo(app, context);
#endif
  vestige::cli::add_completion(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error, std::cout, std::cerr);
    return complain(kCallersFault, sentence(app, error));
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
  vestige::cli::Context context;
  try {
    const int code = run(argc, argv, context);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return complain_about_stdout();
    return code;
  } catch (const vestige::InputError& error) {
    return complain(kCallersFault, error.what());
  } catch (const vestige::Interrupted&) {
    return complain(kInterrupted, "interrupted; " + context.after_interrupt);
  } catch (const std::bad_alloc&) {
    return complain(kOurFault, "out of memory");
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) return complain_about_stdout();
    return complain(kOurFault, fmt::format("internal error: {}; please report it", error.what()));
  }
}
