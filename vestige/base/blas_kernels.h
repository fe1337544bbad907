// Which of its kernels OpenBLAS, LibTorch's linear algebra on Debian, should compute with.
#pragma once

#include <string>

#include "vestige/base/platform/processor.h"

namespace vestige {

/// OpenBLAS knows Intel's processors by model number and takes its oldest kernels ("Prescott",
/// SSE3) for one that came after it. These are the kernels that it has for all of Intel's with the
/// same instructions; nothing for other makers' and for older ones, which it chooses well for.
std::string blas_kernels(const platform::Processor& processor);

/// Sets OPENBLAS_CORETYPE to them, unless it is set, for programs that this one starts: OpenBLAS
/// reads it when it is loaded.
void choose_blas_kernels();

/// Starts this program anew with them where OpenBLAS has been loaded with its oldest ones. Returns
/// where there is nothing to gain, and where the program cannot be started.
void restart_with_better_kernels(char** arguments);

}  // namespace vestige
