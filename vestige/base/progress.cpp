// Progress lines and bars.
#include "vestige/base/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "vestige/base/platform/terminal.h"

namespace vestige {
namespace {

constexpr std::int64_t kSilentMs = 2000;
constexpr std::int64_t kBarEveryMs = 100;
constexpr std::int64_t kLineEveryMs = 10000;

}  // namespace

ProgressStyle shown_style(ProgressStyle style) {
  if (style != ProgressStyle::automatic) return style;
  return platform::errors_are_on_terminal() ? ProgressStyle::bar : ProgressStyle::lines;
}

// Not fmt::print: it throws where stderr cannot be written, and progress is no reason to stop.
void show_progress(ProgressStyle style, double share, const std::string& text) {
  if (style == ProgressStyle::lines) {
    std::fputs((text + "\n").c_str(), stderr);
  } else if (style == ProgressStyle::bar) {
    constexpr std::size_t kWidth = 20;
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(kWidth));
    std::string line =
        fmt::format("[{}{}] {}", std::string(filled, '#'), std::string(kWidth - filled, '.'), text);
    // A line that is longer than the window would wrap, and each update would leave one behind.
    const std::size_t window = platform::errors_width();
    if (window > 0) line.resize(std::min(line.size(), window - 1));
    std::fputs(("\r\033[K" + line).c_str(), stderr);
    std::fflush(stderr);
  }
}

void clear_progress(ProgressStyle style) {
  if (style == ProgressStyle::bar) std::fputs("\r\033[K", stderr);
}

void say_before(ProgressStyle style, const std::string& sentence) {
  if (style != ProgressStyle::quiet) std::fputs((sentence + "\n").c_str(), stderr);
}

Progress::Progress(ProgressStyle style, std::string what, std::uint64_t total)
    : what_(std::move(what)),
      total_(total),
      style_(shown_style(style)),
      start_(std::chrono::steady_clock::now()),
      next_show_ms_(kSilentMs) {}

Progress::~Progress() {
  if (shown_) clear_progress(style_);
}

void Progress::add(std::uint64_t steps) {
  done_.fetch_add(steps, std::memory_order_relaxed);
  if (style_ == ProgressStyle::quiet) return;
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
                           std::chrono::steady_clock::now() - start_)
                           .count();
  std::int64_t due = next_show_ms_.load(std::memory_order_relaxed);
  if (elapsed < due) return;
  const std::int64_t every = style_ == ProgressStyle::bar ? kBarEveryMs : kLineEveryMs;
  // Only the thread that moves the due time on shows the line.
  if (next_show_ms_.compare_exchange_strong(due, elapsed + every)) {
    show(static_cast<double>(elapsed) / 1000.0);
  }
}

double Progress::share() const {
  const std::uint64_t total = total_.load(std::memory_order_relaxed);
  if (total == 0) return 1.0;
  return std::min(
      1.0, static_cast<double>(done_.load(std::memory_order_relaxed)) / static_cast<double>(total));
}

std::string Progress::line(double seconds) const {
  const double done = share();
  std::string text =
      fmt::format("{}: {} of {} ({:.0f} %)", what_, done_.load(std::memory_order_relaxed),
                  total_.load(std::memory_order_relaxed), 100.0 * done);
  if (done > 0) text += fmt::format(", {:.0f} s left", seconds * (1.0 - done) / done);
  return text;
}

void Progress::show(double seconds) {
  const std::lock_guard<std::mutex> lock(mutex_);
  show_progress(style_, share(), line(seconds));
  shown_ = true;
}

}  // namespace vestige
