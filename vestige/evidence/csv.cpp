// A reader for plain numeric CSV; the line number is in every error.
#include "vestige/evidence/csv.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vestige/base/error.h"
#include "vestige/evidence/mapped_file.h"
#include "vestige/evidence/utf8.h"

namespace vestige::evidence {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

template <typename Number>
std::optional<Number> number(std::string_view field) {
  // from_chars knows no plus sign.
  if (field.starts_with('+') && !field.starts_with("+-")) field.remove_prefix(1);
  Number value{};
  const char* end = field.data() + field.size();
  const auto [next, error] = std::from_chars(field.data(), end, value);
  if (error != std::errc{} || next != end) return std::nullopt;
  return value;
}

// Takes the text up to `separator` off the front of `rest`.
std::string_view take(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return part;
}

bool is_header(std::string_view line) {
  bool more = true;
  while (more) {
    more = line.find(',') != std::string_view::npos;
    if (!number<double>(trimmed(take(line, ',')))) return true;
  }
  return false;
}

class Table {
 public:
  explicit Table(std::string_view source) : source_(source) {}

  void add_line(std::string_view line, std::size_t line_number) {
    std::size_t column = 0;
    bool more = true;
    while (more) {
      more = line.find(',') != std::string_view::npos;
      add_field(trimmed(take(line, ',')), line_number, ++column);
    }
    if (rows_ == 0) columns_ = column;
    require(column == columns_,
            "{} line {} has {} columns, the lines before have {}: all need the same", source_,
            line_number, column, columns_);
    // Only a single column can become integers.
    if (columns_ > 1) integers_.clear();
    ++rows_;
  }

  Array finish() && {
    if (columns_ == 1 && whole_) return Array::from_integers(std::move(integers_), {rows_});
    if (columns_ == 1) return Array::from_doubles(std::move(values_), {rows_});
    return Array::from_doubles(std::move(values_), {rows_, columns_});
  }

  std::size_t rows() const { return rows_; }

 private:
  void add_field(std::string_view field, std::size_t line_number, std::size_t column) {
    const std::optional<double> value = number<double>(field);
    if (!value) {
      require(!field.empty(), "{} line {} column {} is empty: give every row a number", source_,
              line_number, column);
      fail("{} line {} column {} is '{}', not a number: separate plain numbers by commas", source_,
           line_number, column, printable(field));
    }
    values_.push_back(*value);
    if (!whole_) return;
    // Integers beyond 2^53 (ids) would lose digits as doubles, so they are parsed on their own.
    if (const std::optional<std::int64_t> integer = number<std::int64_t>(field)) {
      integers_.push_back(*integer);
    } else if (std::trunc(*value) == *value && std::abs(*value) <= 0x1p53) {
      integers_.push_back(static_cast<std::int64_t>(*value));
    } else {
      whole_ = false;
    }
  }

  std::string_view source_;
  std::vector<double> values_;
  std::vector<std::int64_t> integers_;
  bool whole_ = true;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
};

}  // namespace

Array parse_csv(std::string_view text, std::string_view source_name) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty() &&
         trimmed(text.substr(text.size() - 1)).find_first_not_of('\n') == std::string_view::npos) {
    text.remove_suffix(1);
  }
  require(!text.empty(), "{} is empty: export it again", source_name);
  Table table(source_name);
  std::size_t line_number = 0;
  while (!text.empty()) {
    const std::string_view line = take(text, '\n');
    ++line_number;
    if (line_number == 1 && is_header(line)) continue;
    table.add_line(line, line_number);
  }
  require(table.rows() > 0, "{} has no line of numbers: give one row per sample", source_name);
  return std::move(table).finish();
}

Array read_csv(const std::filesystem::path& path) {
  const MappedFile file = map_file(path);
  return parse_csv(file.text(), path.string());
}

}  // namespace vestige::evidence
