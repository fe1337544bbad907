// The program that runs, even after another took its file's place.
#include "vestige/experiment/program.h"

#include <span>

#include "vestige/base/file.h"
#include "vestige/base/platform/process.h"
#include "vestige/base/sha256.h"

namespace vestige::experiment {

const std::string& program_hash() {
  static const std::string kHash = [] {
    const std::string bytes = read_file(platform::own_program_bytes());
    return sha256(std::as_bytes(std::span(bytes)));
  }();
  return kHash;
}

}  // namespace vestige::experiment
