// Checking names part by part.
#include "vestige/evidence/names.h"

#include "vestige/base/error.h"
#include "vestige/evidence/formats/utf8.h"

namespace vestige::evidence {

bool has_controls(std::string_view text) {
  for (std::size_t place = 0; place < text.size(); ++place) {
    const auto byte = static_cast<unsigned char>(text[place]);
    if (byte < 0x20 || byte == 0x7f) return true;
    const std::string_view rest = text.substr(place);
    // U+0080 to U+009F: terminals take some for escape sequences.
    if (byte == 0xc2 && rest.size() > 1 && static_cast<unsigned char>(rest[1]) < 0xa0) return true;
    // U+2028 to U+202E: line ends and embeddings; U+2066 to U+2069: isolates.
    if (rest.size() < 3 || byte != 0xe2) continue;
    const auto second = static_cast<unsigned char>(rest[1]);
    const auto third = static_cast<unsigned char>(rest[2]);
    if (second == 0x80 && third >= 0xa8 && third <= 0xae) return true;
    if (second == 0x81 && third >= 0xa6 && third <= 0xa9) return true;
  }
  return false;
}

void check_member_name(std::string_view name, std::string_view source) {
  require(!has_controls(name), "{}: the name {} has control characters: rename it", source,
          printable(name));
  bool good = name.find('\\') == std::string_view::npos;
  for (std::size_t start = 0; good;) {
    const std::size_t slash = name.find('/', start);
    const std::string_view part = name.substr(start, slash - start);
    good = !part.empty() && part != "." && part != "..";
    if (slash == std::string_view::npos) break;
    start = slash + 1;
  }
  require(good,
          "{}: the name {} is no path below a folder: give names like original/0/forget, without "
          "'..', backslashes and empty parts",
          source, printable(name));
}

}  // namespace vestige::evidence
