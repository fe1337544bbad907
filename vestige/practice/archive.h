// Several files as one zip whose bytes follow from them alone, so that a changed byte anywhere can
// be found: nothing is compressed, and there are no times.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace vestige::practice {

/// Name ("plots/strip.svg") -> bytes.
using Contents = std::map<std::string, std::string>;

/// A zip of stored members in the order of their names (PKWARE APPNOTE 6.3, sections 4.3.7, 4.3.12
/// and 4.3.16), which every unzip reads. InputError beyond what a zip without extensions holds:
/// 4 GiB in all, 65,535 files.
std::string packed_archive(const Contents& files);

/// The files of such a zip; InputError, with the place, where it is none: a name that leaves the
/// folder, a member twice, a size beyond the end. What lies between the members is not looked at:
/// `changed_place` does.
Contents unpacked_archive(std::string_view archive);

/// The first byte that is not what `packed_archive` makes of these files; nothing if all are.
struct ChangedPlace {
  std::size_t byte = 0;
  std::string member;  ///< whose header or bytes it belongs to; empty: the directory at the end
};
std::optional<ChangedPlace> changed_place(std::string_view archive, const Contents& files);

}  // namespace vestige::practice
