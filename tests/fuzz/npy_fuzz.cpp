// Fuzzes the npy reader, and what it accepts goes through the writer and back.
#include "tests/fuzz/fuzz.h"
#include "vestige/evidence/formats/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vestige;
  return fuzz::check([&] {
    const evidence::Array array = evidence::parse_npy(fuzz::bytes(data, size), nullptr, "fuzzed");
    fuzz::use(array);
    const std::string file = evidence::write_npy(array);
    const evidence::Array back =
        evidence::parse_npy(std::as_bytes(std::span<const char>(file)), nullptr, "fuzzed");
    if (back.shape() != array.shape() || back.dtype() != array.dtype()) std::abort();
    if (array.dtype() == evidence::DType::text && back.strings() != array.strings()) std::abort();
  });
}
