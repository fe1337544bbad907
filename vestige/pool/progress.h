// One line about the whole pool, from this worker's reports and the other workers' heartbeats.
#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vestige/base/progress.h"
#include "vestige/pool/job.h"

namespace vestige::pool {

/// What the line tells.
struct PoolState {
  std::size_t done = 0;          ///< models
  std::size_t models = 0;        ///< all that are wanted
  std::size_t running = 0;       ///< jobs, by all workers
  double images_done = 0;        ///< of the finished and the running jobs
  double images_left = 0;        ///< of the running jobs and those that nobody has begun
  double images_per_second = 0;  ///< by all workers; 0: not known yet
  double loss = std::numeric_limits<double>::quiet_NaN();      ///< mean over the running jobs
  double accuracy = std::numeric_limits<double>::quiet_NaN();  ///< likewise, 0 to 1
};

/// "models: 3 of 40, 2 running, 5210 rows/s, 12 min left, loss 0.412, accuracy 91.3 %".
std::string pool_line(const PoolState& state);

/// Looks at the pool now and then and shows the line; silent in the first two seconds.
class PoolProgress {
 public:
  /// `names` are those of the jobs' models, job by job. Both must outlive this.
  PoolProgress(std::filesystem::path folder, std::span<const Job> jobs,
               const std::vector<std::vector<std::string>>& names, double stale_seconds,
               ProgressStyle style);
  ~PoolProgress();
  PoolProgress(const PoolProgress&) = delete;
  PoolProgress& operator=(const PoolProgress&) = delete;

  /// Shows the line if it is due. `job` is the one that this worker is at.
  void update(std::optional<std::size_t> job = {}, const Report& report = {});

  /// A job that failed is not waited for.
  void leave_out(std::size_t job);

  /// A sentence for people, above the bar.
  void say(const std::string& text) const;

  /// The pool at `seconds` after the start; the rate is that of the last minute.
  PoolState look(double seconds, std::optional<std::size_t> job, const Report& report);

 private:
  struct Sample {
    double seconds;
    double images;
  };
  double elapsed() const;

  std::filesystem::path folder_;
  std::span<const Job> jobs_;
  const std::vector<std::vector<std::string>>& names_;
  double stale_seconds_;
  ProgressStyle style_;
  std::vector<bool> left_out_;
  std::map<std::string, std::size_t> job_of_lock_;
  std::deque<Sample> samples_;
  double start_;
  double next_;
  bool shown_ = false;
};

/// Name of the lock under which a job with these models is claimed.
std::string lock_name(const std::vector<std::string>& names);

}  // namespace vestige::pool
