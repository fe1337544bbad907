// The lists of reasons as tables.
#include "vestige/result/reason.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <stdexcept>

namespace vestige::result {
namespace {

struct Declared {
  Code code;
  std::string_view name;
  std::string_view arguments;  ///< "original:number retrained:number"
};

constexpr Declared kDeclared[] = {
    {Code::none, "", ""},
#define REASON(code, arguments) {Code::code, #code, arguments},
#include "vestige/result/reasons/all.def"
#undef REASON
};

Kind kind_of(std::string_view word, std::string_view code) {
  constexpr std::pair<std::string_view, Kind> kKinds[] = {
      {"number", Kind::number},   {"count", Kind::count},   {"text", Kind::text},
      {"texts", Kind::texts},     {"metric", Kind::metric}, {"metrics", Kind::metrics},
      {"reasons", Kind::reasons},
  };
  for (const auto& [known, kind] : kKinds) {
    if (known == word) return kind;
  }
  throw std::logic_error(fmt::format("reason {}: '{}' is no kind of argument", code, word));
}

std::vector<Parameter> parse(const Declared& declared) {
  std::vector<Parameter> found;
  std::string_view rest = declared.arguments;
  while (!rest.empty()) {
    const std::size_t space = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, space);
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) {
      throw std::logic_error(
          fmt::format("reason {}: write '{}' as name:kind", declared.name, word));
    }
    found.push_back({word.substr(0, colon), kind_of(word.substr(colon + 1), declared.name)});
    rest.remove_prefix(std::min(space + 1, rest.size()));
  }
  return found;
}

const std::vector<std::vector<Parameter>>& table() {
  static const std::vector<std::vector<Parameter>> all = [] {
    std::vector<std::vector<Parameter>> made;
    for (const Declared& declared : kDeclared) made.push_back(parse(declared));
    return made;
  }();
  return all;
}

/// Counts may be given where numbers are wanted, never the other way round.
bool fits(Kind kind, Argument& argument) {
  switch (kind) {
    case Kind::number:
      if (const auto* whole = std::get_if<std::int64_t>(&argument)) {
        argument = static_cast<double>(*whole);
      }
      return std::holds_alternative<double>(argument);
    case Kind::count:
      return std::holds_alternative<std::int64_t>(argument);
    case Kind::text:
    case Kind::metric:
      return std::holds_alternative<std::string>(argument);
    case Kind::texts:
    case Kind::metrics:
      return std::holds_alternative<std::vector<std::string>>(argument);
    case Kind::reasons:
      return std::holds_alternative<Reasons>(argument);
  }
  return false;
}

}  // namespace

std::span<const Code> all_codes() {
  static const std::vector<Code> codes = [] {
    std::vector<Code> made;
    for (const Declared& declared : kDeclared) {
      if (declared.code != Code::none) made.push_back(declared.code);
    }
    return made;
  }();
  return codes;
}

std::string_view name(Code code) { return kDeclared[static_cast<std::size_t>(code)].name; }

Code code_of(std::string_view name) {
  static const std::map<std::string_view, Code> codes = [] {
    std::map<std::string_view, Code> made;
    for (const Declared& declared : kDeclared) made.emplace(declared.name, declared.code);
    return made;
  }();
  const auto found = codes.find(name);
  return found == codes.end() ? Code::none : found->second;
}

std::span<const Parameter> parameters(Code code) { return table()[static_cast<std::size_t>(code)]; }

Reason::Reason(Code its_code, std::vector<Argument> its_arguments)
    : code(its_code), arguments(std::move(its_arguments)) {
  const auto wanted = parameters(code);
  if (wanted.size() != arguments.size()) {
    throw std::logic_error(fmt::format("reason {} takes {} arguments, not {}", name(code),
                                       wanted.size(), arguments.size()));
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (fits(wanted[i].kind, arguments[i])) continue;
    throw std::logic_error(
        fmt::format("reason {}: argument {} has another kind", name(code), wanted[i].name));
  }
}

const Argument& argument(const Reason& reason, std::string_view name) {
  const auto known = parameters(reason.code);
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i].name == name) return reason.arguments[i];
  }
  throw std::logic_error(
      fmt::format("reason {} has no argument {}", result::name(reason.code), name));
}

}  // namespace vestige::result
