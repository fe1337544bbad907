// OpenBLAS's choice is asked for at run time: another BLAS has no such function.
#include "vestige/base/blas_kernels.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace vestige {
namespace {

constexpr const char* kVariable = "OPENBLAS_CORETYPE";
constexpr std::string_view kOldest = "Prescott";

std::string kernels_in_use() {
  using Name = char* (*)();
  const auto name = reinterpret_cast<Name>(::dlsym(RTLD_DEFAULT, "openblas_get_corename"));
  return name == nullptr ? "" : name();
}

}  // namespace

Processor this_processor() {
  Processor processor;
#if defined(__x86_64__)
  processor.intel = __builtin_cpu_is("intel");
  processor.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  processor.avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                     __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                     __builtin_cpu_supports("avx512vl");
#endif
  return processor;
}

std::string blas_kernels(const Processor& processor) {
  if (!processor.intel) return {};
  if (processor.avx512) return "SkylakeX";
  return processor.avx2 ? "Haswell" : "";
}

void choose_blas_kernels() {
  const std::string kernels = blas_kernels(this_processor());
  if (!kernels.empty()) ::setenv(kVariable, kernels.c_str(), 0);
}

void restart_with_better_kernels(char** arguments) {
  if (std::getenv(kVariable) != nullptr || kernels_in_use() != kOldest) return;
  if (blas_kernels(this_processor()).empty()) return;
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return;
  choose_blas_kernels();
  ::execv(program.c_str(), arguments);
  ::unsetenv(kVariable);  // it goes on as it is
}

}  // namespace vestige
