// Evidence and audits of every arm: what is there already, made from the very same models and
// settings, is taken as it is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "vestige/experiment/experiment.h"
#include "vestige/experiment/program.h"
#include "vestige/report/results.h"

namespace vestige::experiment {

/// One audit of one arm.
struct ArmAudit {
  std::string arm;
  std::uint64_t split_seed = 0;
  std::string audit;
  std::uint64_t attack_seed = 1;
  std::string models;  ///< its originals and its split; study::StudyRow::models
  report::Results results;
  bool reused = false;
};

struct MeasureOptions {
  std::filesystem::path out;  ///< evidence/ and audits/ go below it
  std::string command;
  /// Hash of the program: what another one made is made again.
  std::string program = program_hash();
  /// Called with all audits so far after each of them.
  std::function<void(const std::vector<ArmAudit>&)> after_audit{};
};

/// Collects and audits arm after arm. Models that the pool lacks (a method that failed) are left
/// out; an arm without any is an InputError.
std::vector<ArmAudit> measure(const Experiment& experiment, pool::Store& store,
                              const MeasureOptions& options);

}  // namespace vestige::experiment
