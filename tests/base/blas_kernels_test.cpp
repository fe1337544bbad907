// Which kernels of OpenBLAS are chosen for which processor, and what is left as the user set it.
#include "vestige/base/blas_kernels.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace vestige {
namespace {

TEST(BlasKernels, FollowTheInstructions) {
  EXPECT_EQ(blas_kernels({.intel = true, .avx2 = true, .avx512 = true}), "SkylakeX");
  EXPECT_EQ(blas_kernels({.intel = true, .avx2 = true, .avx512 = false}), "Haswell");
  EXPECT_EQ(blas_kernels({.intel = true}), "") << "an old processor has no better ones";
  EXPECT_EQ(blas_kernels({.intel = false, .avx2 = true, .avx512 = true}), "SkylakeX");
  EXPECT_EQ(blas_kernels({.intel = false, .avx2 = true}), "") << "OpenBLAS knows AMD's with AVX2";
}

TEST(BlasKernels, WhatIsSetStays) {
  constexpr const char* kVariable = "OPENBLAS_CORETYPE";
  const char* before = std::getenv(kVariable);
  const std::string kept = before == nullptr ? "" : before;
  ::setenv(kVariable, "Nehalem", 1);
  choose_blas_kernels();
  EXPECT_STREQ(std::getenv(kVariable), "Nehalem");
  ::unsetenv(kVariable);
  choose_blas_kernels();
  const char* chosen = std::getenv(kVariable);
  EXPECT_EQ(chosen == nullptr ? "" : chosen, blas_kernels(platform::processor()));
  ::unsetenv(kVariable);
  if (before != nullptr) ::setenv(kVariable, kept.c_str(), 1);
}

// No OpenBLAS is loaded here, so that there is nothing to start anew for.
TEST(BlasKernels, NothingIsStartedAnewWithoutOpenBlas) {
  char name[] = "/nowhere";
  char* arguments[] = {name, nullptr};
  restart_with_better_kernels(arguments);
}

}  // namespace
}  // namespace vestige
