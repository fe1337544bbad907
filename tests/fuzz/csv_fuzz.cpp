// Fuzzes the CSV reader.
#include "tests/fuzz/fuzz.h"
#include "vestige/evidence/csv.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vestige;
  return fuzz::check([&] { fuzz::use(evidence::parse_csv(fuzz::text(data, size), "fuzzed")); });
}
