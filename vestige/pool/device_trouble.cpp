// The table of words, from CUDA's error strings (cudaGetErrorString) and LibTorch's own.
#include "vestige/pool/device_trouble.h"

#include <array>

namespace vestige::pool {
namespace {

struct Trouble {
  std::string_view words;
  std::string_view sentence;
};

constexpr std::string_view kOldDriver =
    "the NVIDIA driver is too old for the CUDA that LibTorch was built with: update the driver, "
    "build against a LibTorch of an older CUDA, or use --device cpu";
constexpr std::string_view kOtherDevice =
    "LibTorch has no code for this kind of GPU: use a LibTorch that was built for it, another "
    "device (--devices), or --device cpu";
constexpr std::string_view kLost =
    "the GPU was lost in the middle of the work: see nvidia-smi, and run the same command again "
    "when it answers; finished models are kept";
constexpr std::string_view kSpoilt =
    "a computation failed on the GPU, and this process cannot use it any more: run the same "
    "command "
    "again, finished models are kept; if it comes back, use another device (--devices) or --device "
    "cpu";
constexpr std::string_view kNone =
    "there is no CUDA device that this process may use: see nvidia-smi and CUDA_VISIBLE_DEVICES, "
    "or "
    "use --device cpu; finished models are kept";

constexpr std::array<Trouble, 16> kTroubles = {{
    {"driver version is insufficient", kOldDriver},
    {"driver on your system is too old", kOldDriver},
    {"forward compatibility was attempted on non supported HW", kOldDriver},
    {"no kernel image is available", kOtherDevice},
    {"GPU is lost", kLost},
    {"uncorrectable ECC error", kLost},
    {"uncorrectable NVLink error", kLost},
    {"driver shutting down", kLost},
    {"hardware stack error", kLost},
    {"unspecified launch failure", kSpoilt},
    {"illegal memory access", kSpoilt},
    {"misaligned address", kSpoilt},
    {"launch timed out", kSpoilt},
    {"device-side assert triggered", kSpoilt},
    {"no CUDA-capable device is detected", kNone},
    {"busy or unavailable", kNone},
}};

}  // namespace

std::optional<std::string> device_trouble(std::string_view what) {
  for (const Trouble& trouble : kTroubles) {
    if (what.find(trouble.words) != std::string_view::npos) return std::string(trouble.sentence);
  }
  return std::nullopt;
}

}  // namespace vestige::pool
