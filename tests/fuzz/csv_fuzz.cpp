// Fuzzes the CSV reader: records of any text, then numbers.
#include "tests/fuzz/fuzz.h"
#include "vestige/base/csv.h"
#include "vestige/evidence/formats/csv.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vestige;
  fuzz::check([&] {
    CsvReader reader(fuzz::text(data, size), "fuzzed");
    std::size_t line = 0;
    while (reader.next()) {
      if (reader.fields().empty() || reader.line() <= line) std::abort();
      line = reader.line();
      if (reader.texts().size() != reader.fields().size()) std::abort();
    }
  });
  return fuzz::check([&] { fuzz::use(evidence::parse_csv(fuzz::text(data, size), "fuzzed")); });
}
