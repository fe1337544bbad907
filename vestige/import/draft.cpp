// Arrays, texts and evidence.toml of imported evidence.
#include "vestige/import/draft.h"

#include <fmt/format.h>

#include <cctype>

#include "vestige/base/file.h"
#include "vestige/evidence/formats/npy.h"

namespace vestige::importing {
namespace {

std::string toml_text(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += std::iscntrl(static_cast<unsigned char>(letter)) != 0 ? ' ' : letter;
  }
  return result + "\"";
}

std::string one_line(std::string_view text) {
  std::string result;
  bool blank = false;
  for (const char letter : text) {
    if (std::isspace(static_cast<unsigned char>(letter)) != 0) {
      blank = !result.empty();
      continue;
    }
    if (blank) result += ' ';
    blank = false;
    result += letter;
  }
  return result;
}

}  // namespace

void Draft::put(const std::string& key, std::vector<double> values, std::size_t columns) {
  std::vector<std::size_t> shape = {values.size() / columns};
  if (columns > 1) shape.push_back(columns);
  files_[key + ".npy"] =
      evidence::write_npy(evidence::Array::from_doubles(std::move(values), std::move(shape)));
}

void Draft::put(const std::string& key, std::vector<std::int64_t> values) {
  const std::size_t size = values.size();
  files_[key + ".npy"] =
      evidence::write_npy(evidence::Array::from_integers(std::move(values), {size}));
}

void Draft::put_lines(const std::string& file, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += one_line(line) + "\n";
  files_[file] = std::move(text);
}

void Draft::set(const std::string& key, std::string_view value) {
  settings_[key] = toml_text(value);
}

void Draft::set(const std::string& section, const std::string& key, std::string_view value) {
  sections_[section][key] = toml_text(value);
}

void Draft::write(const std::filesystem::path& given, bool force) const {
  // "evidence/" is "evidence".
  const std::filesystem::path folder = given.has_filename() ? given : given.parent_path();
  std::string toml;
  for (const auto& [key, value] : settings_) toml += fmt::format("{} = {}\n", key, value);
  for (const auto& [section, lines] : sections_) {
    toml += fmt::format("\n[{}]\n", section);
    for (const auto& [key, value] : lines) toml += fmt::format("{} = {}\n", toml_text(key), value);
  }
  std::error_code ignored;
  if (force && std::filesystem::exists(folder, ignored)) {
    FileSet files(folder, force);
    for (const auto& [file, bytes] : files_) files.add(file, bytes);
    files.add("evidence.toml", toml);
    return files.commit();
  }
  FileSet(folder, false);  // refuses a folder that holds something
  // Thousands of files: synced together, and the folder gets its name when all are there.
  const std::filesystem::path temporary = folder.string() + ".importing";
  std::filesystem::remove_all(temporary, ignored);
  make_folder(temporary, folder);
  for (const auto& [file, bytes] : files_) {
    make_folder((temporary / file).parent_path(), folder);
    write_unsynced(temporary / file, bytes);
  }
  write_unsynced(temporary / "evidence.toml", toml);
  sync_file_system(temporary);
  std::filesystem::remove(folder, ignored);  // an empty one
  std::filesystem::rename(temporary, folder);
}

}  // namespace vestige::importing
