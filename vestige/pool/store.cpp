// The pool on disk. Layout and checks: docs/lab/pool.md.
#include "vestige/pool/store.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <system_error>
#include <tuple>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/nesting.h"
#include "vestige/base/sha256.h"
#include "vestige/pool/process.h"

namespace vestige::pool {
namespace fs = std::filesystem;
namespace {

constexpr int kSchema = 1;
constexpr const char* kEntryFile = "entry.json";
constexpr std::size_t kNameDigits = 20;

std::string digest(std::string_view content) { return sha256(std::as_bytes(std::span(content))); }

/// A file directly in the model's folder; an entry.json from elsewhere may say anything.
bool plain_name(const std::string& file) {
  return !file.empty() && file.find('/') == std::string::npos && !file.starts_with('.') &&
         file != kEntryFile;
}

bool model_name(const std::string& name) {
  return name.size() == kNameDigits &&
         name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string entry_text(const Identity& identity, const std::string& name, const Product& product) {
  Json files = Json::object();
  for (const auto& [file, content] : product.files) {
    files[file] = {{"bytes", content.size()}, {"sha256", digest(content)}};
  }
  Json entry;
  entry["schema"] = kSchema;
  entry["name"] = name;
  entry["label"] = identity.label;
  entry["what"] = identity.what;
  entry["facts"] = product.facts;
  entry["files"] = std::move(files);
  return entry.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// entry.json, with everything that this program reads from it in place; otherwise an InputError
/// that says what is wrong, without the path.
Json checked_entry(const fs::path& folder, const std::string& name) {
  const std::string text = read_file(folder / kEntryFile);
  const Json entry = parse_json(text);
  require(entry.is_object() && entry.contains("schema"), "{} is not whole", kEntryFile);
  require(entry["schema"] == kSchema, "{} has schema {}, this program knows {}", kEntryFile,
          entry["schema"].dump(), kSchema);
  require(entry.contains("what") && entry.contains("facts") && entry.contains("files") &&
              entry["files"].is_object() && entry.value("label", Json()).is_string(),
          "{} lacks a part", kEntryFile);
  require(entry.value("name", Json()) == name && Identity{{}, entry["what"]}.name() == name,
          "it describes another model");
  for (const auto& [file, facts] : entry["files"].items()) {
    require(plain_name(file) && facts.is_object() &&
                facts.value("bytes", Json()).is_number_unsigned() &&
                facts.value("sha256", Json()).is_string(),
            "{} describes the file \"{}\" wrongly", kEntryFile, file);
  }
  return entry;
}

/// What is wrong with a model, and with which of its files; empty if nothing is.
struct Problem {
  std::string file, text;
};

/// How closely a model is looked at: files in their sizes, or all of their bytes.
enum class Look { sizes, bytes };

Problem problem_of(const fs::path& folder, const std::string& name, Look look) {
  try {
    const Json entry = checked_entry(folder, name);
    for (const auto& [file, facts] : entry["files"].items()) {
      std::error_code error;
      const std::uint64_t bytes = fs::file_size(folder / file, error);
      if (error) return {file, fmt::format("{}: {}", file, error.message())};
      if (bytes != facts["bytes"].get<std::uint64_t>()) {
        return {file,
                fmt::format("{} has {} bytes instead of {}", file, bytes, facts["bytes"].dump())};
      }
      if (look == Look::sizes) continue;
      try {
        if (digest(read_file(folder / file)) != facts["sha256"].get<std::string>()) {
          return {file, fmt::format("the checksum of {} does not hold", file)};
        }
      } catch (const InputError& unreadable) {
        return {file, unreadable.what()};
      }
    }
    return {};
  } catch (const InputError& error) {
    return {kEntryFile, error.what()};
  } catch (const Json::exception&) {  // text that is no UTF-8
    return {kEntryFile, fmt::format("{} is not whole", kEntryFile)};
  }
}

void warn(const std::string& text) {
  std::fputs(fmt::format("vestige: warning: {}\n", text).c_str(), stderr);
}

Entry entry_of(const Json& json) {
  Entry entry{json["name"], json["label"], json["what"], json["facts"], 0};
  for (const auto& [file, facts] : json["files"].items()) {
    entry.bytes += facts["bytes"].get<std::uint64_t>();
  }
  return entry;
}

/// The model of a folder, without a look at its weights; InputError if entry.json is not sound.
Entry entry_in(const fs::path& folder, const std::string& name) {
  try {
    return entry_of(checked_entry(folder, name));
  } catch (const std::exception& error) {  // InputError, and JSON text that is no UTF-8
    fail("{} is damaged or foreign ({}): delete the folder {}, so that the model is made again",
         (folder / kEntryFile).string(), error.what(), folder.string());
  }
}

/// A folder that goes away with all it holds unless it was renamed.
class TemporaryModel {
 public:
  TemporaryModel(const fs::path& pool, const std::string& name, const std::string& label) {
    std::error_code error;
    fs::create_directories(pool, error);
    while (!error) {
      path_ = pool / temporary_name(name);
      if (::mkdir(path_.c_str(), 0777) == 0) return;
      if (errno != EEXIST) error = {errno, std::generic_category()};
    }
    fail(
        "cannot write {} to the pool {}: {}; make room, make it writable or choose another folder, "
        "finished models are kept",
        label, pool.string(), error.message());
  }
  ~TemporaryModel() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryModel(const TemporaryModel&) = delete;
  TemporaryModel& operator=(const TemporaryModel&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

Store::Store(fs::path folder) : folder_(std::move(folder)) {
  require(!folder_.empty(), "the pool's folder has no name: name one");
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
}

bool Store::has(const std::string& name) {
  const fs::path path = folder_ / name;
  std::error_code ignored;
  if (verified_.contains(name)) {
    if (fs::exists(path / kEntryFile, ignored)) return true;
    verified_.erase(name);
  }
  while (true) {
    struct stat before {};
    if (::lstat(path.c_str(), &before) != 0) return false;
    const Problem problem = problem_of(path, name, Look::bytes);
    if (problem.text.empty()) {
      verified_.insert(name);
      return true;
    }
    // Another process may have moved it aside and put a sound one in its place meanwhile.
    struct stat now {};
    if (::lstat(path.c_str(), &now) != 0) return false;
    if (now.st_ino != before.st_ino) continue;
    set_aside(name, problem.text);
    return false;
  }
}

void Store::set_aside(const std::string& name, const std::string& problem) const {
  const fs::path path = folder_ / name;
  for (int number = 1;; ++number) {
    const std::string aside = fmt::format("{}.damaged.{}", name, number);
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(folder_ / aside, ignored))) continue;
    if (::rename(path.c_str(), (folder_ / aside).c_str()) == 0) {
      warn(fmt::format("{} is damaged or foreign ({}): moved to {}, the model will be made again",
                       path.string(), problem, aside));
      return;
    }
    if (errno == EEXIST || errno == ENOTEMPTY) continue;
    if (errno != ENOENT) {
      warn(fmt::format("{} is damaged or foreign ({}) and cannot be moved aside: {}", path.string(),
                       problem, std::strerror(errno)));
    }
    return;
  }
}

std::string Store::read(const std::string& name, const std::string& file) const {
  const fs::path path = folder_ / name;
  std::error_code ignored;
  require(fs::exists(path, ignored), "the pool {} has no model {}: train it first",
          folder_.string(), name);
  try {
    const Json entry = checked_entry(path, name);
    require(entry["files"].contains(file), "it has no file {}", file);
    std::string content = read_file(path / file);
    require(digest(content) == entry["files"][file]["sha256"].get<std::string>(),
            "the checksum of {} does not hold", file);
    return content;
  } catch (const std::exception& error) {  // InputError, and JSON text that is no UTF-8
    verified_.erase(name);
    fail("cannot read model {} of the pool {}: {}; train again, which remakes it if it is damaged",
         name, folder_.string(), error.what());
  }
}

std::optional<Entry> Store::find(const std::string& name) const {
  const fs::path path = folder_ / name;
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0) {
    require(errno == ENOENT || errno == ENOTDIR, "cannot look for {}: {}", path.string(),
            std::strerror(errno));
    return std::nullopt;
  }
  const Problem problem = problem_of(path, name, Look::sizes);
  require(problem.text.empty(),
          "{} is damaged or foreign ({}): delete the folder {}, so that the model is made again",
          (path / problem.file).string(), problem.text, path.string());
  return entry_in(path, name);
}

std::vector<Entry> Store::entries() const {
  std::vector<Entry> found;
  std::error_code error;
  for (fs::directory_iterator item(folder_, error), end; !error && item != end;
       item.increment(error)) {
    const std::string name = item->path().filename().string();
    if (!model_name(name)) continue;
    try {
      found.push_back(entry_in(item->path(), name));
    } catch (const InputError& problem) {
      warn(problem.what());
    }
  }
  require(!error, "cannot read the pool {}: {}", folder_.string(), error.message());
  std::sort(found.begin(), found.end(), [](const Entry& left, const Entry& right) {
    return std::tie(left.label, left.name) < std::tie(right.label, right.name);
  });
  return found;
}

void Store::put(const Identity& identity, const Product& product) {
  const std::string name = identity.name();
  for (const auto& [file, content] : product.files) {
    require(plain_name(file), "{}: \"{}\" is no name for a file of a model", identity.label, file);
  }
  const TemporaryModel temporary(folder_, name, identity.label);
  try {
    for (const auto& [file, content] : product.files) write_file(temporary.path() / file, content);
    write_file(temporary.path() / kEntryFile, entry_text(identity, name, product));
  } catch (const InputError& error) {
    fail("{} was not kept: {}", identity.label, error.what());
  }
  const fs::path path = folder_ / name;
  // A model that appeared meanwhile stays; a damaged one in the way is moved aside first.
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (::rename(temporary.path().c_str(), path.c_str()) == 0) {
      sync_folder(folder_);
      verified_.insert(name);
      return;
    }
    const int code = errno;
    if (code != EEXIST && code != ENOTEMPTY && code != ENOTDIR) {
      fail("cannot write {} to the pool {}: {}; finished models are kept", identity.label,
           folder_.string(), std::strerror(code));
    }
    if (has(name)) return;
  }
  fail("cannot write {} to the pool {}: a damaged {} is in the way; remove it", identity.label,
       folder_.string(), name);
}

}  // namespace vestige::pool
