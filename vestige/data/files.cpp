// Paths, lines and names for the loaders.
#include "vestige/data/files.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <new>
#include <optional>
#include <stdexcept>

#include "vestige/base/error.h"
#include "vestige/base/file.h"

namespace vestige::data {
namespace fs = std::filesystem;
namespace {

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || next != end) return std::nullopt;
  return value;
}

/// All items as whole numbers, or nothing if one is not.
std::optional<std::vector<std::int64_t>> whole_numbers(const std::vector<std::string>& items) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(items.size());
  for (const std::string& item : items) {
    const std::optional<std::int64_t> number = whole_number(item);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

template <typename Key>
Codes encode_keys(const std::vector<std::string>& items, const std::vector<Key>& keys) {
  std::map<Key, std::int64_t> places;
  for (const Key& key : keys) places.emplace(key, 0);
  Codes result;
  for (auto& [key, place] : places) {
    place = static_cast<std::int64_t>(result.names.size());
    result.names.emplace_back();
  }
  for (std::size_t index = 0; index < items.size(); ++index) {
    result.codes.push_back(places.at(keys[index]));
    std::string& name = result.names[static_cast<std::size_t>(result.codes.back())];
    if (name.empty()) name = items[index];
  }
  return result;
}

template <typename Item>
void resize(std::vector<Item>& items, std::size_t count, const std::string& set) {
  try {
    items.resize(count);
  } catch (const std::bad_alloc&) {
    fail("the data set {} needs {} bytes of memory, more than there are", set,
         count * sizeof(Item));
  } catch (const std::length_error&) {
    fail("the data set {} has {} input values, more than memory can ever hold", set, count);
  }
}

}  // namespace

fs::path data_path(Options& options, std::string_view fallback, const Origin& origin) {
  fs::path path = options.text("path", fallback);
  if (path.empty()) {
    options.wrong("path", fmt::format("it is missing: give the place of {}, from {}", origin.wanted,
                                      origin.source));
  }
  return path;
}

fs::path find_file(const fs::path& folder, const std::vector<std::string>& names,
                   const Origin& origin) {
  std::error_code ignored;
  for (const std::string& name : names) {
    if (fs::exists(folder / name, ignored)) return folder / name;
  }
  fail_missing(folder / names.front(), origin);
}

void fail_missing(const fs::path& expected, const Origin& origin) {
  std::error_code error;
  const bool missing = fs::status(expected, error).type() == fs::file_type::not_found;
  require(missing || !error,
          "{} cannot be read: {}; check its permissions and those of its folders",
          expected.string(), error.message());
  fail(
      "{} does not exist: {} wants {}, from {}; put them there or set path (nothing is downloaded)",
      expected.string(), origin.set, origin.wanted, origin.source);
}

std::vector<std::string> read_lines(const fs::path& path) {
  const std::string text = read_file(path);
  std::vector<std::string> lines;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::size_t first = text.find_first_not_of(" \t\r", start);
    if (first < end) lines.push_back(text.substr(first, end - first));
    start = end + 1;
  }
  for (std::string& line : lines) line.resize(line.find_last_not_of(" \t\r") + 1);
  return lines;
}

Codes encode(const std::vector<std::string>& items) {
  if (const auto numbers = whole_numbers(items)) return encode_keys(items, *numbers);
  return encode_keys(items, items);
}

std::vector<std::int64_t> identities(const std::vector<std::string>& items) {
  if (auto numbers = whole_numbers(items)) return *std::move(numbers);
  return encode_keys(items, items).codes;
}

void allocate(std::vector<std::uint8_t>& items, std::size_t count, const std::string& set) {
  resize(items, count, set);
}

void allocate(std::vector<float>& items, std::size_t count, const std::string& set) {
  resize(items, count, set);
}

}  // namespace vestige::data
