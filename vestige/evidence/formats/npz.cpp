// Reading .npz with libzip from the mapped file.
#include "vestige/evidence/formats/npz.h"

#include <zip.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"
#include "vestige/evidence/formats/mapped_file.h"
#include "vestige/evidence/formats/npy.h"
#include "vestige/evidence/formats/utf8.h"
#include "vestige/evidence/formats/zip_directory.h"

namespace vestige::evidence {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::string_view kEnding = ".npy";
// Enough for the longest npy header that is read.
constexpr std::size_t kBlock = (std::size_t{1} << 20) + 64;
// Deflate cannot shrink data by more than this (zlib's technical details: 1032 to 1).
constexpr std::uint64_t kMostInflation = 1032;
// Members up to 256 MB may shrink as much as they can, larger ones to a hundredth.
constexpr std::uint64_t kMostUnpacked = std::uint64_t{1} << 28U;
constexpr std::uint64_t kUsualInflation = 100;

struct CloseFile {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using File = std::unique_ptr<zip_file_t, CloseFile>;

struct DiscardArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};

}  // namespace

class Npz::Archive {
 public:
  Archive(Bytes bytes, std::shared_ptr<const void> owner, std::string source)
      : bytes_(bytes), owner_(std::move(owner)), source_(std::move(source)) {
    open();
    list();
    places_ = zip_data_places(bytes_);
  }

  Array load(const std::string& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Member member = find(key + std::string(kEnding));
    check_npy_size(member);
    const Bytes view = stored_view(member);
    if (!view.empty() && same_bytes(member, view)) return parse_npy(view, owner_, member.label);
    const auto buffer = std::make_shared<const std::vector<std::byte>>(inflate(member));
    return parse_npy(*buffer, buffer, member.label);
  }

  std::string read(const std::string& file) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::vector<std::byte> bytes = inflate(find(file));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  std::vector<std::string> keys;
  std::vector<std::string> files;

 private:
  struct Member {
    std::string name;
    std::string label;  // what errors call it
    zip_uint64_t index = 0;
    std::size_t size = 0;
    bool stored = false;
  };

  void open() {
    // libzip takes no bytes for a new archive.
    require(!bytes_.empty(), "{} is empty: export it again", source_);
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* memory = zip_source_buffer_create(bytes_.data(), bytes_.size(), 0, &error);
    if (memory != nullptr) {
      archive_.reset(zip_open_from_source(memory, ZIP_RDONLY, &error));
      if (archive_ == nullptr) zip_source_free(memory);
    }
    const std::string reason = zip_error_strerror(&error);
    const bool foreign = zip_error_code_zip(&error) == ZIP_ER_NOZIP;
    zip_error_fini(&error);
    require(archive_ != nullptr || !foreign,
            "{} is not a zip archive, or is truncated: export it again with numpy.savez", source_);
    require(archive_ != nullptr, "cannot read {}: {}; export it again with numpy.savez", source_,
            reason);
  }

  void list() {
    const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
    for (zip_int64_t index = 0; index < count; ++index) {
      const char* text = zip_get_name(archive_.get(), static_cast<zip_uint64_t>(index), 0);
      require(text != nullptr, "{} has a member without a name: export it again", source_);
      const std::string name = text;
      if (name.empty() || name.ends_with('/')) continue;
      require(indices_.emplace(name, static_cast<zip_uint64_t>(index)).second,
              "{} holds {} twice: export it again", source_, printable(name));
      const bool array = name.size() > kEnding.size() && name.ends_with(kEnding);
      if (array) keys.push_back(name.substr(0, name.size() - kEnding.size()));
      if (!array) files.push_back(name);
    }
    std::sort(keys.begin(), keys.end());
    std::sort(files.begin(), files.end());
  }

  Member find(const std::string& name) const {
    const auto found = indices_.find(name);
    require(found != indices_.end(), "{} has no member {}", source_, printable(name));
    Member member{name, fmt::format("{}:{}", source_, printable(name)), found->second, 0, false};
    zip_stat_t stat;
    zip_stat_init(&stat);
    constexpr zip_uint64_t kNeeded =
        ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    require(zip_stat_index(archive_.get(), member.index, 0, &stat) == 0 &&
                (stat.valid & kNeeded) == kNeeded,
            "{} has no readable directory entry: export it again", member.label);
    require(stat.encryption_method == ZIP_EM_NONE,
            "{} is encrypted: export it again without a password", member.label);
    require(stat.comp_method == ZIP_CM_STORE || stat.comp_method == ZIP_CM_DEFLATE,
            "{} uses the compression method {}: export it with numpy.savez or savez_compressed",
            member.label, stat.comp_method);
    member.stored = stat.comp_method == ZIP_CM_STORE;
    // Before anything is allocated: a directory entry may claim any size.
    const std::uint64_t most =
        member.stored ? bytes_.size() : (std::uint64_t{bytes_.size()} + 1) * kMostInflation;
    require(stat.size <= most && stat.comp_size <= bytes_.size() &&
                (!member.stored || stat.size == stat.comp_size),
            "{} claims {} bytes, more than {} bytes in the archive can hold: it is damaged",
            member.label, stat.size, stat.comp_size);
    // An archive of some megabytes may claim to unpack to all of the memory.
    require(stat.size <= kMostUnpacked || stat.size <= stat.comp_size * kUsualInflation,
            "{} unpacks from {} to {} bytes: outputs of models do not shrink like that. If it is "
            "right, save it without compression (numpy.savez)",
            member.label, stat.comp_size, stat.size);
    member.size = static_cast<std::size_t>(stat.size);
    return member;
  }

  // The place of a stored member in the mapped archive; empty if it is not known.
  Bytes stored_view(const Member& member) const {
    const auto place = places_.find(member.name);
    if (!member.stored || place == places_.end() || place->second > bytes_.size() ||
        member.size > bytes_.size() - place->second) {
      return {};
    }
    return bytes_.subspan(place->second, member.size);
  }

  File open_member(const Member& member) const {
    File file(zip_fopen_index(archive_.get(), member.index, 0));
    require(file != nullptr, "cannot read {}: {}; export it again", member.label,
            zip_strerror(archive_.get()));
    return file;
  }

  // Fills `out` as far as the member goes; fewer bytes mean its end.
  static std::size_t read_some(zip_file_t* file, std::span<std::byte> out, const Member& member) {
    check_interrupt();
    std::size_t done = 0;
    while (done < out.size()) {
      const zip_int64_t count = zip_fread(file, out.data() + done, out.size() - done);
      if (count < 0) {
        const zip_error_t* error = zip_file_get_error(file);
        require(zip_error_code_zip(error) != ZIP_ER_CRC,
                "{} fails its checksum: the archive is damaged, export it again", member.label);
        fail("{} cannot be unpacked: the archive is damaged or truncated, export it again",
             member.label);
      }
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    return done;
  }

  // A member that claims another size than its own npy header is refused before it is unpacked.
  void check_npy_size(const Member& member) const {
    const File file = open_member(member);
    // One byte more than the member has, so that libzip reaches the end of a small one and finds a
    // damaged header by its checksum.
    std::vector<std::byte> start(std::min(member.size + 1, kBlock));
    start.resize(read_some(file.get(), start, member));
    const std::size_t needed = npy_file_size(start, member.label);
    require(needed == member.size,
            "{} holds {} bytes, its npy header asks for {}: it is truncated or damaged, export it "
            "again",
            member.label, member.size, needed);
  }

  // libzip verifies the checksum on the way, and says so at the end of the member.
  bool same_bytes(const Member& member, Bytes view) const {
    const File file = open_member(member);
    std::vector<std::byte> block(kBlock);
    bool same = true;
    std::size_t done = 0;
    while (const std::size_t count = read_some(file.get(), block, member)) {
      same = same && count <= view.size() - done &&
             std::memcmp(block.data(), view.data() + done, count) == 0;
      done += same ? count : 0;
    }
    return same && done == view.size();
  }

  std::vector<std::byte> inflate(const Member& member) const {
    const File file = open_member(member);
    std::vector<std::byte> content;
    try {
      content.resize(member.size);
    } catch (const std::bad_alloc&) {
      fail("{} needs {} bytes of memory, more than there are", member.label, member.size);
    }
    std::size_t done = 0;
    while (done < content.size()) {
      const std::size_t most = std::min(kBlock, content.size() - done);
      const std::size_t count =
          read_some(file.get(), std::span(content).subspan(done, most), member);
      require(count > 0, "{} ends after {} of {} bytes: the archive is damaged, export it again",
              member.label, done, content.size());
      done += count;
    }
    std::byte extra{};
    require(read_some(file.get(), {&extra, 1}, member) == 0,
            "{} unpacks to more than the {} bytes it claims: the archive is damaged, export it "
            "again",
            member.label, member.size);
    return content;
  }

  Bytes bytes_;
  std::shared_ptr<const void> owner_;
  std::string source_;
  std::unique_ptr<zip_t, DiscardArchive> archive_;
  std::map<std::string, zip_uint64_t> indices_;
  std::map<std::string, std::size_t> places_;
  std::mutex mutex_;
};

Npz::Npz(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
         std::string source_name)
    : archive_(std::make_shared<Archive>(bytes, std::move(owner), std::move(source_name))) {}

Npz::Npz(const std::filesystem::path& path) {
  MappedFile file = map_file(path);
  archive_ = std::make_shared<Archive>(file.bytes, std::move(file.owner), path.string());
}

const std::vector<std::string>& Npz::keys() const { return archive_->keys; }

const std::vector<std::string>& Npz::files() const { return archive_->files; }

Array Npz::load(const std::string& key) const { return archive_->load(key); }

std::string Npz::read(const std::string& file) const { return archive_->read(file); }

}  // namespace vestige::evidence
