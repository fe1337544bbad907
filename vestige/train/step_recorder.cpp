// CUDA graphs around a step, and nothing at all where LibTorch has no CUDA.
#include "vestige/train/step_recorder.h"

#ifdef VESTIGE_CUDA_GRAPHS  // of cmake/lab.cmake
#include <ATen/autocast_mode.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

#include <map>

#include "vestige/train/engine.h"

namespace vestige::train {

#ifdef VESTIGE_CUDA_GRAPHS

namespace {

/// Steps before a recording: cuDNN tries its algorithms, allocators and libraries settle.
constexpr std::int64_t kWarmUp = 3;

struct Recording {
  std::int64_t seen = 0;
  bool impossible = false;
  std::unique_ptr<at::cuda::CUDAGraph> graph;
};

/// bfloat16 for products and convolutions while it lives. Casts are not kept between steps: a
/// recorded step has to make them from the weights of its own time.
class BfloatScope {
 public:
  explicit BfloatScope(bool wanted) : wanted_(wanted) {
    if (!wanted_) return;
    at::autocast::set_autocast_enabled(at::kCUDA, true);
    at::autocast::set_autocast_dtype(at::kCUDA, at::kBFloat16);
    at::autocast::set_autocast_cache_enabled(false);
  }
  ~BfloatScope() {
    if (!wanted_) return;
    at::autocast::set_autocast_enabled(at::kCUDA, false);
    at::autocast::set_autocast_cache_enabled(true);
    at::autocast::clear_cache();
  }
  BfloatScope(const BfloatScope&) = delete;
  BfloatScope& operator=(const BfloatScope&) = delete;

 private:
  bool wanted_;
};

}  // namespace

bool can_record_steps() { return true; }

struct StepScope::State {
  explicit State(c10::DeviceIndex device)
      : stream((at::cuda::getCurrentCUDAStream(device).synchronize(),
                at::cuda::getStreamFromPool(false, device))),
        guard(stream),
        bfloat(engine_precision() == "bf16") {}
  ~State() { stream.synchronize(); }

  c10::cuda::CUDAStream stream;
  c10::cuda::CUDAStreamGuard guard;
  BfloatScope bfloat;
};

StepScope::StepScope(torch::Device device) {
  if (!device.is_cuda()) return;
  const c10::DeviceIndex index = device.has_index() ? device.index() : c10::cuda::current_device();
  state_ = std::make_unique<State>(index);
}
StepScope::~StepScope() = default;

struct StepRecorder::Recordings {
  std::map<std::int64_t, Recording> by_size;
};

StepRecorder::StepRecorder(bool wanted)
    : wanted_(wanted), recordings_(std::make_unique<Recordings>()) {}
StepRecorder::~StepRecorder() = default;

void StepRecorder::run(std::int64_t size, const std::function<void()>& step) {
  if (!wanted_) return step();
  Recording& recording = recordings_->by_size[size];
  if (recording.impossible || recording.seen++ < kWarmUp) return step();
  if (!recording.graph) {
    auto graph = std::make_unique<at::cuda::CUDAGraph>();
    bool capturing = false;
    try {
      graph->capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
      capturing = true;
      step();
      capturing = false;
      graph->capture_end();
      recording.graph = std::move(graph);
    } catch (const c10::Error&) {
      recording.impossible = true;
      try {
        if (capturing) graph->capture_end();
      } catch (const c10::Error&) {  // it ended the capture, which is all that is wanted
      }
      return step();
    }
  }
  recording.graph->replay();
}

#else

bool can_record_steps() { return false; }

struct StepScope::State {};
StepScope::StepScope(torch::Device) {}
StepScope::~StepScope() = default;

struct StepRecorder::Recordings {};
StepRecorder::StepRecorder(bool) : wanted_(false) {}
StepRecorder::~StepRecorder() = default;
void StepRecorder::run(std::int64_t, const std::function<void()>& step) { step(); }

#endif

}  // namespace vestige::train
