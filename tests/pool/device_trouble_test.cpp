// What CUDA and LibTorch say of a device, and what we say.
#include "vestige/pool/device_trouble.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace vestige::pool {
namespace {

/// Whether the sentence for `error` has all these words.
bool says(const char* error, std::initializer_list<const char*> words) {
  const std::string sentence = device_trouble(error).value_or("");
  for (const char* word : words) {
    if (sentence.find(word) == std::string::npos) return false;
  }
  return true;
}

// The words of c10/cuda/CUDAFunctions.cpp and of cudaGetErrorString.
TEST(DeviceTrouble, DriverThatIsTooOld) {
  for (const char* text :
       {"The NVIDIA driver on your system is too old (found version 11040). Please update your GPU "
        "driver by downloading and installing a new version",
        "CUDA error: CUDA driver version is insufficient for CUDA runtime version"}) {
    EXPECT_TRUE(says(text, {"driver is too old", "update the driver", "--device cpu"}));
  }
}

TEST(DeviceTrouble, DeviceThatIsLost) {
  EXPECT_TRUE(says("CUDA error: uncorrectable ECC error encountered",
                   {"lost", "nvidia-smi", "run the same command again", "models are kept"}));
  EXPECT_TRUE(says("CUDA error: an illegal memory access was encountered",
                   {"run the same command again", "models are kept"}));
  EXPECT_TRUE(says("CUDA error: no CUDA-capable device is detected",
                   {"there is no CUDA device", "CUDA_VISIBLE_DEVICES"}));
  EXPECT_TRUE(says("CUDA error: no kernel image is available for execution on the device",
                   {"no code for this kind of GPU"}));
}

// Too little memory is the job's matter, and so is everything else.
TEST(DeviceTrouble, OtherErrorsAreNone) {
  EXPECT_FALSE(device_trouble("CUDA out of memory. Tried to allocate 2.00 GiB"));
  EXPECT_FALSE(device_trouble("CUDA error: out of memory"));
  EXPECT_FALSE(device_trouble("mat1 and mat2 shapes cannot be multiplied (4x3 and 5x2)"));
  EXPECT_FALSE(device_trouble(""));
}

}  // namespace
}  // namespace vestige::pool
