// Fuzzes the npz reader: the directory and every member.
#include "tests/fuzz/fuzz.h"
#include "vestige/evidence/formats/npz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vestige;
  return fuzz::check([&] {
    const evidence::Npz archive(fuzz::bytes(data, size), nullptr, "fuzzed");
    for (const std::string& key : archive.keys()) {
      fuzz::check([&] { fuzz::use(archive.load(key)); });
    }
    for (const std::string& file : archive.files()) fuzz::check([&] { archive.read(file); });
  });
}
