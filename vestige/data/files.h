// What the loaders share: finding a set's files, with one sentence on where it comes from if one is
// missing, and turning names into numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/base/options.h"

namespace vestige::data {

/// What an error about a missing file says.
struct Origin {
  std::string set;     ///< "cifar10"
  std::string wanted;  ///< the files: "data_batch_1.bin to data_batch_5.bin and test_batch.bin"
  std::string source;  ///< who publishes it: "the binary version of A. Krizhevsky's CIFAR page"
};

/// The value of `path`; where neither it nor a `fallback` is given, an InputError that says what
/// belongs there.
std::filesystem::path data_path(Options& options, std::string_view fallback, const Origin& origin);

/// The first of `names` (relative to `folder`) that exists; an InputError with the path of the
/// first name if none does.
std::filesystem::path find_file(const std::filesystem::path& folder,
                                const std::vector<std::string>& names, const Origin& origin);

/// The error of find_file.
[[noreturn]] void fail_missing(const std::filesystem::path& expected, const Origin& origin);

/// The lines of a text file without line ends, surrounding blanks and empty lines.
std::vector<std::string> read_lines(const std::filesystem::path& path);

/// Names as numbers 0, 1, ... in sorted order: by value if all are whole numbers, else bytewise.
struct Codes {
  std::vector<std::string> names;   ///< distinct, sorted
  std::vector<std::int64_t> codes;  ///< one per item: index into names
};
Codes encode(const std::vector<std::string>& items);

/// Identities: the numbers themselves if all items are whole numbers, else encode(items).codes.
std::vector<std::int64_t> identities(const std::vector<std::string>& items);

/// resize(count) of bytes or floats; too little memory is an InputError.
void allocate(std::vector<std::uint8_t>& items, std::size_t count, const std::string& set);
void allocate(std::vector<float>& items, std::size_t count, const std::string& set);

}  // namespace vestige::data
