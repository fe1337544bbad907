// One function per verb: it adds its subcommand; the callback runs the stage and sets the exit
// code.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace vestige::cli {

/// What all verbs share.
struct Invocation {
  int exit_code = 0;
  std::string program = "vestige";     ///< or "vestige-lab"; people type vestige for both
  std::string command;                 ///< the command line as it was typed
  std::vector<std::string> arguments;  ///< the same, word by word, without the program's name
  bool quiet = false;
  std::string after_interrupt = "nothing was written";  ///< what Ctrl-C leaves behind
};

/// --json means the same everywhere: JSON instead of text on standard output.
inline constexpr const char* kJsonText = "Print JSON instead of text (default: text)";
/// --threads too: threads of this process.
inline constexpr const char* kThreadsText = "Threads of this process; 0: one per core";
inline constexpr const char* kMemoryText =
    "Gigabytes for arrays that must be held as a whole; metric groups that need more are left out";

/// An option that takes names separated by commas, with or without spaces around them.
CLI::Option* add_list(CLI::App& verb, const std::string& name, std::vector<std::string>& target,
                      const std::string& help);

/// A check for counts: CLI11's own speaks of a range up to 1.8e308.
CLI::Validator not_negative();

// Verbs of vestige.
void add_audit(CLI::App& app, Invocation& invocation);
void add_inspect(CLI::App& app, Invocation& invocation);
void add_import(CLI::App& app, Invocation& invocation);
void add_conformance(CLI::App& app, Invocation& invocation);
void add_report(CLI::App& app, Invocation& invocation);
void add_metrics(CLI::App& app, Invocation& invocation);
void add_gate(CLI::App& app, Invocation& invocation);
void add_compare(CLI::App& app, Invocation& invocation);
void add_ledger(CLI::App& app, Invocation& invocation);
void add_dossier(CLI::App& app, Invocation& invocation);
void add_verify(CLI::App& app, Invocation& invocation);
void add_shipped_demo(CLI::App& app, Invocation& invocation);
void add_completion(CLI::App& app, Invocation& invocation);
void add_manual(CLI::App& app, Invocation& invocation);
/// The audit with every default, for the demo.
void run_audit(const std::string& path, const std::string& out, Invocation& invocation);

// Verbs of vestige-lab.
void add_train(CLI::App& app, Invocation& invocation);
void add_unlearn(CLI::App& app, Invocation& invocation);
void add_methods(CLI::App& app, Invocation& invocation);
void add_recover(CLI::App& app, Invocation& invocation);
void add_collect(CLI::App& app, Invocation& invocation);
void add_split(CLI::App& app, Invocation& invocation);
void add_models(CLI::App& app, Invocation& invocation);
void add_bench(CLI::App& app, Invocation& invocation);
void add_demo(CLI::App& app, Invocation& invocation);
void add_tune(CLI::App& app, Invocation& invocation);
void add_lab_conformance(CLI::App& app, Invocation& invocation);

}  // namespace vestige::cli
