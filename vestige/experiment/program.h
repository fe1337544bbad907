// The program that is running, as a hash of its bytes.
#pragma once

#include <string>

namespace vestige::experiment {

/// SHA-256 of the running program's file; read once per process. A build that changes anything
/// changes it, whatever the commit says.
const std::string& program_hash();

}  // namespace vestige::experiment
