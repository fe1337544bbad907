// The folder that an experiment leaves its results in, and whose results may be replaced.
#pragma once

#include <filesystem>

#include "vestige/base/json.h"
#include "vestige/experiment/experiment_plan.h"

namespace vestige::experiment {

/// What makes two runs the same experiment: recipe, size, seeds, ways of measuring and device;
/// neither the pool's folder nor how the work is shared.
Json bench_identity(const ExperimentPlan& plan, const std::string& device);

class ResultsFolder {
 public:
  ResultsFolder(std::filesystem::path folder, Json identity)
      : folder_(std::move(folder)), identity_(std::move(identity)) {}

  /// Makes the folder this experiment's. InputError, before any work: if it holds other things than
  /// an experiment; or, unless `force`, the results of another one, with the first difference. A
  /// run that ended before its results goes on, whatever it was.
  void claim(bool force) const;

  const std::filesystem::path& path() const { return folder_; }

 private:
  std::filesystem::path folder_;
  Json identity_;
};

}  // namespace vestige::experiment
