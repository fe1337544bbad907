// Devices in turn, by hand.
#include "vestige/pool/devices.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "vestige/base/error.h"

namespace vestige::pool {
namespace {

class Devices : public testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void clear() {
    ::unsetenv("CUDA_VISIBLE_DEVICES");
    ::unsetenv("VESTIGE_VISIBLE_DEVICES");
  }
  static std::string taken(const std::string& devices, std::size_t place) {
    take_device(devices_in(devices), place);
    return std::getenv("CUDA_VISIBLE_DEVICES");
  }
};

TEST_F(Devices, WorkersTakeThemInTurn) {
  EXPECT_EQ(taken("0,1,3", 0), "0");
  EXPECT_EQ(taken("0, 1, 3", 2), "3");  // as a worker, which has its parent's choice before it
  EXPECT_EQ(taken("0,1,3", 4), "1");
}

TEST_F(Devices, ALaunchersListIsPickedFrom) {
  ::setenv("CUDA_VISIBLE_DEVICES", "GPU-a,GPU-b", 1);
  EXPECT_EQ(taken("0,1", 1), "GPU-b");
  EXPECT_EQ(taken("0,1", 0), "GPU-a");
  EXPECT_THROW(taken("2", 0), InputError);
}

TEST_F(Devices, WrongListsAreRefused) {
  for (const char* wrong : {"", "-1", "0,x", "1.5", "cuda:0"}) {
    EXPECT_THROW(devices_in(wrong), InputError) << wrong;
  }
}

}  // namespace
}  // namespace vestige::pool
