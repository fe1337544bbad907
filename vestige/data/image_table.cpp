// CSV with text fields (RFC 4180 without line breaks inside quotes).
#include "vestige/data/image_table.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "vestige/base/error.h"
#include "vestige/data/files.h"

namespace vestige::data {
namespace {

std::vector<std::string> fields_of(const std::string& line, const std::string& where) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t place = 0; place < line.size(); ++place) {
    const char character = line[place];
    if (character == '"') {
      const bool doubled = quoted && place + 1 < line.size() && line[place + 1] == '"';
      if (doubled) {
        fields.back() += '"';
        ++place;
      } else {
        quoted = !quoted;
      }
    } else if (character == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += character;
    }
  }
  require(!quoted, "{} has a quote that does not end on the line: close it", where);
  for (std::string& field : fields) {
    field.erase(0, field.find_first_not_of(" \t"));
    field.resize(field.find_last_not_of(" \t") + 1);
  }
  return fields;
}

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
  std::vector<std::string> lines = read_lines(path);
  require(!lines.empty(), "{} is empty: it needs the header file,subject,attribute", path.string());
  if (lines[0].starts_with("\xef\xbb\xbf")) lines[0].erase(0, 3);
  const std::vector<std::string> header = fields_of(lines[0], path.string() + " line 1");
  const std::size_t file_column = column_of(header, "file");
  const std::size_t subject_column = column_of(header, "subject");
  const std::size_t attribute_column = column_of(header, "attribute");
  require(file_column != kNone && (subject_column != kNone || attribute_column != kNone),
          "{} has the header '{}': it needs the column file, and subject or attribute or both",
          path.string(), lines[0]);
  std::map<std::string, Entry> entries;
  for (std::size_t line = 1; line < lines.size(); ++line) {
    const std::string where = fmt::format("row {} of {}", line, path.string());
    Entry entry{fields_of(lines[line], where), {}};
    require(entry.fields.size() == header.size(),
            "{} has {} fields, the header has {}: give both "
            "the same",
            where, entry.fields.size(), header.size());
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
    require(found != entries.end(), "{} has no line for the image {}: add one", path.string(),
            file);
    Entry& entry = found->second;
    require(
        entry.taken_by.empty(),
        "the line of {} in {} fits both {} and {}: give paths relative to the data set's folder",
        found->first, path.string(), entry.taken_by, file);
    entry.taken_by = file;
    if (subject_column != kNone) table.subjects.push_back(entry.fields[subject_column]);
    if (attribute_column != kNone) table.attributes.push_back(entry.fields[attribute_column]);
  }
  return table;
}

}  // namespace vestige::data
