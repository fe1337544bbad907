// Fixtures and hand-built files for the tests of the readers.
#pragma once

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support.h"
#include "vestige/evidence/checks/finding.h"
#include "vestige/words/words.h"

namespace vestige::result {

/// How a failed comparison shows a reason.
inline void PrintTo(const Reason& reason, std::ostream* out) {
  *out << name(reason.code) << ": " << words::text(reason);
}

}  // namespace vestige::result

namespace vestige::testing {

/// A finding as `vestige inspect` shows it.
inline std::string said(const evidence::Finding& finding) {
  return words::text(evidence::about(finding));
}

using Texts = std::vector<std::string>;

inline std::filesystem::path fixture(std::string_view name) {
  return std::filesystem::path(VESTIGE_SOURCE_DIR) / "tests/evidence/fixtures" / name;
}

/// Bytes with what keeps them alive. The bytes lie at an odd address, so that a reader that assumes
/// alignment is caught by the sanitizers.
struct Held {
  std::shared_ptr<const std::string> owner;
  std::span<const std::byte> bytes() const {
    return std::as_bytes(std::span<const char>(*owner)).subspan(1);
  }
};

inline Held hold(std::string_view content) {
  return {std::make_shared<const std::string>(std::string("#").append(content))};
}

/// A .npy file, version 1.0 by default, with any header text.
inline std::string npy(std::string_view header, std::string_view data, char major = 1) {
  std::string file = "\x93NUMPY";
  file += major;
  file += '\0';
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  if (major > 1) file += std::string(2, '\0');
  return file.append(header).append(data);
}

/// The values of tests/evidence/fixtures/make.py for NumPy's type code, [4, 3].
inline std::vector<double> fixture_values(char kind) {
  std::vector<double> values;
  for (int index = 0; index < 12; ++index) {
    values.push_back(kind == 'f'   ? index * 1.5 - 4
                     : kind == 'i' ? index - 4
                     : kind == 'u' ? index
                                   : (index % 3 == 0 ? 1 : 0));
  }
  return values;
}

/// The raw bytes of values, in native order.
template <typename Value>
std::string raw(std::initializer_list<Value> values) {
  std::string bytes(values.size() * sizeof(Value), '\0');
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

}  // namespace vestige::testing
