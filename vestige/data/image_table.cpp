// Each image takes the line that names its path or, failing that, its file name.
#include "vestige/data/image_table.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "vestige/base/csv.h"
#include "vestige/base/error.h"
#include "vestige/base/file.h"

namespace vestige::data {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

std::size_t column_of(const std::vector<std::string>& header, std::string_view name) {
  const auto found = std::find(header.begin(), header.end(), name);
  return found == header.end() ? kNone : static_cast<std::size_t>(found - header.begin());
}

/// One line of the CSV and the image that took it.
struct Entry {
  std::vector<std::string> fields;
  std::string taken_by;
};

}  // namespace

ImageTable read_image_table(const std::filesystem::path& path,
                            const std::vector<std::string>& files) {
  const std::string text = read_file(path), source = path.string();
  CsvReader reader(text, source);
  require(reader.next(), "{} is empty: it needs the header file,subject,attribute", source);
  const std::vector<std::string> header = reader.texts();
  const std::size_t file_column = column_of(header, "file");
  const std::size_t subject_column = column_of(header, "subject");
  const std::size_t attribute_column = column_of(header, "attribute");
  require(file_column != kNone && (subject_column != kNone || attribute_column != kNone),
          "{} has the header '{}': it needs the column file, and subject or attribute or both",
          source, fmt::join(header, ","));
  std::map<std::string, Entry> entries;
  while (reader.next()) {
    if (reader.blank()) continue;
    const std::string where = fmt::format("{} line {}", source, reader.line());
    Entry entry{reader.texts(), {}};
    require(entry.fields.size() == header.size(),
            "{} has {} fields, the header has {}: give both the same", where, entry.fields.size(),
            header.size());
    const std::string file = entry.fields[file_column];
    require(entries.emplace(file, std::move(entry)).second,
            "{} names {} for the second time: keep one line per image", where, file);
  }
  ImageTable table;
  for (const std::string& file : files) {
    auto found = entries.find(file);
    if (found == entries.end()) {
      found = entries.find(std::filesystem::path(file).filename().string());
    }
    require(found != entries.end(), "{} has no line for the image {}: add one", source, file);
    Entry& entry = found->second;
    require(
        entry.taken_by.empty(),
        "the line of {} in {} fits both {} and {}: give paths relative to the data set's folder",
        found->first, source, entry.taken_by, file);
    entry.taken_by = file;
    if (subject_column != kNone) table.subjects.push_back(entry.fields[subject_column]);
    if (attribute_column != kNone) table.attributes.push_back(entry.fields[attribute_column]);
  }
  return table;
}

}  // namespace vestige::data
