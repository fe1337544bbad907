// Progress of long work on stderr: a bar on a terminal, plain lines otherwise, nothing if quiet.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace vestige {

enum class ProgressStyle { automatic, bar, lines, quiet };

/// bar, lines or quiet: `automatic` looks whether stderr is a terminal.
ProgressStyle shown_style(ProgressStyle style);

/// Shows one line of progress on stderr: a bar filled to `share` (0 to 1) in place of the last one,
/// a plain line, or nothing.
void show_progress(ProgressStyle style, double share, const std::string& text);
/// Wipes the bar.
void clear_progress(ProgressStyle style);
/// A sentence on stderr ahead of long work, on a line of its own; nothing if quiet.
void say_before(ProgressStyle style, const std::string& sentence);

/// Reports how far a piece of work is and how long it will still take. Shows nothing during the
/// first two seconds, so short work stays silent.
class Progress {
 public:
  Progress(ProgressStyle style, std::string what, std::uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Safe from any thread.
  void add(std::uint64_t steps = 1);
  /// More steps than were known when it was made. Safe from any thread.
  void expect(std::uint64_t steps) { total_.fetch_add(steps, std::memory_order_relaxed); }

  /// The line as it would be shown now: "what: 40 of 100 (40 %), 12 s left".
  std::string line(double seconds) const;

 private:
  double share() const;
  void show(double seconds);

  std::string what_;
  std::atomic<std::uint64_t> total_;
  ProgressStyle style_;
  std::chrono::steady_clock::time_point start_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::int64_t> next_show_ms_;
  std::mutex mutex_;
  bool shown_ = false;
};

}  // namespace vestige
