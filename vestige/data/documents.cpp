// Readers of texts.
#include "vestige/data/documents.h"

#include <algorithm>
#include <sstream>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/json.h"
#include "vestige/base/nesting.h"

namespace vestige::data {
namespace {

namespace fs = std::filesystem;

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos;
}

/// Calls `take(line, number)` for every line that is not blank; numbers begin with 1.
template <typename Take>
void each_line(const fs::path& path, const Take& take) {
  std::istringstream stream(read_file(path));
  std::size_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!is_blank(line)) take(line, number);
  }
}

std::string line_name(const fs::path& path, std::size_t number) {
  return fmt::format("{}:{}", path.filename().string(), number);
}

std::vector<Document> read_folder(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".txt")
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Document> documents;
  for (const fs::path& file : files) {
    std::string text = read_file(file);
    if (!is_blank(text))
      documents.push_back({fs::relative(file, folder).string(), std::move(text)});
  }
  return documents;
}

}  // namespace

std::vector<Document> read_text(const fs::path& path) {
  require(fs::exists(path), "{}: there is no such file or folder: give texts to read",
          path.string());
  std::vector<Document> documents;
  if (fs::is_directory(path)) {
    documents = read_folder(path);
  } else {
    each_line(path, [&](const std::string& line, std::size_t number) {
      documents.push_back({line_name(path, number), line});
    });
  }
  require(!documents.empty(),
          "{}: holds no text: give one document a line, or a folder of .txt files", path.string());
  return documents;
}

std::vector<Document> read_jsonl(const fs::path& path, std::string_view field) {
  std::vector<Document> documents;
  each_line(path, [&](const std::string& line, std::size_t number) {
    const Json object = parse_json(line);
    require(object.is_object(), "{} line {}: is no JSON object: give one a line", path.string(),
            number);
    const auto found = object.find(std::string(field));
    require(found != object.end() && found->is_string(),
            "{} line {}: has no text under \"{}\": name the field that holds it", path.string(),
            number, field);
    std::string text = found->get<std::string>();
    if (!is_blank(text)) documents.push_back({line_name(path, number), std::move(text)});
  });
  require(!documents.empty(), "{}: holds no text: give one JSON object a line", path.string());
  return documents;
}

std::vector<Document> read_documents(const fs::path& path) {
  if (path.extension() == ".jsonl") return read_jsonl(path);
  if (path.extension() == ".index" || (!fs::exists(path) && fs::exists(path.string() + ".index"))) {
    return read_dictd(path);
  }
  return read_text(path);
}

Pieces cut_documents(const std::vector<Document>& documents, std::size_t words, std::size_t most) {
  require(words > 0 && most > 0, "pieces of {} words, at most {} of a document: give at least 1",
          words, most);
  Pieces pieces;
  for (std::size_t document = 0; document < documents.size(); ++document) {
    std::istringstream stream(documents[document].text);
    std::string piece;
    std::size_t in_piece = 0, made = 0;
    const auto finish = [&] {
      if (made < most && 2 * in_piece >= words) {
        pieces.texts.push_back(std::move(piece));
        pieces.of.push_back(document);
        ++made;
      }
      piece.clear();
      in_piece = 0;
    };
    for (std::string word; stream >> word;) {
      piece += (piece.empty() ? "" : " ") + word;
      if (++in_piece == words) finish();
    }
    if (in_piece > 0) finish();
  }
  return pieces;
}

}  // namespace vestige::data
