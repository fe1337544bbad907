// ASCII in the place of symbols.
#include "vestige/report/terminal/ascii.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace vestige::report {
namespace {

constexpr std::array<std::pair<std::string_view, char>, 14> kSigns{{
    {"\u25cf", 'o'},  // marks of the four tests
    {"\u25c6", 'x'},
    {"\u25a1", '#'},
    {"\u25c7", '%'},
    {"\u2502", '|'},  // retrained
    {"\u2506", ':'},  // original
    {"\u2500", '-'},  // interval
    {"\u00b7", '.'},  // margin
    {"\u25c0", '<'},
    {"\u25b6", '>'},
    {"\u25bc", 'v'},  // lost utility
    {"\u2212", '-'},
    {"\u2013", '-'},
    {"\u00d7", 'x'},
}};

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

}  // namespace

bool utf8_locale() {
  // Not setlocale: it would change how numbers are read and written in the whole process.
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string locale = value;
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

std::string ascii(const std::string& text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && continues(text[end])) ++end;
    const std::string_view character(text.data() + at, end - at);
    const auto sign = std::find_if(kSigns.begin(), kSigns.end(),
                                   [&](const auto& known) { return known.first == character; });
    const bool is_ascii = static_cast<unsigned char>(text[at]) < 0x80;
    plain += is_ascii ? text[at] : sign != kSigns.end() ? sign->second : '?';
    at = end;
  }
  return plain;
}

}  // namespace vestige::report
