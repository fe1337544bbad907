// A reader of the npy files beside a case.json that shares no code with the library, so that a
// fault in the library's own reader cannot hide one in a metric. Little-endian C-order only.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/base/matrix.h"

namespace vestige::testing {

struct NpyFile {
  std::vector<double> values;
  std::vector<std::size_t> shape;

  Matrix matrix() const {
    Matrix result(shape.at(0), shape.size() > 1 ? shape[1] : 1);
    std::copy(values.begin(), values.end(), result.values().begin());
    return result;
  }
  template <typename Integer>
  std::vector<Integer> integers() const {
    std::vector<Integer> result;
    for (const double value : values) result.push_back(static_cast<Integer>(value));
    return result;
  }
};

template <typename Item>
void append_items(const std::string& bytes, std::size_t start, std::vector<double>& out) {
  for (std::size_t at = start; at + sizeof(Item) <= bytes.size(); at += sizeof(Item)) {
    Item item;
    std::memcpy(&item, bytes.data() + at, sizeof(Item));
    out.push_back(static_cast<double>(item));
  }
}

inline NpyFile read_npy(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (bytes.size() < 10) throw std::runtime_error("cannot read " + path.string());
  const std::size_t length = static_cast<unsigned char>(bytes[8]) +
                             std::size_t{256} * static_cast<unsigned char>(bytes[9]);
  const std::string header = bytes.substr(10, length);
  const auto has = [&](const char* text) { return header.find(text) != std::string::npos; };
  NpyFile result;
  const std::size_t open = header.find('('), close = header.find(')');
  std::size_t at = open + 1;
  while (at < close) {
    if (header[at] >= '0' && header[at] <= '9') {
      std::size_t used = 0;
      result.shape.push_back(std::stoul(header.substr(at), &used));
      at += used;
    } else {
      ++at;
    }
  }
  const std::size_t start = 10 + length;
  if (has("'<f8'")) {
    append_items<double>(bytes, start, result.values);
  } else if (has("'<f4'")) {
    append_items<float>(bytes, start, result.values);
  } else if (has("'<i8'")) {
    append_items<std::int64_t>(bytes, start, result.values);
  } else if (has("'|u1'") || has("'|b1'")) {
    append_items<std::uint8_t>(bytes, start, result.values);
  } else {
    throw std::runtime_error("unexpected dtype in " + path.string() + ": " + header);
  }
  return result;
}

/// One reference case: arrays and literals of `inputs` and `expected` as flat doubles.
struct ReferenceCase {
  Json json;
  std::filesystem::path folder;

  NpyFile read(const char* part, const std::string& field) const {
    const Json& entry = json.at(part).at(field);
    if (entry.is_object()) return read_npy(folder / entry.at("file").get<std::string>());
    if (entry.is_string()) return {{std::stod(entry.get<std::string>())}, {1}};
    return {{entry.get<double>()}, {1}};
  }
  NpyFile input(const std::string& field) const { return read("inputs", field); }
  NpyFile expected(const std::string& field) const { return read("expected", field); }
  double number(const std::string& field) const { return expected(field).values.at(0); }
};

inline ReferenceCase open_case(const std::string& name) {
  const std::filesystem::path folder =
      std::filesystem::path(VESTIGE_SOURCE_DIR) / "tests/reference" / name;
  std::ifstream file(folder / "case.json");
  return {Json::parse(file), folder};
}

}  // namespace vestige::testing
