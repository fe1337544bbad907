// The name of a model.
#include "vestige/pool/job.h"

#include <cstddef>
#include <span>

#include "vestige/base/error.h"
#include "vestige/base/sha256.h"

namespace vestige::pool {

std::string Identity::name() const {
  constexpr std::size_t kDigits = 20;
  const nlohmann::json sorted = what;  // keys in order, at every level
  try {
    const std::string text = sorted.dump();
    return sha256(std::as_bytes(std::span(text))).substr(0, kDigits);
  } catch (const nlohmann::json::exception&) {
    fail("{}: its settings hold text that is not UTF-8: rename the file or folder concerned",
         label);
  }
}

}  // namespace vestige::pool
