// Which of its kernels OpenBLAS, LibTorch's linear algebra on Debian, should compute with.
#pragma once

#include <string>

#include "vestige/base/platform/processor.h"

namespace vestige {

/// OpenBLAS knows Intel's processors by model number and takes its oldest kernels ("Prescott",
/// SSE3) for one that came after it; for AMD's with AVX-512 Debian's version takes those with AVX2.
/// These are the kernels that it has for all processors with the same instructions; nothing for
/// older ones, which it chooses well for.
std::string blas_kernels(const platform::Processor& processor);

/// Sets OPENBLAS_CORETYPE to them, unless it is set, for programs that this one starts: OpenBLAS
/// reads it when it is loaded.
void choose_blas_kernels();

/// Starts this program anew with them where OpenBLAS has been loaded with older ones. Returns
/// where there is nothing to gain, and where the program cannot be started.
void restart_with_better_kernels(char** arguments);

}  // namespace vestige
