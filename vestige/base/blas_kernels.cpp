// OpenBLAS's choice is asked for at run time: another BLAS has no such function.
#include "vestige/base/blas_kernels.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "vestige/base/platform/library.h"
#include "vestige/base/platform/process.h"

namespace vestige {
namespace {

constexpr const char* kVariable = "OPENBLAS_CORETYPE";
constexpr std::string_view kOldest = "Prescott";
constexpr std::string_view kAmd = "Zen";  // AVX2

std::string kernels_in_use() {
  using Name = char* (*)();
  const auto name = platform::loaded_function<Name>("openblas_get_corename");
  return name == nullptr ? "" : name();
}

}  // namespace

std::string blas_kernels(const platform::Processor& processor) {
  if (processor.avx512) return "SkylakeX";
  return processor.intel && processor.avx2 ? "Haswell" : "";
}

void choose_blas_kernels() {
  const std::string kernels = blas_kernels(platform::processor());
  if (!kernels.empty()) ::setenv(kVariable, kernels.c_str(), 0);
}

void restart_with_better_kernels(char** arguments) {
  if (std::getenv(kVariable) != nullptr) return;
  const std::string in_use = kernels_in_use();
  if (in_use != kOldest && in_use != kAmd) return;
  if (blas_kernels(platform::processor()).empty()) return;
  const std::filesystem::path program = platform::own_program();
  if (program.empty()) return;
  choose_blas_kernels();
  platform::become(program, arguments);
  ::unsetenv(kVariable);  // it goes on as it is
}

}  // namespace vestige
