// Reading values by index.
#include "vestige/import/log_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/nesting.h"

namespace vestige::importing {
namespace {

/// Puts quotes around NaN, Infinity and -Infinity outside strings.
std::string with_quoted_nan(const std::string& text) {
  std::string result;
  bool inside = false;
  for (std::size_t i = 0; i < text.size();) {
    if (inside && text[i] == '\\') {
      result.append(text, i, 2);
      i += 2;
      continue;
    }
    if (text[i] == '"') inside = !inside;
    bool replaced = false;
    for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
      if (inside || text.compare(i, word.size(), word) != 0) continue;
      result.append("\"").append(word).append("\"");
      i += word.size();
      replaced = true;
      break;
    }
    if (!replaced) result += text[i++];
  }
  return result;
}

std::int64_t index_of(const std::string& text, const At& at) {
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(fault == std::errc() && end == text.data() + text.size() && value >= 0,
          "{}: {} has the index \"{}\": indices are whole numbers; write the log again with "
          "the program that made it",
          at.file, at.key, text);
  return value;
}

double number_of(const Log& value, std::int64_t index, std::string_view field, const At& at) {
  const std::string name = field.empty() ? "" : fmt::format(", {}", field);
  require(value.is_number(),
          "{}: {}, index {}{}: is {} and not a number: a model that diverged gives NaN; evaluate "
          "it again, or leave it out with --map skip=PATH",
          at.file, at.key, index, name,
          value.is_string() ? value.get<std::string>() : value.dump());
  const double number = value.get<double>();
  require(std::isfinite(number), "{}: {}, index {}{}: is {}: evaluate the model again", at.file,
          at.key, index, name, number);
  return number;
}

struct Item {
  std::int64_t index;
  const Log* value;
};

/// The value of `field` at each index, in numeric order.
std::vector<Item> items_of(const Log& by_index, std::string_view field, const At& at) {
  require(by_index.is_object() && !by_index.empty(),
          "{}: {} has no values by index: only totals were written; evaluate again and keep the "
          "*_EVAL.json file",
          at.file, at.key);
  std::vector<Item> items;
  for (const auto& [key, value] : by_index.items()) {
    const std::int64_t index = index_of(key, at);
    if (field.empty()) {
      items.push_back({index, &value});
      continue;
    }
    require(value.is_object() && value.contains(std::string(field)),
            "{}: {}, index {}: has no \"{}\": the log is of another version than this program "
            "reads (locuslab/open-unlearning of 2025), or is damaged; evaluate again",
            at.file, at.key, index, field);
    items.push_back({index, &value.at(std::string(field))});
  }
  std::sort(items.begin(), items.end(),
            [](const Item& left, const Item& right) { return left.index < right.index; });
  return items;
}

}  // namespace

Log parse_log(const std::string& text, const std::string& file) {
  require(!json_too_deep(text), "{}: is nested too deeply: it is no log of an evaluation", file);
  Log log = Log::parse(text, nullptr, false);
  if (!log.is_discarded()) return log;
  try {
    return Log::parse(with_quoted_nan(text));
  } catch (const Log::parse_error& error) {
    fail("{}: is no valid JSON after byte {}: the file was cut off or damaged; evaluate again",
         file, error.byte);
  }
}

Log read_log(const std::filesystem::path& file) {
  return parse_log(read_file(file), file.string());
}

Column numbers_of(const Log& by_index, std::string_view field, const At& at) {
  Column column;
  const std::vector<Item> items = items_of(by_index, field, at);
  const Log& first = *items.front().value;
  column.width = first.is_array() ? first.size() : 1;
  for (const Item& item : items) {
    column.index.push_back(item.index);
    const std::size_t width = item.value->is_array() ? item.value->size() : 1;
    require(width == column.width && width > 0,
            "{}: {}, index {}: has {} values and index {} has {}: all examples need as many",
            at.file, at.key, item.index, width, items.front().index, column.width);
    if (!item.value->is_array()) {
      column.values.push_back(number_of(*item.value, item.index, field, at));
      continue;
    }
    for (const Log& value : *item.value) {
      column.values.push_back(number_of(value, item.index, field, at));
    }
  }
  return column;
}

Lines lines_of(const Log& by_index, std::string_view field, const At& at) {
  Lines lines;
  for (const Item& item : items_of(by_index, field, at)) {
    require(item.value->is_string(), "{}: {}, index {}: \"{}\" is no text: evaluate again", at.file,
            at.key, item.index, field);
    lines.index.push_back(item.index);
    lines.texts.push_back(item.value->get<std::string>());
  }
  return lines;
}

void require_same(const std::vector<std::int64_t>& left, const At& left_at,
                  const std::vector<std::int64_t>& right, const At& right_at) {
  const auto [one, other] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  if (one == left.end() && other == right.end()) return;
  const bool lacks = other == right.end() || (one != left.end() && *one < *other);
  fail(
      "{}: {} has index {}, and {}: {} has not ({} and {} examples): evaluate all models on the "
      "same split, forget_split and holdout_split included",
      lacks ? left_at.file : right_at.file, lacks ? left_at.key : right_at.key,
      lacks ? *one : *other, lacks ? right_at.file : left_at.file,
      lacks ? right_at.key : left_at.key, left.size(), right.size());
}

}  // namespace vestige::importing
