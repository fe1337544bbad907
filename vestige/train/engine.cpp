// LibTorch's process-wide settings.
#include <dlfcn.h>
#include <torch/version.h>

#include "vestige/base/error.h"
#include "vestige/models/torch.h"
#include "vestige/train/training.h"

namespace vestige::train {
namespace {

/// Debian's LibTorch leaves matrix products to OpenBLAS, which keeps threads of its own: as many as
/// cores in every worker, unless told. Other builds of LibTorch have no such function.
void set_blas_threads(int threads) {
  using Setter = void (*)(int);
  static const auto set = reinterpret_cast<Setter>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (set != nullptr) set(threads);
}

}  // namespace

void prepare_engine(const std::string& device, std::int64_t threads) {
  // Debian's LibTorch answers 1 unless told; the count shapes sums, so it is never left to chance.
  at::set_num_threads(static_cast<int>(threads));
  set_blas_threads(static_cast<int>(threads));
  if (device == "cuda") {
    at::globalContext().setBenchmarkCuDNN(true);  // batches have few sizes
    at::globalContext().setAllowTF32CuBLAS(false);
    at::globalContext().setAllowTF32CuDNN(false);
  }
}

std::string engine_name() {
  return fmt::format("LibTorch {}.{}.{}", TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR,
                     TORCH_VERSION_PATCH);
}

}  // namespace vestige::train
