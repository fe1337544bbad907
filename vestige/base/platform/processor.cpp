// GCC's and clang's questions to the processor.
#include "vestige/base/platform/processor.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace vestige::platform {
namespace {

Processor ask() {
  Processor found;
#if defined(__x86_64__)
  found.intel = __builtin_cpu_is("intel") != 0;
  found.avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  found.avx512 = __builtin_cpu_supports("avx512f") != 0 &&
                 __builtin_cpu_supports("avx512cd") != 0 &&
                 __builtin_cpu_supports("avx512bw") != 0 &&
                 __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  // AVX needs the processor and the operating system; F16C is bit 29 of leaf 1's ECX.
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  found.f16c = __builtin_cpu_supports("avx") != 0 && __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 &&
               (ecx & (1U << 29)) != 0;
#endif
  return found;
}

}  // namespace

const Processor& processor() {
  static const Processor kProcessor = ask();
  return kProcessor;
}

}  // namespace vestige::platform
