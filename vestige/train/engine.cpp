// LibTorch's process-wide settings.
#include "vestige/train/engine.h"

#include <torch/version.h>

#include <cstdlib>

#include "vestige/base/error.h"
#include "vestige/base/platform/library.h"
#include "vestige/base/platform/memory.h"
#include "vestige/models/torch.h"

namespace vestige::train {
namespace {

/// Debian's LibTorch leaves matrix products to OpenBLAS, which keeps threads of its own: as many as
/// cores in every worker, unless told. Other builds of LibTorch have no such function.
void set_blas_threads(int threads) {
  using Setter = void (*)(int);
  static const auto set = platform::loaded_function<Setter>("openblas_set_num_threads");
  if (set != nullptr) set(threads);
}

/// A step frees and asks for the same tensors, tens of megabytes, again and again. Left to itself
/// the C library gives them back to the system, which clears every page anew: 16 models in one
/// graph trained at little more than half the speed (bench/train, lab_loop/cpu/16).
void keep_freed_memory() {
  constexpr int kMappedApart = 256 << 20;  // bytes; larger ones, such as data sets, still are
  constexpr int kKept = 1 << 30;
  platform::keep_freed_blocks(kMappedApart, kKept);
}

std::string& prepared_precision() {
  static std::string precision = "float32";
  return precision;
}

bool& prepared_deterministic() {
  static bool deterministic = false;
  return deterministic;
}

}  // namespace

void prepare_engine(const std::string& device, std::int64_t threads, const std::string& precision,
                    bool deterministic) {
  // Debian's LibTorch answers 1 unless told; the count shapes sums, so it is never left to chance.
  // LibTorch has one count for the process: the only number of threads that is in no Context.
  at::set_num_threads(static_cast<int>(threads));
  keep_freed_memory();
  set_blas_threads(static_cast<int>(threads));
  require(precision == "float32" || device == "cuda",
          "[train] precision = \"{}\" needs a CUDA device: {}", precision,
          has_device("cuda")
              ? "add --device cuda, or --set train.precision=float32 for the processor"
              : "there is none here, so add --set train.precision=float32");
  prepared_precision() = precision;
  if (device != "cuda") return;
  if (deterministic) setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);  // read by cuBLAS at start
  at::Context& context = at::globalContext();
  context.setDeterministicCuDNN(deterministic);
  // Warns only: max pooling's backward pass is named nondeterministic, and is not for windows that
  // do not overlap.
  context.setDeterministicAlgorithms(deterministic, true);
  prepared_deterministic() = deterministic;
  try_algorithms(true);
  context.setAllowTF32CuBLAS(precision != "float32");
  context.setAllowTF32CuDNN(precision != "float32");
}

void prepare_engine(const std::string& device, const TrainSettings& settings) {
  prepare_engine(device, settings.threads, settings.precision, settings.deterministic);
}

void try_algorithms(bool wanted) {
  at::globalContext().setBenchmarkCuDNN(wanted && !prepared_deterministic());
}

bool has_device(const std::string& device) {
  require(device == "cpu" || device == "cuda", "the device '{}' is not known: use cpu or cuda",
          device);
  return device == "cpu" || torch::cuda::is_available();
}

const std::string& engine_precision() { return prepared_precision(); }

std::string engine_name() {
  return fmt::format("LibTorch {}.{}.{}", TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR,
                     TORCH_VERSION_PATCH);
}

}  // namespace vestige::train
