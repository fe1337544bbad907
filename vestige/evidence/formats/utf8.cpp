// UTF-8 by RFC 3629.
#include "vestige/evidence/formats/utf8.h"

#include <cstddef>

#include "vestige/base/error.h"

namespace vestige::evidence {
namespace {

constexpr char32_t kInvalid = 0xffffffff;

bool is_scalar(char32_t point) { return point <= 0x10ffff && (point < 0xd800 || point > 0xdfff); }

// Takes one code point off the front of `text`; kInvalid if it is malformed.
char32_t take_point(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80             ? 1
                             : (lead & 0xe0) == 0xc0 ? 2
                             : (lead & 0xf0) == 0xe0 ? 3
                             : (lead & 0xf8) == 0xf0 ? 4
                                                     : 0;
  if (length == 0 || length > text.size()) return kInvalid;
  constexpr unsigned char kLeadBits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  auto point = static_cast<char32_t>(lead & kLeadBits[length]);
  for (std::size_t place = 1; place < length; ++place) {
    const auto next = static_cast<unsigned char>(text[place]);
    if ((next & 0xc0) != 0x80) return kInvalid;
    point = point << 6 | static_cast<char32_t>(next & 0x3f);
  }
  if (point < kSmallest[length] || !is_scalar(point)) return kInvalid;
  text.remove_prefix(length);
  return point;
}

}  // namespace

bool append_utf8(std::string& text, char32_t point) {
  if (!is_scalar(point)) return false;
  if (point < 0x80) {
    text += static_cast<char>(point);
    return true;
  }
  const int continuations = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  constexpr unsigned kLeadMark[] = {0, 0xc0, 0xe0, 0xf0};
  text += static_cast<char>(kLeadMark[continuations] | (point >> (6 * continuations)));
  for (int place = continuations - 1; place >= 0; --place) {
    text += static_cast<char>(0x80U | ((point >> (6 * place)) & 0x3fU));
  }
  return true;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    if (take_point(text) == kInvalid) return false;
  }
  return true;
}

std::string printable(std::string_view text) {
  constexpr int kMost = 80;
  std::string shown;
  for (int count = 0; !text.empty(); ++count) {
    if (count == kMost) return shown + "...";
    const char32_t point = take_point(text);
    if (point == kInvalid) text.remove_prefix(1);
    const bool control = point < 0x20 || (point >= 0x7f && point < 0xa0);
    if (control || !append_utf8(shown, point)) shown += '?';
  }
  return shown;
}

std::u32string code_points(std::string_view text) {
  std::u32string points;
  while (!text.empty()) {
    const char32_t point = take_point(text);
    require(point != kInvalid, "a text is not UTF-8: convert it first");
    points += point;
  }
  return points;
}

}  // namespace vestige::evidence
