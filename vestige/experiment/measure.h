// Evidence and audits of every variant: what is there already, made from the very same models and
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

/// One audit of one variant.
struct VariantAudit {
  std::string variant;
  std::uint64_t split_seed = 0;
  std::string audit;
  std::uint64_t attack_seed = 1;
  std::string models;  ///< its originals and its split; study::StudyRow::models
  report::Results results;
  bool reused = false;
  /// Models that are in no audit of this variant and split, because what they say is not finite.
  std::vector<std::string> not_finite{};
};

struct MeasureOptions {
  std::filesystem::path out;  ///< evidence/ and audits/ go below it
  std::string command;
  /// Hash of the program: what another one made is made again.
  std::string program = program_hash();
  /// Called with all audits so far after each of them.
  std::function<void(const std::vector<VariantAudit>&)> after_audit{};
};

/// Collects and audits variant after variant. Models that the pool lacks (a method that failed) are
/// left out; a variant without any is an InputError.
std::vector<VariantAudit> measure(const Experiment& experiment, pool::Store& store,
                                  const MeasureOptions& options);

}  // namespace vestige::experiment
