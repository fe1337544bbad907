// Records a training step on CUDA once and replays it: one launch instead of hundreds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "vestige/models/torch.h"

namespace vestige::train {

/// Whether this build can record steps at all (a LibTorch with CUDA and its headers).
bool can_record_steps();

/// While it lives, the thread's CUDA work goes to a stream of its own, which recording needs, and
/// products and convolutions run in the engine's precision. Nothing happens on a CPU.
class StepScope {
 public:
  explicit StepScope(torch::Device device);
  ~StepScope();
  StepScope(const StepScope&) = delete;
  StepScope& operator=(const StepScope&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Recorded steps by the number of rows in their batch. A step that is recorded must read
/// everything that changes (rows, rates) from tensors that stay where they are, and must not wait
/// for the device.
class StepRecorder {
 public:
  explicit StepRecorder(bool wanted);
  ~StepRecorder();

  /// Runs `step`: as it is the first times that `size` is seen, then recorded once, then replayed.
  /// Where recording is impossible, as it is for good.
  void run(std::int64_t size, const std::function<void()>& step);
  bool wanted() const { return wanted_; }

 private:
  struct Recordings;
  bool wanted_;
  std::unique_ptr<Recordings> recordings_;
};

}  // namespace vestige::train
