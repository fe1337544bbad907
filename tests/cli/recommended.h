// Commands and options that messages and documentation recommend, found in the sources.
#pragma once

#include <algorithm>
#include <cctype>
#include <regex>
#include <string>
#include <vector>

namespace vestige::testing {

/// "vestige VERB ... --option ..." in a text.
struct Recommended {
  std::string verb;
  std::vector<std::string> options;
};

inline std::vector<std::string> options_in(const std::string& text) {
  static const std::regex kOption("(^|[^-\\w])(--[a-z][a-z-]*[a-z])");
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), kOption), end; match != end; ++match) {
    found.push_back((*match)[2]);
  }
  return found;
}

/// A command ends with its sentence, its line or the next command.
inline std::vector<Recommended> commands_in(const std::string& text) {
  static const std::regex kCommand("\\bvestige +(?!import\\b)([a-z]+)(?![a-z_.:])([^;)`&#]*)");
  std::vector<Recommended> found;
  for (std::sregex_iterator match(text.begin(), text.end(), kCommand), end; match != end; ++match) {
    found.push_back({(*match)[1], options_in((*match)[2])});
  }
  return found;
}

/// The string literals of a C++ source, adjacent ones joined, comments left out.
inline std::vector<std::string> literals_in(const std::string& source) {
  std::vector<std::string> literals;
  bool joins = false;  // nothing but space since the last literal
  const auto add = [&](const std::string& text) {
    if (joins) {
      literals.back() += text;
    } else {
      literals.push_back(text);
    }
    joins = true;
  };
  for (std::size_t at = 0; at < source.size(); ++at) {
    const char now = source[at];
    if (source.compare(at, 2, "//") == 0) {
      at = std::min(source.find('\n', at), source.size());
    } else if (source.compare(at, 3, "R\"(") == 0) {
      const std::size_t end = source.find(")\"", at);
      add(source.substr(at + 3, end - at - 3));
      at = end + 1;
    } else if (now == '"' ||
               (now == '\'' &&
                (at == 0 || std::isalnum(static_cast<unsigned char>(source[at - 1])) == 0))) {
      std::string text;
      for (++at; at < source.size() && source[at] != now; ++at) {
        if (source[at] == '\\') ++at;
        text += source[at - 1] == '\\' && source[at] == 'n' ? '\n' : source[at];
      }
      if (now == '"') add(text);
    } else if (std::isspace(static_cast<unsigned char>(now)) == 0) {
      joins = false;
    }
  }
  return literals;
}

/// The code of a Markdown page: spans in backticks, and blocks line by line.
inline std::vector<std::string> code_in(const std::string& page) {
  std::vector<std::string> code;
  for (std::size_t at = 0; (at = page.find('`', at)) != std::string::npos;) {
    const std::string fence = page.compare(at, 3, "```") == 0 ? "```" : "`";
    const std::size_t end = page.find(fence, at + fence.size());
    if (end == std::string::npos) break;
    std::string text = page.substr(at + fence.size(), end - at - fence.size());
    at = end + fence.size();
    if (fence == "`") {
      std::replace(text.begin(), text.end(), '\n', ' ');
      code.push_back(text);
      continue;
    }
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t stop = std::min(text.find('\n', start), text.size());
      code.push_back(text.substr(start, stop - start));
      start = stop + 1;
    }
  }
  return code;
}

}  // namespace vestige::testing
