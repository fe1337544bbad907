// Dictionaries of the dictd format (dictd(8), "DATABASE FORMAT").
#include <zlib.h>

#include <cstdint>
#include <map>
#include <memory>
#include <sstream>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/data/documents.h"

namespace vestige::data {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Numbers of the index are written in base 64, largest digit first.
std::size_t number_of(std::string_view text, const fs::path& file, std::size_t line) {
  std::size_t value = 0;
  for (const char letter : text) {
    const std::size_t digit = kDigits.find(letter);
    require(digit != std::string_view::npos && value < (SIZE_MAX >> 6),
            "{} line {}: {} is no number of a dictd index: is it such an index?", file.string(),
            line, text);
    value = value * 64 + digit;
  }
  return value;
}

/// dictzip files are gzip files; plain ones are read as they are.
std::string read_compressed(const fs::path& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), &gzclose);
  require(file != nullptr, "{}: cannot be opened: check that it is there and readable",
          path.string());
  std::string text;
  std::vector<char> buffer(std::size_t{1} << 16);
  while (true) {
    const int got = gzread(file.get(), buffer.data(), static_cast<unsigned>(buffer.size()));
    require(got >= 0, "{}: is damaged: copy or install it again", path.string());
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

fs::path dictionary_beside(const fs::path& name) {
  for (const char* ending : {".dict.dz", ".dict"}) {
    const fs::path file = name.string() + ending;
    if (fs::exists(file)) return file;
  }
  fail("{}: there is neither {}.dict.dz nor {}.dict beside the index: add it",
       name.string() + ".index", name.string(), name.string());
}

}  // namespace

std::vector<Document> read_dictd(const fs::path& path) {
  fs::path name = path;
  if (name.extension() == ".index") name.replace_extension();
  const fs::path index = name.string() + ".index";
  require(fs::exists(index), "{}: there is no such index: give NAME of NAME.index and NAME.dict.dz",
          index.string());
  const std::string text = read_compressed(dictionary_beside(name));
  std::map<std::size_t, Document> articles;  // by offset: the order of the file
  std::istringstream lines(read_file(index));
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("00-database") || line.starts_with("00database")) continue;
    const std::size_t first = line.find('\t');
    const std::size_t second = first == std::string::npos ? first : line.find('\t', first + 1);
    require(second != std::string::npos,
            "{} line {}: is not headword, offset and size with tabs between: is it a dictd index?",
            index.string(), number);
    const std::string_view view = line;
    const std::size_t third = line.find('\t', second + 1);
    const std::size_t offset = number_of(view.substr(first + 1, second - first - 1), index, number);
    const std::size_t size =
        number_of(view.substr(second + 1, third == std::string::npos ? third : third - second - 1),
                  index, number);
    require(offset <= text.size() && size <= text.size() - offset,
            "{} line {}: the article of {} ends at byte {}, the dictionary has {}: do both files "
            "belong together?",
            index.string(), number, view.substr(0, first), offset + size, text.size());
    if (size == 0) continue;
    articles.try_emplace(offset, Document{line.substr(0, first), text.substr(offset, size)});
  }
  require(!articles.empty(), "{}: lists no article: is it a dictd index?", index.string());
  std::vector<Document> documents;
  for (auto& [offset, document] : articles) documents.push_back(std::move(document));
  return documents;
}

}  // namespace vestige::data
