// What `gate` and `audit --policy` write for CI systems.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "vestige/practice/gate.h"

namespace vestige::cli {

/// Exit code: the policy failed, or the dossier is invalid.
inline constexpr int kPolicyFailed = 3;

struct GateFiles {
  std::string junit;
  std::string markdown;
};

/// A policy file that an option or argument names; `option` says which in errors.
practice::Policy read_given_policy(const std::string& file, const std::string& option);

/// --junit and --summary.
void add_gate_files(CLI::App& verb, GateFiles& files);

/// Refuses before the work: a folder, or the same file twice.
void check_gate_files(const GateFiles& files);
void write_gate_files(const GateFiles& files, const practice::Gate& gate,
                      const report::Results& results);

}  // namespace vestige::cli
