// Adding imported files to evidence that exists.
#include <fmt/format.h>
#include <toml++/toml.h>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/nesting.h"
#include "vestige/evidence/layout.h"
#include "vestige/evidence/reader.h"
#include "vestige/import/draft.h"

namespace vestige::importing {
namespace {

namespace fs = std::filesystem;
using TomlLines = std::map<std::string, std::string>;

/// Folders of the models that the evidence has, by their ids.
std::map<std::string, std::string> folders_of(const fs::path& folder) {
  std::map<std::string, std::string> folders;
  const evidence::Reading reading = evidence::read(folder, false);
  for (const evidence::Group& group : reading.evidence.groups) {
    for (const evidence::Model& model : group.models) {
      folders[model.id()] = model.stacked < 0 ? model.folder : "";
    }
  }
  return folders;
}

/// Removes from `lines` what the table says already; InputError where it says otherwise.
void leave_out_known(const toml::table& table, const std::string& file, TomlLines& lines) {
  for (const auto& [key, node] : table) {
    const auto line = lines.find(std::string(key.str()));
    if (line == lines.end()) continue;
    const std::string said = node.is_string() ? fmt::format("\"{}\"", node.as_string()->get()) : "";
    require(said == line->second, "{} line {}: {} is {} there, the import needs {}: correct one",
            file, node.source().begin.line, line->first, said.empty() ? "no text" : said,
            line->second);
    lines.erase(line);
  }
}

std::string text_of(const TomlLines& lines) {
  std::string text;
  for (const auto& [key, value] : lines) text += fmt::format("\"{}\" = {}\n", key, value);
  return text;
}

/// The text of evidence.toml with the new lines; what was there stays as it was written.
std::string merged(std::string text, const std::string& file, TomlLines settings,
                   std::map<std::string, TomlLines> sections) {
  require(!toml_too_deep(text), "{}: a key has too many parts: shorten it", file);
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    fail("{} line {}: {}", file, error.source().begin.line, std::string(error.description()));
  }
  leave_out_known(table, file, settings);
  if (!text.empty() && text.back() != '\n') text += '\n';
  for (auto& [name, lines] : sections) {
    const toml::node* node = table.get(name);
    if (node == nullptr) {
      text += fmt::format("\n[{}]\n{}", name, text_of(lines));
      continue;
    }
    require(node->is_table(), "{}: {} must be a section [{}]", file, name, name);
    leave_out_known(*node->as_table(), file, lines);
    if (lines.empty()) continue;
    const std::string heading = fmt::format("[{}]\n", name);
    const std::size_t place = text.find(heading);
    require(place != std::string::npos, "{}: write the section {} with a line [{}] of its own",
            file, name, name);
    text.insert(place + heading.size(), text_of(lines));
  }
  return text_of(settings) + text;
}

}  // namespace

void Draft::add(const fs::path& folder, bool force) const {
  std::error_code ignored;
  require(fs::is_directory(folder, ignored),
          "{}: is no folder of evidence: leave --add out to make one of the scores alone",
          folder.string());
  const std::map<std::string, std::string> folders = folders_of(folder);
  FileSet files(folder, true);
  for (const auto& [file, bytes] : files_) {
    const std::string id = evidence::model_id(evidence::place_of(file.substr(0, file.rfind('.'))));
    if (id.empty()) {  // labels of questions, which all models share
      const bool there = fs::exists(folder / file, ignored);
      require(!there || force || read_file(folder / file) == bytes,
              "{} exists and has other values: give --force to replace it, or correct the log",
              (folder / file).string());
      if (!there || force) files.add(file, bytes);
      continue;
    }
    const auto model = folders.find(id);
    require(model != folders.end(), "{}: has no model {}: correct its name, or add its outputs",
            folder.string(), id);
    require(!model->second.empty(),
            "{}: {} is one of several models in one array: give it a folder of its own",
            folder.string(), id);
    const std::string target = model->second + file.substr(id.size());
    require(force || !fs::exists(folder / target, ignored),
            "{} exists: give --force to replace it, or another --name", (folder / target).string());
    files.add(target, bytes);
  }
  const fs::path toml = folder / "evidence.toml";
  const std::string before = fs::exists(toml, ignored) ? read_file(toml) : "";
  files.add("evidence.toml", merged(before, toml.string(), settings_, sections_));
  files.commit();
}

}  // namespace vestige::importing
