// Every byte of a zip that vestige dossier wrote belongs to one of its members, and both of its
// lists of members say the same.
#pragma once

#include <string_view>

namespace vestige::practice {

/// InputError unless the archive is member after member from its first byte, then the central
/// directory, then its end, with nothing before, between or behind; each local header says what its
/// central one says; members are plain files, stored, without extra fields that could name another
/// file. Programs that read a zip as a stream take the local headers, others the central directory:
/// of such an archive all extract the same files. (PKWARE APPNOTE 6.3, sections 4.3.7 to 4.3.16.)
void check_zip_layout(std::string_view archive);

}  // namespace vestige::practice
