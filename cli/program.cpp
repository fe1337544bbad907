// Parses the command line, runs one verb, turns exceptions into one line and an exit code.
#include "cli/program.h"

#include <fmt/format.h>
#include <unistd.h>
#include <vestige/version.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/progress.h"
#include "vestige/base/text.h"
#include "vestige/pool/workers.h"

namespace vestige::cli {
namespace {

constexpr int kInternalError = 1;
constexpr int kInvalidInput = 2;
constexpr int kInterrupted = 130;

std::string quoted(const std::string& word) {
  return word.find_first_of(" \t\"'$*?") == std::string::npos ? word : "'" + word + "'";
}

/// Names of files may hold escape sequences of the terminal.
std::string without_controls(std::string text) {
  for (char& letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if ((code < 0x20 && letter != '\n') || code == 0x7f) letter = '?';
  }
  return text;
}

/// One line on stderr. Not fmt::print, which throws where stderr cannot be written.
int complain(int code, const std::string& text) {
  std::fputs(fmt::format("vestige: {}\n", without_controls(text)).c_str(), stderr);
  return code;
}

/// Mapped files are read without system calls: what another process cut off has no error to return.
void on_bus_error(int) {
  constexpr std::string_view kText =
      "vestige: a file became shorter while it was read, or its disk failed: wait until nobody "
      "writes to the evidence, and run again\n";
  const ssize_t ignored = ::write(STDERR_FILENO, kText.data(), kText.size());
  static_cast<void>(ignored);
  ::_exit(kInvalidInput);
}

int complain_about_stdout() {
  return complain(kInvalidInput,
                  "cannot write to standard output (a full disk?): send it elsewhere");
}

std::vector<std::string> verbs_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
  }
  return names;
}

/// Verbs and options of earlier versions, and what they are called now.
constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
    {"probe", "recover"}, {"--probes", "--recovery-tests"}};

/// " (did you mean X?)" if one of the names is a typing mistake away; else empty.
std::string meant(const std::string& word, const std::vector<std::string>& names) {
  for (const auto& [before, now] : kRenamed) {
    if (word == before) return fmt::format(" (it is now {})", now);
  }
  const std::string best = nearest(word, names);
  // Two swapped letters are two edits; a word of two letters is no spelling of another.
  const std::size_t allowed = std::max<std::size_t>(2, word.size() / 3);
  if (best.empty() || word.size() < 3 || edit_distance(word, best) > allowed) return {};
  return fmt::format(" (did you mean {}?)", best);
}

/// What may have been meant by the first option that the verb does not know: an option that ends
/// in it ("--shadows" for "--iam-shadows"), or one that is spelt nearly like it.
std::string meant_option(const CLI::App& verb, const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const std::string& word : words) {
    const std::string given = word.substr(0, word.find('='));
    if (!given.starts_with("--") || given.size() < 3) continue;
    if (std::find(names.begin(), names.end(), given) != names.end()) continue;
    std::string ends;
    for (const std::string& name : names) {
      if (name.ends_with(given.substr(1))) ends += (ends.empty() ? "" : " or ") + name;
    }
    return ends.empty() ? meant(given, names) : fmt::format(" (did you mean {}?)", ends);
  }
  return {};
}

/// A mistake on the command line as one sentence with the place to look.
std::string sentence(const CLI::App& app, const CLI::ParseError& error,
                     const std::vector<std::string>& words) {
  std::string text = error.what();
  if (text.starts_with("The ")) text[0] = 't';
  std::string verb;
  for (const CLI::App* used : app.get_subcommands()) {
    verb = used->get_name() + " ";
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
      text += meant_option(*used, words);
    }
  }
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

int run(int argc, char** argv, AddVerbs add_verbs, Invocation& invocation) {
  for (int index = 0; index < argc; ++index) {
    invocation.command += (index == 0 ? "vestige" : " " + quoted(argv[index]));
    if (index > 0) invocation.arguments.emplace_back(argv[index]);
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
      "Exit codes: 0 success; 1 internal error or failed conformance case;\n"
      "2 invalid input or command; 3 policy failed or dossier invalid; 130 interrupted\n\n"
      "vestige VERB --help shows every option and default.");
  add_verbs(app, invocation);
  // CLI11 would answer `vestige NOSUCHVERB --help` with the program's own help.
  if (!invocation.arguments.empty() && !invocation.arguments.front().starts_with('-')) {
    const std::string& word = invocation.arguments.front();
    const std::vector<std::string> verbs = verbs_of(app);
    if (std::find(verbs.begin(), verbs.end(), word) == verbs.end()) {
      return complain(kInvalidInput, fmt::format("there is no verb \"{}\"{}; vestige --help lists "
                                                 "what is known",
                                                 word, meant(word, verbs)));
    }
  }
  try {
    std::vector<std::string> words = without_dash(invocation.arguments);
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error, std::cout, std::cerr);
    return complain(kInvalidInput, sentence(app, error, invocation.arguments));
  }
  if (app.get_subcommands().empty()) {
    fmt::print("{}", app.help());
    return kInvalidInput;
  }
  return invocation.exit_code;
}

}  // namespace

CLI::Option* add_list(CLI::App& verb, const std::string& name, std::vector<std::string>& target,
                      const std::string& help) {
  // CLI11 leaves empty names out by itself.
  const auto trim = [](std::string& word) {
    word = CLI::detail::trim_copy(word);
    return std::string();
  };
  return verb.add_option(name, target, help)
      ->delimiter(',')
      ->transform(CLI::Validator(trim, "", "trim"));
}

CLI::Validator not_negative() {
  return {[](std::string& text) {
            return text.starts_with('-') ? text + " is negative: give 0 or more" : std::string();
          },
          "", "not negative"};
}

int run_program(int argc, char** argv, AddVerbs add_verbs) {
  install_interrupt_handler();
  std::signal(SIGBUS, on_bus_error);
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is an error of write(), not the end
  Invocation invocation;
  try {
    const int code = run(argc, argv, add_verbs, invocation);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return complain_about_stdout();
    return code;
  } catch (const InputError& error) {
    return complain(kInvalidInput, error.what());
  } catch (const Interrupted&) {
    // Of a leader and its workers, which a terminal interrupts all, one tells people.
    if (std::getenv(pool::kWorkerVariable) != nullptr) return kInterrupted;
    return complain(kInterrupted, "interrupted; " + invocation.after_interrupt);
  } catch (const std::bad_alloc&) {
    return complain(kInternalError, "out of memory");
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) return complain_about_stdout();
    return complain(kInternalError,
                    fmt::format("internal error: {}; please report it", error.what()));
  }
}

}  // namespace vestige::cli
