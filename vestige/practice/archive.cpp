// Writing and reading sealed zip archives with libzip.
#include "vestige/practice/archive.h"

#include <zip.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>

#include "vestige/base/error.h"
#include "vestige/base/sha256.h"
#include "vestige/evidence/formats/utf8.h"
#include "vestige/evidence/formats/zip_directory.h"
#include "vestige/practice/zip_layout.h"

namespace vestige::practice {
namespace {

constexpr zip_uint16_t kDate = 0x0021;                  // 1980-01-01, the first there is
constexpr zip_uint32_t kPlainFile = 0100644U << 16;     // permissions, as Unix has them
constexpr std::string_view kSeal = "vestige: sha256 ";  // of every byte before the digest
constexpr std::size_t kDigest = 64;

struct DiscardZip {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Zip = std::unique_ptr<zip_t, DiscardZip>;
struct FreeSource {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using ZipSource = std::unique_ptr<zip_source_t, FreeSource>;
struct CloseMember {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

/// Bytes in memory as libzip sees them; it grows where an archive is written to it.
ZipSource source_of(std::string_view bytes) {
  zip_error_t error;
  zip_error_init(&error);
  ZipSource source(zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error));
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  require(source != nullptr, "cannot hold a zip of {} bytes: {}", bytes.size(), reason);
  return source;
}

/// The source lives on: the archive keeps a share of its own.
Zip open_zip(zip_source_t* source, int flags) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_keep(source);
  Zip archive(zip_open_from_source(source, flags, &error));
  if (archive == nullptr) zip_source_free(source);
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  require(archive != nullptr, "it is not a zip that vestige dossier wrote, or it is incomplete: {}",
          reason);
  return archive;
}

void add_member(zip_t* archive, const std::string& name, const std::string& content) {
  zip_source_t* bytes = zip_source_buffer(archive, content.data(), content.size(), 0);
  const zip_int64_t place =
      bytes == nullptr ? -1 : zip_file_add(archive, name.c_str(), bytes, ZIP_FL_ENC_UTF_8);
  if (place < 0) zip_source_free(bytes);
  const auto index = static_cast<zip_uint64_t>(place);
  require(place >= 0 && zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) == 0 &&
              zip_file_set_dostime(archive, index, 0, kDate, 0) == 0 &&
              zip_file_set_external_attributes(archive, index, 0, ZIP_OPSYS_UNIX, kPlainFile) == 0,
          "{} cannot be put into a zip: {}", evidence::printable(name), zip_strerror(archive));
}

std::string bytes_of(zip_source_t* source) {
  zip_stat_t stat;
  require(zip_source_stat(source, &stat) == 0 && zip_source_open(source) == 0,
          "cannot read the zip that was made");
  std::string bytes(static_cast<std::size_t>(stat.size), '\0');
  const zip_int64_t count = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  require(count == static_cast<zip_int64_t>(bytes.size()), "cannot read the zip that was made");
  return bytes;
}

std::string digest_of(std::string_view bytes) { return sha256(std::as_bytes(std::span(bytes))); }

/// A file below a folder, named as the writer names it.
bool is_plain_name(const std::string& name) {
  const std::filesystem::path path(name);
  return !name.empty() && evidence::is_utf8(name) && path.is_relative() &&
         path.lexically_normal().generic_string() == name && *path.begin() != ".." && name != "." &&
         path.has_filename() && name.find('\\') == std::string::npos &&
         std::none_of(name.begin(), name.end(), [](unsigned char byte) { return byte < 0x20; });
}

std::string member_of(zip_t* archive, zip_uint64_t index, const std::string& name,
                      std::size_t most) {
  zip_stat_t stat;
  require(zip_stat_index(archive, index, 0, &stat) == 0 && stat.comp_method == ZIP_CM_STORE &&
              stat.encryption_method == ZIP_EM_NONE && stat.size == stat.comp_size &&
              stat.size <= most,
          "the header of {} is not one that vestige dossier writes", name);
  const std::unique_ptr<zip_file_t, CloseMember> file(zip_fopen_index(archive, index, 0));
  require(file != nullptr, "{} cannot be read: {}", name, zip_strerror(archive));
  // One byte more, so that libzip reaches the end and compares the checksum.
  std::string content(static_cast<std::size_t>(stat.size) + 1, '\0');
  std::size_t done = 0;
  zip_int64_t count = 0;
  while ((count = zip_fread(file.get(), content.data() + done, content.size() - done)) > 0) {
    done += static_cast<std::size_t>(count);
  }
  require(count == 0 && done + 1 == content.size(),
          "{} was changed: it does not match its checksum in the zip", name);
  content.pop_back();
  return content;
}

}  // namespace

std::string packed_archive(const Contents& files) {
  const ZipSource source = source_of({});
  Zip archive = open_zip(source.get(), ZIP_TRUNCATE);
  for (const auto& [name, content] : files) add_member(archive.get(), name, content);
  const std::string seal = std::string(kSeal) + std::string(kDigest, '0');
  require(zip_set_archive_comment(archive.get(), seal.data(),
                                  static_cast<zip_uint16_t>(seal.size())) == 0 &&
              zip_close(archive.get()) == 0,
          "the zip cannot be made: {}", zip_strerror(archive.get()));
  static_cast<void>(archive.release());  // closed
  std::string bytes = bytes_of(source.get());
  const std::size_t sealed = bytes.size() - kDigest;
  return bytes.replace(sealed, kDigest, digest_of(std::string_view(bytes).substr(0, sealed)));
}

Contents unpacked_archive(std::string_view archive) {
  require(!archive.empty(), "it is empty: it is not a zip that vestige dossier wrote");
  const ZipSource source = source_of(archive);
  const Zip zip = open_zip(source.get(), ZIP_RDONLY);
  Contents files;
  const auto count = static_cast<zip_uint64_t>(zip_get_num_entries(zip.get(), 0));
  for (zip_uint64_t index = 0; index < count; ++index) {
    const char* text = zip_get_name(zip.get(), index, ZIP_FL_ENC_RAW);
    const std::string name = text == nullptr ? "" : text;
    require(is_plain_name(name), "the name of member {} is not that of a file in a dossier: {}",
            index, evidence::printable(name));
    require(files.emplace(name, member_of(zip.get(), index, name, archive.size())).second,
            "{} stands twice", name);
  }
  check_zip_layout(archive);
  require(!files.empty(), "it holds no files: it is not a zip that vestige dossier wrote");
  return files;
}

std::optional<ChangedPlace> changed_place(std::string_view archive, const Contents& files) {
  if (archive.size() > kSeal.size() + kDigest) {
    const std::size_t sealed = archive.size() - kDigest;
    const bool has_seal = archive.substr(sealed - kSeal.size(), kSeal.size()) == kSeal;
    if (has_seal && archive.substr(sealed) == digest_of(archive.substr(0, sealed))) {
      return std::nullopt;
    }
  }
  std::string expected;
  try {
    expected = packed_archive(files);
  } catch (const InputError&) {
    return ChangedPlace{};  // a changed name that libzip does not take
  }
  const auto differing =
      std::mismatch(archive.begin(), archive.end(), expected.begin(), expected.end());
  ChangedPlace found{static_cast<std::size_t>(differing.first - archive.begin()), {}};
  const auto places = evidence::zip_data_places(std::as_bytes(std::span(expected)));
  for (const auto& [name, content] : files) {  // members lie in the order of their names
    const auto place = places.find(name);
    if (place != places.end() && found.byte < place->second + content.size()) {
      found.member = name;
      break;
    }
  }
  return found;
}

}  // namespace vestige::practice
