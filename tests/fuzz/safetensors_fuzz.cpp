// Fuzzes the safetensors reader.
#include "tests/fuzz/fuzz.h"
#include "vestige/evidence/formats/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vestige;
  return fuzz::check([&] {
    for (const auto& [name, array] :
         evidence::parse_safetensors(fuzz::bytes(data, size), nullptr, "fuzzed")) {
      fuzz::use(array);
    }
  });
}
