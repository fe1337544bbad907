// Walking folders and opening archives.
#include "vestige/evidence/source.h"

#include <algorithm>
#include <memory>
#include <system_error>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/sha256.h"
#include "vestige/evidence/formats/csv.h"
#include "vestige/evidence/formats/mapped_file.h"
#include "vestige/evidence/formats/npy.h"
#include "vestige/evidence/formats/npz.h"
#include "vestige/evidence/formats/safetensors.h"
#include "vestige/evidence/formats/utf8.h"
#include "vestige/evidence/layout.h"
#include "vestige/evidence/names.h"
#include "vestige/evidence/requests.h"

namespace vestige::evidence {
namespace fs = std::filesystem;

namespace {

std::string sha256_of(const Array& array) { return vestige::sha256(array.bytes()); }

std::string sha256_of(const std::string& text) {
  return vestige::sha256(std::as_bytes(std::span<const char>(text)));
}

}  // namespace

/// 1,000 models with 20 layers have 40,000.
constexpr std::size_t kMostFolders = 100'000;
/// Thirty links that each lead to the next folder in two ways would make a billion walks.
constexpr int kMostLinks = 8;

class FolderReader {
 public:
  explicit FolderReader(Source& source) : source_(source) {}

  void read() {
    walk(source_.path_, "");
    require(!source_.arrays_.empty() || !source_.files_.empty(),
            "{} is empty: export outputs into it, for example original/0/forget.npy",
            source_.path_.string());
    // Models of which only texts are known are evidence too (MODEL/generated/SPLIT.txt).
    const bool texts = std::any_of(
        source_.files_.begin(), source_.files_.end(),
        [](const auto& file) { return file.first.find("/generated/") != std::string::npos; });
    require(!source_.arrays_.empty() || texts,
            "{} holds no .npy or .csv file: export outputs into it, for example "
            "original/0/forget.npy",
            source_.path_.string());
  }

 private:
  void walk(const fs::path& folder, const std::string& prefix) {
    std::error_code error;
    require(++folders_ <= kMostFolders,
            "{} has more than {} folders, counted along its links: remove links that lead back",
            source_.path_.string(), kMostFolders);
    const fs::path real = fs::canonical(folder, error);
    // A link back to a folder that is being walked would never end.
    if (!error && std::find(above_.begin(), above_.end(), real) != above_.end()) return;
    above_.push_back(real);
    for (const fs::path& path : children(folder)) {
      const std::string name = path.filename().string();
      const fs::file_status status = fs::status(path, error);
      if (fs::is_directory(status)) {
        const bool link = fs::is_symlink(fs::symlink_status(path, error));
        links_ += link ? 1 : 0;
        require(links_ <= kMostLinks,
                "{} leads through more than {} links, one behind the other: put the folder itself "
                "there",
                path.string(), kMostLinks);
        walk(path, prefix + name + "/");
        links_ -= link ? 1 : 0;
      } else {
        require(fs::is_regular_file(status),
                "{} is neither a file nor a folder (a broken link?): remove it or repair it",
                path.string());
        add(path, prefix + name);
      }
    }
    above_.pop_back();
  }

  static std::vector<fs::path> children(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    fs::directory_iterator iterator(folder, error);
    for (; !error && iterator != fs::directory_iterator(); iterator.increment(error)) {
      if (!iterator->path().filename().string().starts_with('.')) found.push_back(iterator->path());
    }
    require(!error, "cannot read the folder {}: {}; check its permissions", folder.string(),
            error.message());
    std::sort(found.begin(), found.end());
    return found;
  }

  void add(const fs::path& path, const std::string& relative) {
    require(!has_controls(relative), "{}: the name {} has control characters: rename it",
            source_.path_.string(), printable(relative));
    const std::string ending = path.extension().string();
    // requests.csv is a table of names, not an array.
    if ((ending != ".npy" && ending != ".csv") || path.filename() == kRequestsFile) {
      source_.files_.emplace(relative, [path] { return read_file(path); });
      return;
    }
    const std::string key = relative.substr(0, relative.size() - ending.size());
    const bool npy = ending == ".npy";
    const auto [place, fresh] = source_.arrays_.emplace(
        key, Source::Entry{relative, [path, npy] { return npy ? read_npy(path) : read_csv(path); },
                           [path] { return vestige::sha256(map_file(path).bytes); }});
    require(fresh, "{} holds both {} and {}: remove one of them", source_.path_.string(),
            place->second.file, relative);
  }

  Source& source_;
  std::vector<fs::path> above_;
  std::size_t folders_ = 0;
  int links_ = 0;
};

std::vector<std::string> Source::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, entry] : arrays_) keys.push_back(key);
  return keys;
}

std::vector<std::string> Source::files() const {
  std::vector<std::string> files;
  for (const auto& [file, read] : files_) files.push_back(file);
  return files;
}

const Source::Entry& Source::find(const std::string& key) const {
  const auto found = arrays_.find(key);
  require(found != arrays_.end(), "{} has no array {}", path_.string(), printable(key));
  return found->second;
}

Array Source::load(const std::string& key) const { return find(key).load(); }

const std::string& Source::file_of(const std::string& key) const { return find(key).file; }

std::string Source::sha256(const std::string& key) const { return find(key).sha256(); }

std::string Source::read(const std::string& file) const {
  const auto found = files_.find(file);
  require(found != files_.end(), "{} has no file {}", path_.string(), printable(file));
  return found->second();
}

std::string Source::sha256_file(const std::string& file) const { return sha256_of(read(file)); }

void Source::drop_prefix() {
  if (arrays_.empty()) return;  // texts alone
  const auto is_known = [](std::string_view key) { return place_of(key).part != Part::unknown; };
  std::string prefix;
  for (;;) {
    const std::string& first = arrays_.begin()->first;
    if (is_known(std::string_view(first).substr(prefix.size()))) break;
    const std::size_t slash = first.find('/', prefix.size());
    if (slash == std::string::npos) return;
    prefix = first.substr(0, slash + 1);
  }
  if (prefix.empty()) return;
  std::map<std::string, Entry> arrays;
  for (const auto& [key, entry] : arrays_) {
    if (!key.starts_with(prefix) || !is_known(std::string_view(key).substr(prefix.size()))) return;
    arrays.emplace(key.substr(prefix.size()), entry);
  }
  std::map<std::string, std::function<std::string()>> files;
  for (const auto& [file, read] : files_) {
    files.emplace(file.starts_with(prefix) ? file.substr(prefix.size()) : file, read);
  }
  prefix_ = prefix;
  arrays_ = std::move(arrays);
  files_ = std::move(files);
}

Source open_source(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  require(status.type() != fs::file_type::not_found,
          "{} does not exist: give an evidence folder, a .npz or a .safetensors file",
          path.string());
  require(!error, "cannot read {}: {}; check its permissions", path.string(), error.message());
  Source source;
  source.path_ = path;
  const auto add = [&source](const std::string& key, const std::function<Array()>& load) {
    check_member_name(key, source.path_.string());
    source.arrays_.emplace(key, Source::Entry{key, load, [load] { return sha256_of(load()); }});
  };
  if (fs::is_directory(status)) {
    FolderReader(source).read();
  } else if (path.extension() == ".npz") {
    const Npz archive(path);
    for (const std::string& key : archive.keys()) {
      add(key, [archive, key] { return archive.load(key); });
    }
    for (const std::string& file : archive.files()) {
      check_member_name(file, path.string());
      source.files_.emplace(file, [archive, file] { return archive.read(file); });
    }
  } else if (path.extension() == ".safetensors") {
    for (const auto& [key, array] : read_safetensors(path)) {
      add(key, [array = array] { return array; });
    }
  } else {
    fail("{} has no known ending: give an evidence folder, a .npz or a .safetensors file",
         path.string());
  }
  // FolderReader has looked at folders, which may hold texts alone.
  require(!source.arrays_.empty() || fs::is_directory(path), "{} holds no array: export it again",
          path.string());
  source.drop_prefix();
  return source;
}

void Source::add(const Source& other) {
  for (const auto& [key, entry] : other.arrays_) arrays_.insert_or_assign(key, entry);
  for (const auto& [file, read] : other.files_) files_.insert_or_assign(file, read);
}

Source memory_source(std::string name, const std::map<std::string, Array>& arrays,
                     const std::map<std::string, std::string>& files) {
  require(!arrays.empty(),
          "{} holds no array: add outputs of a model, for example original, forget", name);
  Source source;
  source.path_ = std::move(name);
  for (const auto& [key, array] : arrays) {
    check_member_name(key, source.path_.string());
    source.arrays_.emplace(key,
                           Source::Entry{key + ".npy", [array = array] { return array; },
                                         [array = array] { return sha256_of(write_npy(array)); }});
  }
  for (const auto& [file, text] : files) {
    check_member_name(file, source.path_.string());
    source.files_.emplace(file, [text = text] { return text; });
  }
  return source;
}

}  // namespace vestige::evidence
