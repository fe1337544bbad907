// vestige completion SHELL: a completion script made from the verbs and options themselves.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/lab_program.h"
#include "cli/verbs.h"

namespace vestige::cli {
namespace {

std::string long_options(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words += " --" + name;
  }
  return words;
}

/// The lab's options are asked for when Tab is pressed, because vestige-lab starts slowly.
constexpr const char* kAskLab =
    R"(words=$("${COMP_WORDS[0]}" "${COMP_WORDS[1]}" --help 2> /dev/null |
      sed -n 's/^  [^ ]*\(--[a-z-]*\).*/\1/p'))";

std::string bash_script(const CLI::App& app) {
  std::vector<std::string> of_lab;
  for (const LabVerb& verb : lab_verbs()) of_lab.emplace_back(verb.name);
  std::string verbs;
  std::string cases = fmt::format("    {}) {} ;;\n", fmt::join(of_lab, "|"), kAskLab);
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    verbs += " " + verb->get_name();
    if (std::ranges::count(of_lab, verb->get_name()) > 0) continue;
    cases += fmt::format("    {}) words=\"{}\" ;;\n", verb->get_name(), long_options(*verb));
  }
  return fmt::format(R"(_vestige() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} words=""
  case ${{COMP_WORDS[1]}} in
{}    *) words="{}{}" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _vestige vestige
)",
                     cases, verbs, long_options(app));
}

/// zsh reads completion scripts of bash.
std::string zsh_script(const CLI::App& app) {
  return "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n" +
         bash_script(app);
}

/// In single quotes of fish, where a backslash and the quote itself are escaped.
std::string fish_text(const std::string& text) {
  std::string safe = "'";
  for (const char letter : text) {
    if (letter == '\\' || letter == '\'') safe += '\\';
    safe += letter == '\n' ? ' ' : letter;
  }
  return safe + "'";
}

std::string fish_script(const CLI::App& app) {
  std::string text;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    text += fmt::format("complete -c vestige -n __fish_use_subcommand -f -a {} -d {}\n",
                        verb->get_name(), fish_text(verb->get_description()));
    for (const CLI::Option* option : verb->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        text +=
            fmt::format("complete -c vestige -n '__fish_seen_subcommand_from {}' -l {}{} -d {}\n",
                        verb->get_name(), name, option->get_type_size() == 0 ? "" : " -r",
                        fish_text(option->get_description()));
      }
    }
  }
  return text;
}

}  // namespace

void add_completion(CLI::App& app, Invocation&) {
  auto shell = std::make_shared<std::string>("bash");
  CLI::App* verb = app.add_subcommand(
      "completion",
      "Print a completion script for bash, zsh or fish: source <(vestige completion)");
  verb->add_option("SHELL", *shell, "Which shell")->check(CLI::IsMember({"bash", "zsh", "fish"}));
  verb->callback([shell, &app] {
    fmt::print("{}", *shell == "fish"  ? fish_script(app)
                     : *shell == "zsh" ? zsh_script(app)
                                       : bash_script(app));
  });
}

}  // namespace vestige::cli
