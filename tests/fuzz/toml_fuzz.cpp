// Fuzzes the reader of evidence.toml.
#include "tests/fuzz/fuzz.h"
#include "vestige/evidence/settings.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vestige;
  return fuzz::check([&] { evidence::parse_settings(fuzz::text(data, size), "fuzzed"); });
}
