// The naming of OpenUnlearning's scripts (scripts/tofu_*.sh, muse_unlearn.sh) and of TOFU's own.
#include "vestige/import/log_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "vestige/base/error.h"

namespace vestige::importing {
namespace {

namespace fs = std::filesystem;

bool is_word_with_number(std::string_view word, std::string_view start) {
  return word.starts_with(start) && word.size() > start.size() &&
         std::all_of(word.begin() + static_cast<std::ptrdiff_t>(start.size()), word.end(),
                     [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = text.find('_', start);
    words.push_back(text.substr(start, end - start));
    if (end == std::string::npos) return words;
    start = end + 1;
  }
}

std::string joined_words(const std::vector<std::string>& words, std::size_t first,
                         std::size_t last) {
  std::string text;
  for (std::size_t i = first; i < last; ++i) {
    if (i > first) text += '_';
    text += words[i];
  }
  return text;
}

/// tofu_MODEL_full, tofu_MODEL_retain90, tofu_MODEL_forget10_NPO, muse_MODEL_News_retrain.
LogRole role_of_folder(const std::string& folder) {
  const std::vector<std::string> words = words_of(folder);
  const bool named = words[0] == "tofu" || words[0] == "muse";
  const std::size_t from = named ? 1 : 0;
  LogRole role;
  for (std::size_t i = from; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto found = [&](const std::string& which) {
      role.role = which;
      if (named) role.model = joined_words(words, from, i);
      return role;
    };
    if (is_word_with_number(word, "retain")) {
      const int percent = std::stoi(word.substr(6).substr(0, 3));
      if (percent < 100) role.forget = fmt::format("forget{:02d}", 100 - percent);
      return found("retrained");
    }
    if (word == "full") {
      if (i + 1 < words.size() && is_word_with_number(words[i + 1], "forget")) {
        role.forget = words[i + 1];
      }
      return found("original");
    }
    const bool muse = named && (word == "News" || word == "Books");
    if (!muse && !is_word_with_number(word, "forget")) continue;
    role.forget = word;
    if (muse && i + 2 == words.size() && words[i + 1] == "retrain") return found("retrained");
    if (muse && i + 2 == words.size() && words[i + 1] == "target") return found("original");
    const std::string method = named ? joined_words(words, i + 1, words.size()) : folder;
    if (!method.empty()) return found("unlearned/" + method);
  }
  return {};
}

LogRole role_named(const std::string& text) {
  LogRole role;
  const std::size_t slash = text.find('/');
  std::string rest = slash == std::string::npos ? "" : text.substr(slash + 1);
  role.role = text.substr(0, slash);
  if (role.role == "unlearned") {
    const std::size_t next = rest.find('/');
    require(!rest.empty() && next != 0, "--map {}: unlearned models need a method: unlearned/NPO",
            text);
    role.role += fmt::format("/{}", rest.substr(0, next));
    rest = next == std::string::npos ? "" : rest.substr(next + 1);
  } else {
    require(role.role == "original" || role.role == "retrained" || role.role == "shadow" ||
                role.role == "skip",
            "--map {}: the role is {}, it must be original, retrained, shadow, unlearned/METHOD or "
            "skip",
            text, role.role);
  }
  require(rest.find('/') == std::string::npos, "--map {}: a model's name has no \"/\"", text);
  role.name = rest;
  return role;
}

}  // namespace

LogRole role_of_path(const fs::path& path) {
  std::vector<std::string> folders;
  std::string forget;
  std::string step;
  for (const fs::path& part : path.parent_path()) {
    const std::string folder = part.string();
    if (folder.starts_with("evals_forget")) forget = folder.substr(6);
    if (is_word_with_number(folder, "checkpoint-")) step = "-" + folder;
    folders.push_back(folder);
  }
  LogRole role;
  for (auto folder = folders.rbegin(); folder != folders.rend() && role.role.empty(); ++folder) {
    if (!folder->starts_with("evals")) role = role_of_folder(*folder);
  }
  // MUSE's script evaluates into saves/unlearn/TRAINER/evals.
  const auto unlearn = std::find(folders.begin(), folders.end(), "unlearn");
  if (role.role.empty() && unlearn != folders.end() && unlearn + 1 != folders.end()) {
    role.role = "unlearned/" + *(unlearn + 1);
  }
  if (!forget.empty()) role.forget = forget;
  if (role.role.starts_with("unlearned/")) role.role += step;
  return role;
}

std::vector<RoleMap> parse_map(const std::vector<std::string>& map, const fs::path& saves) {
  std::vector<RoleMap> result;
  for (const std::string& text : map) {
    const std::size_t equals = text.find('=');
    require(equals != std::string::npos && equals > 0 && equals + 1 < text.size(),
            "--map {}: give a role and a path: retrained=saves/eval/tofu_retain90", text);
    const LogRole role = role_named(text.substr(0, equals));
    const fs::path given = text.substr(equals + 1);
    std::error_code ignored;
    const fs::path below = fs::exists(saves / given, ignored) ? saves / given : given;
    require(fs::exists(below, ignored), "--map {}: {} does not exist, neither here nor below {}",
            text, given.string(), saves.string());
    result.push_back({role, fs::weakly_canonical(below)});
  }
  return result;
}

}  // namespace vestige::importing
