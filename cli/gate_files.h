// What `gate` and `audit --policy` write for CI systems.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "vestige/practice/gate.h"

namespace vestige::cli {

/// The program did its work, and the answer is no: a gate is closed, a dossier is not sound.
inline constexpr int kGateClosed = 3;

struct GateFiles {
  std::string junit;
  std::string markdown;
};

/// --junit and --summary.
void add_gate_files(CLI::App& verb, GateFiles& files);

/// Refuses before the work: a folder, or the same file twice.
void check_gate_files(const GateFiles& files);
void write_gate_files(const GateFiles& files, const practice::Gate& gate,
                      const report::Results& results);

}  // namespace vestige::cli
