// What both programs do around their verbs: parse, run, turn exceptions into a line and a code.
#pragma once

#include "cli/verbs.h"

namespace vestige::cli {

using AddVerbs = void (*)(CLI::App&, Invocation&);

/// The body of main; returns the exit code. Help, errors and results name the command `vestige` in
/// both programs, because that is what people type.
int run_program(int argc, char** argv, AddVerbs add_verbs);

}  // namespace vestige::cli
