// Words of a command that are files.
#include "vestige/unlearn/parts/script_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <span>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/sha256.h"

namespace vestige::unlearn {
namespace {

namespace fs = std::filesystem;

/// The command cut at blanks, quotes and what the shell reads as signs.
std::vector<std::string> words_of(const std::string& command) {
  constexpr std::string_view kCuts = " \t\n\"'`;&|()<>=";
  std::vector<std::string> words;
  for (std::size_t at = 0; at < command.size();) {
    const std::size_t end = std::min(command.find_first_of(kCuts, at), command.size());
    if (end > at) words.push_back(command.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::string with_home(std::string word) {
  const char* home = std::getenv("HOME");
  if (home == nullptr) return word;
  for (const std::string_view mark : {"$HOME/", "${HOME}/", "~/"}) {
    if (word.starts_with(mark)) return std::string(home) + "/" + word.substr(mark.size());
  }
  return word;
}

bool is_compiled(const std::string& bytes) {
  return bytes.starts_with(
      "\x7f"
      "ELF");
}

void add_file(const fs::path& path, bool compiled_too, Json& hashes) {
  const std::string bytes = read_file(path);
  if (!compiled_too && is_compiled(bytes)) return;
  hashes[path.string()] = sha256(std::as_bytes(std::span(bytes)));
}

}  // namespace

Json script_hashes(const std::string& command, const std::vector<std::string>& files) {
  Json hashes = Json::object();
  std::error_code none;
  for (const std::string& word : words_of(command)) {
    const fs::path path = with_home(word);
    if (fs::is_regular_file(path, none)) add_file(path, false, hashes);
  }
  for (const std::string& file : files) {
    const fs::path path = with_home(file);
    require(fs::exists(path, none), "external: files: {} does not exist: correct its name",
            path.string());
    if (!fs::is_directory(path, none)) {
      add_file(path, true, hashes);
      continue;
    }
    std::vector<fs::path> inside;
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      // Python writes compiled copies beside its sources; they say nothing new.
      const bool cache = entry.path().string().find("__pycache__") != std::string::npos;
      if (entry.is_regular_file() && !cache) inside.push_back(entry.path());
    }
    std::sort(inside.begin(), inside.end());
    for (const fs::path& own : inside) add_file(own, true, hashes);
  }
  return hashes;
}

}  // namespace vestige::unlearn
