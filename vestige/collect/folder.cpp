// Writing a folder, and recognising one.
#include "vestige/collect/folder.h"

#include <unistd.h>

#include <charconv>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/json.h"
#include "vestige/base/nesting.h"
#include "vestige/pool/process.h"

namespace vestige::collect {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kReplaced = ".old";

/// 2: with models and left_out.
constexpr int kSchema = 2;

/// "evidence.partial.": what follows is the machine, a point and the process.
std::string partial_prefix(const fs::path& out) { return out.filename().string() + ".partial."; }

/// Removes what killed processes of this machine left of the same folder: it may be as large as the
/// evidence itself. What they had replaced stays while nothing stands in its place.
void remove_partial(const fs::path& out) {
  const std::string prefix = partial_prefix(out);
  const fs::path parent = out.has_parent_path() ? out.parent_path() : ".";
  std::error_code ignored;
  std::vector<fs::path> gone;
  for (fs::directory_iterator entry(parent, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix)) continue;
    if (name.ends_with(kReplaced)) {
      if (!fs::exists(out)) continue;
      name.resize(name.size() - kReplaced.size());
    }
    const std::size_t point = name.rfind('.');
    const std::string machine =
        point < prefix.size() ? "" : name.substr(prefix.size(), point - prefix.size());
    pid_t process = 0;
    std::from_chars(name.data() + point + 1, name.data() + name.size(), process);
    if (pool::process_gone(machine, process, "")) gone.push_back(entry->path());
  }
  for (const fs::path& folder : gone) fs::remove_all(folder, ignored);
}

}  // namespace

Folder::Folder(fs::path out, bool force)
    : out_(std::move(out)),
      temporary_(out_.parent_path() /
                 fmt::format("{}{}.{}", partial_prefix(out_), pool::machine(), ::getpid())) {
  require(!fs::exists(out_) || (fs::is_directory(out_) && fs::is_empty(out_)) || force,
          "{} exists: give --force to replace it, or another --out", out_.string());
  require(!fs::exists(out_) || fs::is_empty(out_) || fs::exists(out_ / "labels") ||
              fs::exists(out_ / kRecord),
          "{} is not an evidence folder and is left alone: give another --out", out_.string());
  remove_partial(out_);
  make_folder(temporary_, out_);
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);
}

void Folder::write(const std::string& name, std::string_view content) {
  const fs::path path = temporary_ / name;
  make_folder(path.parent_path());
  write_unsynced(path, content);
  const std::scoped_lock lock(mutex_);
  sizes_[name] = content.size();
}

void Folder::drop(const std::string& name) {
  fs::remove_all(temporary_ / name);
  const std::scoped_lock lock(mutex_);
  std::erase_if(sizes_, [&](const auto& file) { return file.first.starts_with(name + "/"); });
}

void Folder::commit(const Record& record) {
  const Json json = {{"schema", kSchema},
                     {"key", record.key},
                     {"models", record.models},
                     {"left_out", record.left_out},
                     {"files", sizes_}};
  write_unsynced(temporary_ / kRecord, json.dump(1) + "\n");
  // Thousands of small files: one sync for all of them, before the folder gets its name.
  sync_file_system(temporary_);
  if (fs::exists(out_)) {
    const fs::path old = temporary_.string() + std::string(kReplaced);
    fs::rename(out_, old);
    fs::rename(temporary_, out_);
    fs::remove_all(old);
  } else {
    fs::rename(temporary_, out_);
  }
}

std::optional<Record> record_of(const fs::path& out, const std::string& key) {
  if (!fs::exists(out / kRecord)) return std::nullopt;
  const Json record = parse_json(read_file(out / kRecord));
  if (!record.is_object() || record.value("schema", 0) != kSchema ||
      record.value("key", "") != key) {
    return std::nullopt;
  }
  for (const auto& [name, size] : record.at("files").items()) {
    std::error_code error;
    const std::uintmax_t found = fs::file_size(out / name, error);
    if (error || size != found) return std::nullopt;
  }
  return Record{key, record.at("models").get<std::size_t>(),
                record.at("left_out").get<std::vector<std::string>>()};
}

}  // namespace vestige::collect
