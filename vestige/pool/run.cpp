// The worker's loop.
#include "vestige/pool/run.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"
#include "vestige/pool/alone.h"
#include "vestige/pool/device_trouble.h"
#include "vestige/pool/failures.h"
#include "vestige/pool/lock.h"
#include "vestige/pool/process.h"
#include "vestige/pool/progress.h"
#include "vestige/pool/tries.h"

namespace vestige::pool {
namespace {

constexpr double kFirstPauseSeconds = 0.2;
constexpr double kLastPauseSeconds = 1;
/// Waits (of up to kLastPauseSeconds) before people are told whom they wait for.
constexpr int kPausesBeforeSaying = 10;
/// A heartbeat comes every two seconds; this far from now it is late, or some clock is wrong.
constexpr double kOddSeconds = 10;
/// Processes that may die at one job: with all its models in one graph, with half, with one and
/// nothing beside it; where nothing can be made smaller, beside others and alone.
constexpr std::size_t kMostDeaths = 3;
constexpr std::size_t kMostDeathsOfOne = 2;

/// Exceptions of other libraries bring pages of backtrace.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::vector<std::vector<std::string>> names_of(std::span<const Job> jobs) {
  std::vector<std::vector<std::string>> names(jobs.size());
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    for (const Identity& model : jobs[job].models) names[job].push_back(model.name());
  }
  return names;
}

class Worker {
 public:
  Worker(Store& store, std::span<const Job> jobs, const RunOptions& options)
      : store_(store),
        jobs_(jobs),
        options_(options),
        names_(names_of(jobs)),
        open_(jobs.size(), true),
        progress_(store.folder(), jobs, names_, options.stale_seconds,
                  options.progress ? shown_style(options.style) : ProgressStyle::quiet) {}

  RunSummary work() {
    double pause = kFirstPauseSeconds;
    while (true) {
      const Pass pass = go_through();
      if (pass.closed == 0 && pass.elsewhere == 0 && pass.waiting > 0) fail_waiting();
      if (std::none_of(open_.begin(), open_.end(), [](bool open) { return open; })) break;
      pause = pass.closed > 0 ? kFirstPauseSeconds : std::min(1.5 * pause, kLastPauseSeconds);
      if (pass.made == 0) {
        say_waiting(pass);
        rest(pause);
      }
    }
    return summary_;
  }

 private:
  /// What one look at every open job came to.
  struct Pass {
    std::size_t closed = 0;     ///< made, found made by others, or failed
    std::size_t made = 0;       ///< tried by this worker
    std::size_t elsewhere = 0;  ///< a live process is at it
    std::size_t waiting = 0;    ///< its needs are missing
  };

  Pass go_through() {
    Pass pass;
    const std::size_t first =
        options_.workers > 0 ? options_.rank % options_.workers * jobs_.size() / options_.workers
                             : 0;
    for (std::size_t step = 0; step < jobs_.size(); ++step) {
      const std::size_t job = (first + step) % jobs_.size();
      if (!open_[job]) continue;
      check_interrupt();
      progress_.update();
      look_at(job, pass);
      if (!open_[job]) ++pass.closed;
    }
    return pass;
  }

  void look_at(std::size_t job, Pass& pass) {
    if (missing(job).empty()) return close_present(job);
    if (failed_elsewhere(job)) return;
    if (!needs_missing(job).empty()) {
      ++pass.waiting;
      if (needs_are_elsewhere(job)) ++pass.elsewhere;
      return;
    }
    std::optional<Lock> lock =
        somebody_is_alone(store_.folder(), options_.stale_seconds)
            ? std::nullopt
            : Lock::try_claim(store_.folder(), lock_name(names_[job]), lock_options(job));
    if (!lock) {
      ++pass.elsewhere;
      return;
    }
    // Who asks to be alone looks at the locks after having asked, others ask after having locked:
    // one of the two sees the other.
    if (somebody_is_alone(store_.folder(), options_.stale_seconds)) {
      ++pass.elsewhere;
      return;
    }
    // Between the look and the claim another worker may have finished it, or failed.
    const std::vector<std::size_t> wanted = missing(job);
    if (wanted.empty()) return close_present(job);
    if (failed_elsewhere(job)) return;
    const bool last_try =
        deaths_at(store_.folder(), names_[job].front(), options_.since) + 1 == most_deaths(job);
    const std::optional<Alone> alone =
        last_try ? Alone::try_claim(store_.folder(), lock_options(job)) : std::nullopt;
    if (last_try && !alone) {
      ++pass.elsewhere;
      return;
    }
    if (alone) alone->wait_for_others(lock_name(names_[job]), [&] { rest(kLastPauseSeconds); });
    ++pass.made;
    const Try attempt(store_.folder(), names_[job].front(), options_.since);
    const std::optional<std::vector<Product>> products = make(job, *lock, attempt.deaths());
    if (!products) return;
    for (const std::size_t model : wanted) {
      store_.put(jobs_[job].models[model], (*products)[model]);
      clear_failure(store_.folder(), names_[job][model]);
    }
    open_[job] = false;
    summary_.made += wanted.size();
    summary_.present += names_[job].size() - wanted.size();
  }

  LockOptions lock_options(std::size_t job) const {
    return {.label = label(job),
            .stale_seconds = options_.stale_seconds,
            .heartbeat_seconds = options_.heartbeat_seconds};
  }

  bool can_shrink(std::size_t job) const {
    return names_[job].size() > 1 && jobs_[job].make_smaller;
  }
  std::size_t most_deaths(std::size_t job) const {
    return can_shrink(job) ? kMostDeaths : kMostDeathsOfOne;
  }

  /// Whether a companion of this run tried it and has said why it failed; then it is closed.
  bool failed_elsewhere(std::size_t job) {
    if (!find_failure(store_.folder(), names_[job].front(), options_.since)) return false;
    open_[job] = false;
    ++summary_.failed;
    progress_.leave_out(job);
    return true;
  }

  /// Nothing if it failed, with the reason on stderr. Whatever is thrown costs this job only: out
  /// of memory, for example, on a device that others use too.
  std::optional<std::vector<Product>> make(std::size_t job, Lock& lock, std::size_t deaths) {
    if (deaths >= most_deaths(job)) {
      close_failed(job,
                   fmt::format("{} processes were killed at it, the last {}with nothing else "
                               "running beside it, probably for want of memory: give the "
                               "machine or the job more, or a smaller batch or model",
                               deaths, can_shrink(job) ? "with one model at a time and " : ""));
      return std::nullopt;
    }
    const auto report = [&](const Report& seen) {
      check_interrupt();
      lock.report(seen);
      progress_.update(job, seen);
    };
    try {
      std::vector<Product> products =
          deaths > 0 ? make_smaller(job, report, deaths) : jobs_[job].make(report);
      require(products.size() == jobs_[job].models.size(), "{} products for {} models",
              products.size(), jobs_[job].models.size());
      return products;
    } catch (const Interrupted&) {
      throw;
    } catch (const std::bad_alloc&) {
      close_failed(job, "out of memory");
    } catch (const std::exception& error) {
      // Not this job's fault, and every other would fail here too: this worker ends.
      if (const auto trouble = device_trouble(error.what())) {
        throw DeviceLost(fmt::format("{} ({})", *trouble, first_line(error.what())));
      }
      close_failed(job, first_line(error.what()));
    }
    return std::nullopt;
  }

  /// After a death, half as many models in one graph; after two, one.
  std::vector<Product> make_smaller(std::size_t job,
                                    const std::function<void(const Report&)>& report,
                                    std::size_t deaths) {
    const std::size_t count = names_[job].size();
    if (!can_shrink(job)) {
      progress_.say(
          fmt::format("{}: the process that was at it was killed, perhaps for want of "
                      "memory: trying it with nothing else beside it on this machine "
                      "(fewer --workers ask for less)",
                      label(job)));
      return jobs_[job].make(report);
    }
    const std::size_t graph = deaths == 1 ? (count + 1) / 2 : 1;
    progress_.say(
        fmt::format("{}: the process that was at it was killed, perhaps for want of "
                    "memory: trying {} at a time ([train] copies = {} asks for no more)",
                    label(job), graph, graph));
    return jobs_[job].make_smaller(report, graph);
  }

  /// Which of the job's models are not in the store.
  std::vector<std::size_t> missing(std::size_t job) {
    std::vector<std::size_t> found;
    for (std::size_t model = 0; model < names_[job].size(); ++model) {
      if (!store_.has(names_[job][model])) found.push_back(model);
    }
    return found;
  }

  std::vector<std::string> needs_missing(std::size_t job) {
    std::vector<std::string> found;
    for (const std::string& need : jobs_[job].needs) {
      if (!store_.has(need)) found.push_back(need);
    }
    return found;
  }

  /// Whether a process with another recipe is making what this job needs.
  bool needs_are_elsewhere(std::size_t job) {
    const std::vector<std::string> needs = needs_missing(job);
    const std::vector<LockState> held = locks(store_.folder(), options_.stale_seconds);
    return std::any_of(held.begin(), held.end(), [&](const LockState& lock) {
      return lock.live && std::find(needs.begin(), needs.end(), lock.name) != needs.end();
    });
  }

  /// Nothing was done in a whole pass, nobody else is at anything, and these still wait.
  void fail_waiting() {
    std::vector<std::size_t> stuck;
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      if (!open_[job]) continue;
      if (needs_missing(job).empty()) return;  // has just come from elsewhere
      stuck.push_back(job);
    }
    for (const std::size_t job : stuck) {
      close_failed(job, fmt::format("it needs model {}, which failed or which no job makes",
                                    needs_missing(job).front()));
    }
  }

  void close_present(std::size_t job) {
    open_[job] = false;
    if (!names_[job].empty()) clear_tries(store_.folder(), names_[job].front());
    summary_.present += names_[job].size();
  }

  void close_failed(std::size_t job, const std::string& reason) {
    open_[job] = false;
    ++summary_.failed;
    progress_.leave_out(job);
    progress_.say(fmt::format("{} failed: {}", label(job), reason));
    for (std::size_t model = 0; model < names_[job].size(); ++model) {
      note_failure(store_.folder(), names_[job][model], {jobs_[job].models[model].label, reason});
    }
  }

  std::string label(std::size_t job) const {
    const std::vector<Identity>& models = jobs_[job].models;
    if (models.size() == 1) return models.front().label;
    return fmt::format("{} and {} more", models.front().label, models.size() - 1);
  }

  /// Once, after a while: whose locks are waited for, if their owners are on other machines or
  /// their heartbeat is odd. Companions on this machine are no news.
  void say_waiting(const Pass& pass) {
    if (pass.elsewhere == 0 || said_waiting_ || !options_.progress) return;
    waited_ += 1;
    if (waited_ < kPausesBeforeSaying) return;
    said_waiting_ = true;
    for (const LockState& lock : locks(store_.folder(), options_.stale_seconds)) {
      const bool odd = lock.age_seconds < -kOddSeconds || lock.age_seconds > kOddSeconds;
      if (lock.live && !lock.host.empty() && (odd || lock.host != machine())) {
        progress_.say(waiting_text(lock, store_.folder()));
      }
    }
  }

  void rest(double seconds) {
    constexpr auto kSlice = std::chrono::milliseconds(50);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {
      check_interrupt();
      progress_.update();
      std::this_thread::sleep_for(kSlice);
    }
  }

  int waited_ = 0;
  bool said_waiting_ = false;
  Store& store_;
  std::span<const Job> jobs_;
  RunOptions options_;
  std::vector<std::vector<std::string>> names_;
  std::vector<bool> open_;
  PoolProgress progress_;
  RunSummary summary_;
};

void sweep(const Store& store, const RunOptions& options) {
  remove_leftovers(store.folder());
  remove_stale_locks(store.folder(), options.stale_seconds);
}

}  // namespace

RunSummary run(Store& store, std::span<const Job> jobs, const RunOptions& options) {
  sweep(store, options);
  const RunSummary summary = Worker(store, jobs, options).work();
  sweep(store, options);  // after workers that died meanwhile
  return summary;
}

}  // namespace vestige::pool
