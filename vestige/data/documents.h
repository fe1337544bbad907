// Texts for language models, one document each: text files, JSON lines and dictionaries.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace vestige::data {

struct Document {
  std::string name;  ///< "articles.txt:3", a file's name or a headword
  std::string text;  ///< UTF-8, not empty
};

/// A file: one document a line, empty lines passed over. A folder: every *.txt below it, in the
/// order of their paths, one document a file.
std::vector<Document> read_text(const std::filesystem::path& path);

/// One JSON object a line; its text is the string under `field`. InputError names the line.
std::vector<Document> read_jsonl(const std::filesystem::path& path,
                                 std::string_view field = "text");

/// A dictionary of the dictd format: NAME.index (headword, offset and size in base 64, by tabs) and
/// NAME.dict.dz (gzip) or NAME.dict beside it, as Debian's dict-foldoc installs them. One article
/// one document, in the order of the file, named by its first headword; headwords of the same
/// article share it, and articles about the database itself ("00-database-...") are left out.
/// `path` is NAME, with or without ".index".
std::vector<Document> read_dictd(const std::filesystem::path& path);

/// By the ending: .jsonl, .index (or a NAME that has an index beside it), else text.
std::vector<Document> read_documents(const std::filesystem::path& path);

/// Documents cut into pieces of `words` words (runs without white space), at most `most` pieces of
/// each; what is left over at the end is a piece if it has at least half as many. `of[i]` is the
/// document that piece i comes from, so that whole documents can be forgotten.
struct Pieces {
  std::vector<std::string> texts;
  std::vector<std::size_t> of;
};
Pieces cut_documents(const std::vector<Document>& documents, std::size_t words, std::size_t most);

}  // namespace vestige::data
