// The central directory of a zip archive, with zip64 (PKWARE APPNOTE 6.3, sections 4.3.7
// to 4.3.16).
#include "vestige/evidence/formats/zip_directory.h"

#include <algorithm>
#include <cstdint>

namespace vestige::evidence {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t kLocalSize = 30;
constexpr std::size_t kCentralSize = 46;
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kLocatorSize = 20;
constexpr std::size_t kEnd64Size = 56;

std::uint64_t number(Bytes bytes, std::size_t place, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t index = size; index-- > 0;) {
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[place + index]);
  }
  return value;
}

bool has(Bytes bytes, std::uint64_t place, std::size_t size, std::uint32_t signature) {
  return size <= bytes.size() && place <= bytes.size() - size &&
         number(bytes, static_cast<std::size_t>(place), 4) == signature;
}

// The central directory's place; the archive's size if there is none.
std::uint64_t directory_place(Bytes archive) {
  if (archive.size() < kEndSize) return archive.size();
  const std::size_t last = archive.size() - kEndSize;
  const std::size_t first = last - std::min(last, std::size_t{0xffff});
  for (std::size_t place = last + 1; place-- > first;) {
    if (!has(archive, place, kEndSize, 0x06054b50)) continue;
    if (number(archive, place + 20, 2) != archive.size() - place - kEndSize) continue;
    const std::uint64_t directory = number(archive, place + 16, 4);
    if (directory != 0xffffffff || place < kLocatorSize ||
        !has(archive, place - kLocatorSize, kLocatorSize, 0x07064b50)) {
      return directory;
    }
    const std::uint64_t end64 = number(archive, place - kLocatorSize + 8, 8);
    if (!has(archive, end64, kEnd64Size, 0x06064b50)) return archive.size();
    return number(archive, static_cast<std::size_t>(end64) + 48, 8);
  }
  return archive.size();
}

// The member's local header, from its central entry: sizes that are 0xffffffff there stand, in the
// same order, in the zip64 extra field.
std::uint64_t local_place(Bytes archive, std::size_t entry, std::size_t extra, std::size_t length) {
  const std::uint64_t place = number(archive, entry + 42, 4);
  if (place != 0xffffffff) return place;
  std::size_t skip = 0;
  if (number(archive, entry + 24, 4) == 0xffffffff) skip += 8;
  if (number(archive, entry + 20, 4) == 0xffffffff) skip += 8;
  for (std::size_t at = extra; at + 4 <= extra + length;) {
    const auto size = static_cast<std::size_t>(number(archive, at + 2, 2));
    if (at + 4 + size > extra + length) break;
    if (number(archive, at, 2) == 1 && size >= skip + 8) return number(archive, at + 4 + skip, 8);
    at += 4 + size;
  }
  return archive.size();
}

}  // namespace

std::map<std::string, std::size_t> zip_data_places(Bytes archive) {
  std::map<std::string, std::size_t> places;
  std::uint64_t entry = directory_place(archive);
  while (has(archive, entry, kCentralSize, 0x02014b50)) {
    const auto at = static_cast<std::size_t>(entry);
    const auto name_length = static_cast<std::size_t>(number(archive, at + 28, 2));
    const auto extra_length = static_cast<std::size_t>(number(archive, at + 30, 2));
    const auto comment_length = static_cast<std::size_t>(number(archive, at + 32, 2));
    const std::size_t next = at + kCentralSize + name_length + extra_length + comment_length;
    if (next > archive.size()) break;
    const std::string name(reinterpret_cast<const char*>(archive.data()) + at + kCentralSize,
                           name_length);
    const std::uint64_t local =
        local_place(archive, at, at + kCentralSize + name_length, extra_length);
    if (has(archive, local, kLocalSize, 0x04034b50)) {
      const auto header = static_cast<std::size_t>(local);
      // The local header's own extra field may differ in length from the central one.
      places.emplace(name, header + kLocalSize +
                               static_cast<std::size_t>(number(archive, header + 26, 2)) +
                               static_cast<std::size_t>(number(archive, header + 28, 2)));
    }
    entry = next;
  }
  return places;
}

}  // namespace vestige::evidence
