// How long an experiment will take, from probes, and the largest one that fits a budget.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "vestige/experiment/plan.h"
#include "vestige/experiment/probe.h"

namespace vestige::experiment {

/// What was probed; kept between estimates of the same experiment at other sizes.
struct Probes {
  std::map<std::string, Rate> training;
  std::map<std::string, Rate> methods;
  std::map<std::string, Rate> collecting;
  std::map<std::string, double> audits;  ///< seconds per model of the arm
};

struct Estimate {
  double training = 0;  ///< seconds of work, before workers share it
  double unlearning = 0;
  double collecting = 0;
  double auditing = 0;
  double searching = 0;  ///< worst cases; one worker
  std::size_t workers = 1;

  double total() const {
    return (training + unlearning) / static_cast<double>(workers) + collecting + auditing +
           searching;
  }
};

/// What is left to do, given what the pool has; probes what `probes` does not know yet.
Estimate estimate(const Experiment& experiment, pool::Store& store, std::size_t workers,
                  Probes& probes);

/// "about 3 min 20 s on 2 workers: training 2 min, ..."
std::string estimate_text(const Estimate& estimate);

/// The largest N, then E, whose estimate fits: N is halved from the recipe's own, E taken down one
/// by one. InputError if not even the smallest fits.
Caps fit_budget(const std::filesystem::path& path, ProtocolRequest request,
                const std::string& device, double seconds, std::size_t workers, Probes& probes);

/// "10m", "90s", "1h30m" as seconds; InputError otherwise.
double parse_duration(const std::string& text);
/// "3 min 20 s".
std::string duration_text(double seconds);

}  // namespace vestige::experiment
