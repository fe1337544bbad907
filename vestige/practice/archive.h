// Several files as one zip that is sealed: its comment, the last bytes of the file, is the SHA-256
// of all bytes before it, so that a changed byte anywhere is found, whichever version of libzip
// wrote it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace vestige::practice {

/// Name ("plots/summary.svg") -> bytes.
using Contents = std::map<std::string, std::string>;

/// A zip of stored members in the order of their names, which every unzip reads: no times, plain
/// permissions, so that one build makes the same bytes of the same files. InputError for a name
/// that is no UTF-8.
std::string packed_archive(const Contents& files);

/// The files of such a zip; InputError, with the member, where it is none: a name that leaves the
/// folder, a member twice or compressed, a wrong checksum, bytes that belong to no member. Whether
/// the seal fits is not looked at: `changed_place` does.
Contents unpacked_archive(std::string_view archive);

/// Nothing if the seal fits. Otherwise the first byte that is not what `packed_archive` makes of
/// these files: of a zip that another version of libzip wrote, only that something was changed is
/// sure, not where.
struct ChangedPlace {
  std::size_t byte = 0;  ///< 0 where these files make no zip
  std::string member;    ///< whose header or bytes it belongs to; empty: the directory or the seal
};
std::optional<ChangedPlace> changed_place(std::string_view archive, const Contents& files);

}  // namespace vestige::practice
