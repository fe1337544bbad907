// One function per verb: it adds its subcommand; the callback runs the stage and sets the exit
// code.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace vestige::cli {

/// What all verbs share.
struct Context {
  int exit_code = 0;
  std::string command;  ///< the command line as it was typed
  bool quiet = false;
};

void add_audit(CLI::App& app, Context& context);
void add_inspect(CLI::App& app, Context& context);
void add_conformance(CLI::App& app, Context& context);
void add_completion(CLI::App& app, Context& context);

}  // namespace vestige::cli
