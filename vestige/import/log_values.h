// Numbers and texts of evaluation logs, by the index of each example.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace vestige::importing {

/// Objects sorted by key: faster to read than the ordered ones, whose order does not matter here.
using Log = nlohmann::json;

/// A JSON file; Python's NaN and Infinity, which are not JSON, become the texts "NaN" and
/// "Infinity".
Log read_log(const std::filesystem::path& file);
Log parse_log(const std::string& text, const std::string& file);

/// One or more numbers for each index, in numeric order of the indices ("2" before "10").
struct Column {
  std::vector<std::int64_t> index;
  std::vector<double> values;  ///< [index.size(), width]
  std::size_t width = 1;
};

struct Lines {
  std::vector<std::int64_t> index;
  std::vector<std::string> texts;
};

/// Where a value stands, for messages: "FILE: forget_Q_A_Prob".
struct At {
  std::string file;
  std::string key;
};

/// `by_index` is {"0": {FIELD: number or [numbers]}, ...}; with an empty field the values stand for
/// themselves: {"0": number}. InputError with file, key, index and remedy.
Column numbers_of(const Log& by_index, std::string_view field, const At& at);
/// The same for texts.
Lines lines_of(const Log& by_index, std::string_view field, const At& at);

/// InputError unless two columns are about the same examples.
void require_same(const std::vector<std::int64_t>& left, const At& left_at,
                  const std::vector<std::int64_t>& right, const At& right_at);

}  // namespace vestige::importing
