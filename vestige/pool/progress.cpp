// Progress of a pool.
#include "vestige/pool/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <set>
#include <system_error>
#include <utility>

#include "vestige/pool/lock.h"

namespace vestige::pool {
namespace fs = std::filesystem;
namespace {

constexpr double kSilentSeconds = 2;
constexpr double kBarEverySeconds = 0.5;  // each look reads the pool's folder
constexpr double kLineEverySeconds = 10;
constexpr double kRateSeconds = 60;

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string duration_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 100 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    names.insert(entry->path().filename().string());
  }
  return names;
}

double share_of(const Report& report) {
  if (!(report.total_images > 0) || !(report.images > 0)) return 0;
  return std::min(1.0, report.images / report.total_images);
}

/// Mean of the finite values; NaN if there are none.
class Mean {
 public:
  void add(double value) {
    if (!std::isfinite(value)) return;
    sum_ += value;
    ++count_;
  }
  double value() const { return sum_ / static_cast<double>(count_); }

 private:
  double sum_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

std::string lock_name(const std::vector<std::string>& names) {
  return names.size() > 1 ? names.front() + ".group" : names.front();
}

std::string pool_line(const PoolState& state) {
  std::string text = fmt::format("models: {} of {}", state.done, state.models);
  if (state.running > 0) text += fmt::format(", {} running", state.running);
  if (state.images_per_second > 0) {
    text += fmt::format(", {:.0f} rows/s, {} left", state.images_per_second,
                        duration_text(state.images_left / state.images_per_second));
  }
  if (std::isfinite(state.loss)) text += fmt::format(", loss {:.3f}", state.loss);
  if (std::isfinite(state.accuracy)) {
    text += fmt::format(", accuracy {:.1f} %", 100 * state.accuracy);
  }
  return text;
}

PoolProgress::PoolProgress(fs::path folder, std::span<const Job> jobs,
                           const std::vector<std::vector<std::string>>& names, double stale_seconds,
                           ProgressStyle style)
    : folder_(std::move(folder)),
      jobs_(jobs),
      names_(names),
      stale_seconds_(stale_seconds),
      style_(style),
      left_out_(jobs.size(), false),
      start_(now_seconds()),
      next_(kSilentSeconds) {
  for (std::size_t job = 0; job < names_.size(); ++job) {
    if (!names_[job].empty()) job_of_lock_.emplace(lock_name(names_[job]), job);
  }
  if (style_ != ProgressStyle::quiet) look(0, {}, {});
}

PoolProgress::~PoolProgress() {
  if (shown_) clear_progress(style_);
}

double PoolProgress::elapsed() const { return now_seconds() - start_; }

void PoolProgress::leave_out(std::size_t job) { left_out_[job] = true; }

void PoolProgress::say(const std::string& text) const {
  if (shown_) clear_progress(style_);
  std::fputs(fmt::format("vestige: {}\n", text).c_str(), stderr);
}

void PoolProgress::update(std::optional<std::size_t> job, const Report& report) {
  if (style_ == ProgressStyle::quiet) return;
  const double seconds = elapsed();
  if (seconds < next_) return;
  const PoolState state = look(seconds, job, report);
  const double images = state.images_done + state.images_left;
  show_progress(style_, images > 0 ? state.images_done / images : 0, pool_line(state));
  shown_ = true;
  next_ = elapsed() + (style_ == ProgressStyle::bar ? kBarEverySeconds : kLineEverySeconds);
}

PoolState PoolProgress::look(double seconds, std::optional<std::size_t> job, const Report& report) {
  std::map<std::size_t, Report> running;
  for (const LockState& lock : locks(folder_, stale_seconds_)) {
    const auto found = job_of_lock_.find(lock.name);
    if (lock.live && found != job_of_lock_.end()) running[found->second] = lock.report;
  }
  if (job) running[*job] = report;

  const std::set<std::string> present = names_in(folder_);
  PoolState state;
  for (std::size_t index = 0; index < jobs_.size(); ++index) {
    if (left_out_[index]) continue;
    const auto done = static_cast<std::size_t>(
        std::count_if(names_[index].begin(), names_[index].end(),
                      [&](const std::string& name) { return present.contains(name); }));
    state.models += names_[index].size();
    state.done += done;
    double share = done == names_[index].size() ? 1 : 0;
    const auto found = running.find(index);
    if (share < 1 && found != running.end()) {
      share = share_of(found->second);
      ++state.running;
    }
    state.images_done += share * jobs_[index].images;
    state.images_left += (1 - share) * jobs_[index].images;
  }
  Mean loss, accuracy;
  for (const auto& [index, said] : running) {
    if (share_of(said) == 0) continue;  // nothing was said yet
    loss.add(said.loss);
    accuracy.add(said.accuracy);
  }
  state.loss = loss.value();
  state.accuracy = accuracy.value();

  samples_.push_back({seconds, state.images_done});
  while (samples_.size() > 2 && samples_[1].seconds < seconds - kRateSeconds) samples_.pop_front();
  const double span = seconds - samples_.front().seconds;
  if (span > 0) {
    // A worker that died takes its images back.
    state.images_per_second = std::max(0.0, (state.images_done - samples_.front().images) / span);
  }
  return state;
}

}  // namespace vestige::pool
