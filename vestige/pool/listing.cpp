// The pool as text.
#include "vestige/pool/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace vestige::pool {
namespace {

constexpr std::size_t kColumns = 11;
constexpr std::size_t kFirstNumber = 5;  // columns from here on are aligned to the right
using Row = std::array<std::string, kColumns>;

const Json& at(const Json& table, const char* key) {
  static const Json none;
  const auto found = table.is_object() ? table.find(key) : table.end();
  return found == table.end() ? none : *found;
}

std::string word(const Json& what, const char* key) {
  const Json& value = at(what, key);
  const Json& name = value.is_object() ? at(value, "name") : value;
  return name.is_string() ? name.get<std::string>() : "-";
}

std::string percent(const Json& value) {
  return value.is_number() ? fmt::format("{:.2f} %", 100 * value.get<double>()) : "-";
}

Row row_of(const Entry& entry) {
  const Json& accuracy = at(entry.facts, "accuracy");
  const Json& seconds = at(entry.facts, "seconds");
  return {entry.label,
          entry.name,
          word(entry.what, "architecture"),
          word(entry.what, "dataset"),
          word(entry.what, "method"),
          percent(at(accuracy, "train")),
          percent(at(accuracy, "forget")),
          percent(at(accuracy, "test")),
          seconds.is_number() ? fmt::format("{:.1f}", seconds.get<double>()) : "-",
          percent(at(entry.facts, "time_ratio")),
          size_text(entry.bytes)};
}

/// Columns on a terminal: bytes that continue a UTF-8 character take none.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char letter) {
    return (static_cast<unsigned char>(letter) & 0xC0U) != 0x80U;
  }));
}

}  // namespace

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "kB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  // 999.95 would be rounded to 1000.0.
  while (value >= 999.95 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string pool_text(const std::vector<Entry>& entries) {
  std::vector<Row> rows = {{"label", "name", "architecture", "dataset", "method", "train", "forget",
                            "test", "seconds", "of retraining", "size"}};
  std::uint64_t bytes = 0;
  for (const Entry& entry : entries) {
    rows.push_back(row_of(entry));
    bytes += entry.bytes;
  }
  std::array<std::size_t, kColumns> widths{};
  for (const Row& row : rows) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      widths[column] = std::max(widths[column], width(row[column]));
    }
  }
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      const std::string space(widths[column] - width(row[column]), ' ');
      if (column > 0) text += "  ";
      text += column < kFirstNumber ? row[column] + space : space + row[column];
    }
    text += '\n';
  }
  return text + fmt::format("{} model{}, {}\n", entries.size(), entries.size() == 1 ? "" : "s",
                            size_text(bytes));
}

}  // namespace vestige::pool
