// Writing and reading stored zip archives.
#include "vestige/practice/archive.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <vector>

#include "vestige/base/error.h"
#include "vestige/evidence/utf8.h"

namespace vestige::practice {
namespace {

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22;
constexpr std::uint16_t kVersion = 20, kMadeBy = 0x0314;  // 2.0; Unix
constexpr std::uint16_t kUtf8 = 0x0800;                   // names
constexpr std::uint16_t kDate = 0x0021;                   // 1980-01-01, the first there is
constexpr std::uint32_t kPlainFile = 0100644U << 16;      // permissions, as Unix has them
constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();

/// Little-endian, whatever the machine is.
template <typename Number>
void put(std::string& out, Number value) {
  for (std::size_t byte = 0; byte < sizeof(Number); ++byte) {
    out += static_cast<char>((value >> (8 * byte)) & 0xff);
  }
}

std::uint32_t number(std::string_view bytes, std::size_t place, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t byte = size; byte-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[place + byte]);
  }
  return value;
}

std::uint32_t checksum(const std::string& content) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
}

/// What the header of a member and its entry in the directory share.
std::string common_fields(const std::string& name, const std::string& content) {
  std::string fields;
  put(fields, kVersion);
  put(fields, kUtf8);
  put(fields, std::uint16_t{0});  // stored
  put(fields, std::uint16_t{0});  // midnight
  put(fields, kDate);
  put(fields, checksum(content));
  put(fields, static_cast<std::uint32_t>(content.size()));
  put(fields, static_cast<std::uint32_t>(content.size()));
  put(fields, static_cast<std::uint16_t>(name.size()));
  put(fields, std::uint16_t{0});  // no extra field
  return fields;
}

/// A file below a folder, named as the writer names it.
bool is_plain_name(const std::string& name) {
  const std::filesystem::path path(name);
  return !name.empty() && evidence::is_utf8(name) && path.is_relative() &&
         path.lexically_normal().generic_string() == name && *path.begin() != ".." && name != "." &&
         path.has_filename() && name.find('\\') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

}  // namespace

std::string packed_archive(const Contents& files) {
  std::uint64_t total = kEndSize;
  for (const auto& [name, content] : files) {
    total += kLocalSize + kCentralSize + 2 * name.size() + content.size();
  }
  require(total <= kMost && files.size() <= std::numeric_limits<std::uint16_t>::max(),
          "{} files of {} bytes do not fit into a zip: write a folder instead", files.size(),
          total);
  std::string archive, directory;
  archive.reserve(static_cast<std::size_t>(total));
  for (const auto& [name, content] : files) {
    const std::string fields = common_fields(name, content);
    put(directory, kCentral);
    put(directory, kMadeBy);
    directory += fields;
    put(directory, std::uint16_t{0});  // no comment
    put(directory, std::uint16_t{0});  // disk
    put(directory, std::uint16_t{0});  // bytes, not text
    put(directory, kPlainFile);
    put(directory, static_cast<std::uint32_t>(archive.size()));
    directory += name;
    put(archive, kLocal);
    archive += fields + name;
    archive += content;
  }
  const auto place = static_cast<std::uint32_t>(archive.size());
  archive += directory;
  put(archive, kEnd);
  put(archive, std::uint32_t{0});  // one disk
  put(archive, static_cast<std::uint16_t>(files.size()));
  put(archive, static_cast<std::uint16_t>(files.size()));
  put(archive, static_cast<std::uint32_t>(directory.size()));
  put(archive, place);
  put(archive, std::uint16_t{0});  // no comment
  return archive;
}

Contents unpacked_archive(std::string_view archive) {
  Contents files;
  std::size_t place = 0;
  while (place + kLocalSize <= archive.size() && number(archive, place, 4) == kLocal) {
    const std::size_t size = number(archive, place + 18, 4);
    const std::size_t name_size = number(archive, place + 26, 2);
    const std::size_t start = place + kLocalSize + name_size;
    require(number(archive, place + 8, 2) == 0 && number(archive, place + 28, 2) == 0 &&
                start <= archive.size() && size <= archive.size() - start,
            "the header at byte {} is not one that vestige dossier writes", place);
    const std::string name(archive.substr(place + kLocalSize, name_size));
    require(is_plain_name(name), "the name at byte {} is no file of a dossier: {}", place,
            evidence::printable(name));
    require(files.emplace(name, archive.substr(start, size)).second, "{} stands twice", name);
    place = start + size;
  }
  require(!files.empty() && place + 4 <= archive.size() && number(archive, place, 4) == kCentral,
          "it is no zip that vestige dossier wrote, or it was changed at byte {}", place);
  return files;
}

std::optional<ChangedPlace> changed_place(std::string_view archive, const Contents& files) {
  const std::string expected = packed_archive(files);
  if (archive == expected) return std::nullopt;
  const auto differing =
      std::mismatch(archive.begin(), archive.end(), expected.begin(), expected.end());
  ChangedPlace found{static_cast<std::size_t>(differing.first - archive.begin()), {}};
  std::size_t end = 0;
  for (const auto& [name, content] : files) {
    end += kLocalSize + name.size() + content.size();
    if (found.byte < end) {
      found.member = name;
      break;
    }
  }
  return found;
}

}  // namespace vestige::practice
