// A pool in a temporary folder, and jobs worked off in it by this process.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/pool/pool_support.h"
#include "tests/support.h"
#include "vestige/pool/run.h"

namespace vestige::pool::testing {

class RunFixture : public ::testing::Test {
 protected:
  RunSummary run_here(const std::vector<Job>& jobs, const RunOptions& options = quiet()) {
    Store store(pool_);
    ::testing::internal::CaptureStderr();
    const RunSummary summary = run(store, jobs, options);
    said_ = ::testing::internal::GetCapturedStderr();
    return summary;
  }

  vestige::testing::TemporaryFolder folder_;
  std::filesystem::path pool_ = folder_ / "pool";
  std::filesystem::path log_ = folder_ / "log";
  std::string said_;
};

}  // namespace vestige::pool::testing
