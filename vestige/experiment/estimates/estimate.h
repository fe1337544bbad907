// How long an experiment will take, from probes.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "vestige/experiment/estimates/timing.h"
#include "vestige/experiment/experiment.h"

namespace vestige::experiment {

/// What was probed; kept between estimates of the same experiment at other sizes.
struct Probes {
  std::map<std::string, Rate> training;
  std::map<std::string, Rate> methods;
  std::map<std::string, Rate> images;  ///< of methods, counted; the same for every network
  std::map<std::string, Rate> collecting;
  std::map<std::string, double> audits;  ///< seconds per model of the variant
  /// Probes each method once, whatever its options, and takes its time as proportional to its
  /// epochs: for grids.
  bool by_method = false;
  std::map<std::string, double> epochs;  ///< of the probed run, where `by_method`
  /// Takes measured_rates.h for the probes of a device that is not at hand.
  bool rated = false;
  std::map<std::string, std::string> impossible{};  ///< methods whose probe failed, and why
};

struct TimeEstimate {
  double training = 0;  ///< seconds of work, before workers share it
  double unlearning = 0;
  double collecting = 0;
  double auditing = 0;
  double searching = 0;  ///< for the hardest rows; one worker
  double jobs = 0;       ///< that can be worked off side by side
  std::size_t workers = 1;

  double total() const { return total(workers); }
  /// Seconds with so many processes, none of which slows another down: training and unlearning are
  /// shared, the rest is one process's work.
  double total(std::size_t processes) const {
    return (training + unlearning) / static_cast<double>(processes) + collecting + auditing +
           searching;
  }
};

/// What is left to do, given what the pool has; probes what `probes` does not know yet.
TimeEstimate estimate(const Experiment& experiment, pool::Store& store, std::size_t workers,
                      Probes& probes);

/// "about 3 min 20 s on 2 workers: training 2 min, ..."
std::string estimate_text(const TimeEstimate& estimate);

/// "on 1 GPU about 3 h, on 8 ..., on 64 ...", one process on each, from an estimate for one.
std::string gpus_text(const TimeEstimate& estimate);

}  // namespace vestige::experiment
