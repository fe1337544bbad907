// The central directory and the local headers, walked side by side.
#include "vestige/practice/zip_layout.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "vestige/base/error.h"
#include "vestige/evidence/formats/utf8.h"

namespace vestige::practice {
namespace {

constexpr std::size_t kLocalHeader = 30, kCentralHeader = 46, kEnd = 22, kEnd64 = 56, kLocator = 20;
constexpr std::uint64_t kIn64 = 0xffffffff;  ///< the number stands in the zip64 field
constexpr std::uint64_t kUtf8Flag = 1U << 11U;
constexpr std::uint64_t kKindBits = 0170000, kPlainKind = 0100000;  ///< of a Unix mode

[[noreturn]] void refuse(const std::string& what) {
  fail("{}: it is not a zip that vestige dossier wrote, or it was changed", what);
}

std::uint64_t number(std::string_view bytes, std::uint64_t place, std::size_t size) {
  if (size > bytes.size() || place > bytes.size() - size) refuse("the zip ends inside a header");
  std::uint64_t value = 0;
  for (std::size_t index = size; index-- > 0;) {
    value =
        value << 8U | static_cast<unsigned char>(bytes[static_cast<std::size_t>(place) + index]);
  }
  return value;
}

std::string_view part(std::string_view bytes, std::uint64_t place, std::uint64_t size) {
  if (size > bytes.size() || place > bytes.size() - size) refuse("the zip ends inside a header");
  return bytes.substr(static_cast<std::size_t>(place), static_cast<std::size_t>(size));
}

/// Where the central directory lies and how many entries it has.
struct Directory {
  std::uint64_t begin = 0, end = 0, entries = 0;
};

Directory directory_of(std::string_view archive) {
  // libzip has found the end by now; its comment, the seal, reaches to the last byte.
  const std::size_t least = archive.size() - std::min(archive.size(), kEnd + 0xffff);
  for (std::size_t place = archive.size() - std::min(archive.size(), kEnd) + 1; place-- > least;) {
    if (number(archive, place, 4) != 0x06054b50) continue;
    if (number(archive, place + 20, 2) != archive.size() - place - kEnd) continue;
    Directory found{number(archive, place + 16, 4), place, number(archive, place + 10, 2)};
    const bool whole =
        number(archive, place + 4, 4) == 0 && number(archive, place + 8, 2) == found.entries;
    if (!whole) refuse("the zip has several parts");
    if (place < kLocator || number(archive, place - kLocator, 4) != 0x07064b50) {
      if (number(archive, place + 12, 4) != found.end - found.begin) {
        refuse("bytes lie behind the zip's directory");
      }
      return found;
    }
    const std::uint64_t end64 = number(archive, place - kLocator + 8, 8);
    if (end64 != place - kLocator - kEnd64 || number(archive, end64, 4) != 0x06064b50 ||
        number(archive, end64 + 4, 8) != kEnd64 - 12) {
      refuse("the zip's directory has no clear end");
    }
    found = {number(archive, end64 + 48, 8), end64, number(archive, end64 + 32, 8)};
    if (number(archive, end64 + 40, 8) != found.end - found.begin) {
      refuse("bytes lie behind the zip's directory");
    }
    return found;
  }
  refuse("the zip has no directory");
}

/// Numbers of 64 bits in the one extra field that is allowed, in their order.
class Zip64Field {
 public:
  Zip64Field(std::string_view extra, const std::string& name) : extra_(extra), name_(name) {
    if (extra.empty()) return;
    const bool only =
        extra.size() >= 4 && number(extra, 0, 2) == 1 && number(extra, 2, 2) == extra.size() - 4;
    if (!only) refuse(name_ + " has extra fields in the zip");
    at_ = 4;
  }
  std::uint64_t full(std::uint64_t value) {
    if (value != kIn64) return value;
    const std::uint64_t own = number(extra_, at_, 8);
    at_ += 8;
    return own;
  }
  void finish() const {
    if (at_ != extra_.size()) refuse(name_ + " has extra fields in the zip");
  }

 private:
  std::string_view extra_;
  const std::string& name_;
  std::size_t at_ = 0;
};

/// The member whose central header lies at `entry`; `local` is where its local header must lie.
/// Both are moved behind it.
void check_member(std::string_view archive, std::uint64_t& entry, std::uint64_t& local) {
  if (number(archive, entry, 4) != 0x02014b50) refuse("the zip's directory is damaged");
  const std::uint64_t name_size = number(archive, entry + 28, 2);
  const std::uint64_t extra_size = number(archive, entry + 30, 2);
  const std::string_view raw = part(archive, entry + kCentralHeader, name_size);
  const std::string name = evidence::printable(raw);
  const auto differ = [&](const char* what) {
    refuse(fmt::format("{}: the zip's two lists of files disagree about its {}", name, what));
  };
  Zip64Field central(part(archive, entry + kCentralHeader + name_size, extra_size), name);
  const std::uint64_t size = central.full(number(archive, entry + 24, 4));
  const std::uint64_t packed = central.full(number(archive, entry + 20, 4));
  const std::uint64_t place = central.full(number(archive, entry + 42, 4));
  central.finish();
  const std::uint64_t mode = number(archive, entry + 38, 4) >> 16U;
  if ((mode & kKindBits) != 0 && (mode & kKindBits) != kPlainKind) {
    refuse(name + " is no plain file in the zip");
  }
  if (number(archive, entry + 32, 2) != 0) refuse(name + " has a comment in the zip");
  if (place != local || number(archive, local, 4) != 0x04034b50) {
    refuse("bytes before " + name + " belong to no file of the zip");
  }
  const std::uint64_t flags = number(archive, entry + 8, 2);
  if ((flags & ~kUtf8Flag) != 0 || number(archive, local + 6, 2) != flags) differ("flags");
  if (number(archive, entry + 10, 2) != 0 || number(archive, local + 8, 2) != 0) {
    refuse(name + " is compressed");
  }
  if (number(archive, local + 14, 4) != number(archive, entry + 16, 4)) differ("checksum");
  if (number(archive, local + 26, 2) != name_size ||
      part(archive, local + kLocalHeader, name_size) != raw) {
    differ("name");
  }
  const std::uint64_t local_extra = number(archive, local + 28, 2);
  Zip64Field own(part(archive, local + kLocalHeader + name_size, local_extra), name);
  if (own.full(number(archive, local + 22, 4)) != size ||
      own.full(number(archive, local + 18, 4)) != size || packed != size) {
    differ("size");
  }
  own.finish();
  local += kLocalHeader + name_size + local_extra;
  part(archive, local, size);
  local += size;
  entry += kCentralHeader + name_size + extra_size;
}

}  // namespace

void check_zip_layout(std::string_view archive) {
  const Directory directory = directory_of(archive);
  std::uint64_t entry = directory.begin, local = 0, count = 0;
  while (entry < directory.end) {
    check_member(archive, entry, local);
    ++count;
  }
  if (local != directory.begin) refuse("bytes before the zip's directory belong to no file");
  if (entry != directory.end || count != directory.entries) {
    refuse("the zip's directory has another number of files than it says");
  }
}

}  // namespace vestige::practice
