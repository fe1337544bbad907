// vestige manual: the man page, made from the verbs and options themselves.
#include <fmt/format.h>
#include <vestige/version.h>

#include <string>

#include "cli/verbs.h"

namespace vestige::cli {
namespace {

/// Text for roff: a backslash, a leading point or quote and a minus sign are commands otherwise.
std::string roff(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    const bool starts = safe.empty() || safe.back() == '\n';
    if (starts && (letter == '.' || letter == '\'')) safe += "\\&";
    if (letter == '\\') {
      safe += "\\e";
    } else if (letter == '-') {
      safe += "\\-";
    } else {
      safe += letter;
    }
  }
  return safe;
}

/// "--seed INT=1", as in --help.
std::string synopsis(const CLI::Option& option) {
  std::string text = option.get_positional() ? option.get_name(true, false) : option.get_name();
  if (option.get_type_size() == 0) return text;
  const std::string type = option.get_type_name();
  if (!type.empty()) text += " " + type;
  if (!option.get_default_str().empty()) text += "=" + option.get_default_str();
  return text;
}

std::string options_of(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    text +=
        fmt::format(".TP\n.B {}\n{}\n", roff(synopsis(*option)), roff(option->get_description()));
  }
  return text;
}

std::string man_page(const CLI::App& app, const std::string& program) {
  std::string text = fmt::format(".TH {} 1 \"\" \"Vestige {}\"\n", program, kVersion);
  text += fmt::format(".SH NAME\n{} \\- what is left of the data after machine unlearning\n",
                      roff(program));
  text += ".SH SYNOPSIS\n.B vestige\nVERB [OPTIONS]\n.SH DESCRIPTION\n";
  text += roff(app.get_description()) + "\n.SH OPTIONS\n" + options_of(app) + ".SH VERBS\n";
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    text += fmt::format(".SS vestige {}\n{}\n{}", roff(verb->get_name()),
                        roff(verb->get_description()), options_of(*verb));
  }
  return text + ".SH EXIT STATUS AND HELP\n.nf\n" + roff(app.get_footer()) + "\n.fi\n";
}

}  // namespace

void add_manual(CLI::App& app, Invocation& invocation) {
  CLI::App* verb = app.add_subcommand(
      "manual", "Print the man page: vestige manual > vestige.1; man -l vestige.1");
  verb->callback([&app, &invocation] { fmt::print("{}", man_page(app, invocation.program)); });
}

}  // namespace vestige::cli
