// Numbers from the fields of a CSV file; the line number is in every error.
#include "vestige/evidence/formats/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vestige/base/csv.h"
#include "vestige/base/error.h"
#include "vestige/evidence/formats/mapped_file.h"
#include "vestige/evidence/formats/utf8.h"

namespace vestige::evidence {
namespace {

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

bool is_header(const std::vector<CsvField>& fields) {
  return std::any_of(fields.begin(), fields.end(), [](const CsvField& field) {
    return field.quoted || !number<double>(field.text);
  });
}

class Table {
 public:
  explicit Table(std::string_view source) : source_(source) {}

  void add_line(const std::vector<CsvField>& fields, std::size_t line_number) {
    std::size_t column = 0;
    for (const CsvField& field : fields) add_field(field, line_number, ++column);
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
  void add_field(const CsvField& given, std::size_t line_number, std::size_t column) {
    require(!given.quoted, "{} line {} column {} is text in quotes: write numbers without quotes",
            source_, line_number, column);
    const std::string_view field = given.text;
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
  CsvReader reader(text, source_name);
  require(reader.next(), "{} is empty: export it again", source_name);
  Table table(source_name);
  if (!is_header(reader.fields())) table.add_line(reader.fields(), reader.line());
  while (reader.next()) table.add_line(reader.fields(), reader.line());
  require(table.rows() > 0, "{} has no line of numbers: give one row per example", source_name);
  return std::move(table).finish();
}

Array read_csv(const std::filesystem::path& path) {
  const MappedFile file = map_file(path);
  return parse_csv(file.text(), path.string());
}

}  // namespace vestige::evidence
