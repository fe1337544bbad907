// Devices in turn.
#include "vestige/pool/devices.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "vestige/base/error.h"

namespace vestige::pool {
namespace {

/// What was visible before a process picked; workers are started with it.
constexpr const char* kBefore = "VESTIGE_VISIBLE_DEVICES";

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    const std::size_t first = part.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    parts.push_back(part.substr(first, part.find_last_not_of(' ') - first + 1));
  }
  return parts;
}

}  // namespace

std::vector<int> devices_in(const std::string& text) {
  std::vector<int> devices;
  if (text == "all") {
    while (std::filesystem::exists("/dev/nvidia" + std::to_string(devices.size()))) {
      devices.push_back(static_cast<int>(devices.size()));
    }
    require(!devices.empty(), "--devices all: this machine shows no CUDA device (/dev/nvidia0)");
    return devices;
  }
  for (const std::string& word : parts_of(text)) {
    int device = -1;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), device);
    require(
        code == std::errc() && end == word.data() + word.size() && device >= 0,
        "--devices {}: '{}' is no device number: give numbers from 0, separated by commas, or all",
        text, word);
    devices.push_back(device);
  }
  require(!devices.empty(), "--devices is empty: give numbers from 0, separated by commas, or all");
  return devices;
}

void take_device(const std::vector<int>& devices, std::size_t place) {
  const auto device = static_cast<std::size_t>(devices.at(place % devices.size()));
  std::string name = std::to_string(device);
  if (std::getenv(kBefore) == nullptr) {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    ::setenv(kBefore, visible == nullptr ? "" : visible, 1);
  }
  if (const std::vector<std::string> names = parts_of(std::getenv(kBefore)); !names.empty()) {
    require(device < names.size(),
            "--devices names device {}, and CUDA_VISIBLE_DEVICES shows {}: name others", device,
            names.size());
    name = names[device];
  }
  ::setenv("CUDA_VISIBLE_DEVICES", name.c_str(), 1);
}

}  // namespace vestige::pool
