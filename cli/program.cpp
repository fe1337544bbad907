// Parses the command line, runs one verb, turns exceptions into one line and an exit code.
#include "cli/program.h"

#include <fmt/format.h>
#include <vestige/version.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <new>

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/progress.h"

namespace vestige::cli {
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

/// The words without a "-" behind --json: standard output is where JSON goes anyway.
std::vector<std::string> without_dash(const std::vector<std::string>& words) {
  std::vector<std::string> kept;
  for (const std::string& word : words) {
    if (word == "-" && !kept.empty() && kept.back() == "--json") continue;
    kept.push_back(word == "--json=-" ? "--json" : word);
  }
  return kept;
}

int run(int argc, char** argv, AddVerbs add_verbs, Context& context) {
  for (int index = 0; index < argc; ++index) {
    context.command += (index == 0 ? "vestige" : " " + quoted(argv[index]));
    if (index > 0) context.arguments.emplace_back(argv[index]);
  }
  CLI::App app{
      "Vestige tells whether machine unlearning really removed data from a model.\n"
      "It reads what models said (logits and labels on disk) and measures what is left."};
  app.name("vestige");
  app.set_version_flag("--version", fmt::format("vestige {} ({}, {}, {})", kVersion, kCommit,
                                                kCompiler, kBuildType));
  app.get_formatter()->column_width(34);
  app.option_defaults()->always_capture_default();
  app.require_subcommand(0, 1);
  app.footer(
      "Exit codes: 0 done, 1 our fault (or a failed conformance case), 2 something to mend in the\n"
      "input or the command, 130 interrupted. vestige VERB --help shows every option and default.");
  add_verbs(app, context);
  try {
    std::vector<std::string> words = without_dash(context.arguments);
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    app.parse(words);
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

int run_program(int argc, char** argv, AddVerbs add_verbs) {
  install_interrupt_handler();
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is an error of write(), not the end
  Context context;
  try {
    const int code = run(argc, argv, add_verbs, context);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return complain_about_stdout();
    return code;
  } catch (const InputError& error) {
    return complain(kCallersFault, error.what());
  } catch (const Interrupted&) {
    return complain(kInterrupted, "interrupted; " + context.after_interrupt);
  } catch (const std::bad_alloc&) {
    return complain(kOurFault, "out of memory");
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) return complain_about_stdout();
    return complain(kOurFault, fmt::format("internal error: {}; please report it", error.what()));
  }
}

}  // namespace vestige::cli
