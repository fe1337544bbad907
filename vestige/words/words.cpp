// Filling of templates.
#include "vestige/words/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <cmath>
#include <map>
#include <stdexcept>

#include "vestige/metrics/family.h"
#include "vestige/result/codec.h"
#include "vestige/words/entry.h"
#include "vestige/words/numbers.h"

namespace vestige::words {
namespace {

using result::Argument;
using result::Code;
using result::Reason;
using result::Reasons;

std::string plain_name(const std::string& id) {
  const metrics::MetricInfo* metric = metrics::find_metric(id);
  return metric == nullptr ? id : std::string(metric->name);
}

std::string number_text(double value, std::string_view format) {
  if (std::isnan(value)) return "undefined";
  if (std::isinf(value)) return value > 0 ? "infinite" : "-infinite";
  if (format == "percent") return percent(value);
  if (format == "duration") return duration(value);
  return fmt::format(fmt::runtime(fmt::format("{{:{}}}", format.empty() ? ".4g" : format)), value);
}

struct Show {
  std::string_view format;

  std::string operator()(double value) const { return number_text(value, format); }
  std::string operator()(std::int64_t value) const {
    if (format == "about") return with_separators(two_digits(value));
    return format.empty() ? with_separators(value)
                          : number_text(static_cast<double>(value), format);
  }
  std::string operator()(const std::string& value) const {
    return format == "name" ? plain_name(value) : value;
  }
  std::string operator()(const std::vector<std::string>& values) const {
    std::vector<std::string> shown;
    for (const std::string& value : values) shown.push_back((*this)(value));
    if (format == "some") return some_of(shown);
    return format == "and" || format == "or" ? listed(shown, format)
                                             : fmt::format("{}", fmt::join(shown, ", "));
  }
  std::string operator()(const Reasons& reasons) const { return text(reasons); }
};

bool is_there(const Argument& argument) {
  struct There {
    bool operator()(double value) const { return !std::isnan(value); }
    bool operator()(std::int64_t value) const { return value > 0; }
    bool operator()(const std::string& value) const { return !value.empty(); }
    bool operator()(const std::vector<std::string>& values) const { return !values.empty(); }
    bool operator()(const Reasons& reasons) const { return !reasons.empty(); }
  };
  return std::visit(There{}, argument);
}

std::int64_t count_of(const Argument& argument) {
  if (const auto* whole = std::get_if<std::int64_t>(&argument)) return *whole;
  if (const auto* list = std::get_if<std::vector<std::string>>(&argument)) {
    return static_cast<std::int64_t>(list->size());
  }
  throw std::logic_error("a noun follows something that is no count");
}

/// Whether the first word is the name of a file, model or metric, which keeps its first letter.
bool begins_with_name(std::string_view text) {
  const std::string_view first = text.substr(0, text.find_first_of(" ,:;"));
  return first.find_first_of("./_0123456789") != std::string_view::npos;
}

std::string with_capital(std::string text) {
  if (!text.empty() && !begins_with_name(text)) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  }
  return text;
}

/// Whether a template begins with the name of something ("{method}: ..."), which is shown as it
/// is. What a person wrote ("{text}") is no name.
bool begins_with_argument(std::string_view text, const Reason& reason) {
  if (!text.starts_with('{') || text.size() < 2 || std::isalpha(text[1]) == 0) return false;
  const std::string_view place = text.substr(1, text.find_first_of(":#?}") - 1);
  const Argument& first = result::argument(reason, place);
  return place != "text" && !std::holds_alternative<Reasons>(first);
}

/// One placeholder, without its braces.
std::string shown(std::string_view place, const Reason& reason) {
  const std::size_t end = place.find_first_of(":#?");
  const Argument& argument = result::argument(reason, place.substr(0, end));
  if (end == std::string_view::npos) return std::visit(Show{""}, argument);
  const std::string_view rest = place.substr(end + 1);
  if (place[end] == ':') return std::visit(Show{rest}, argument);
  const std::int64_t count = count_of(argument);
  if (place[end] == '#') return counted(count, rest);
  const std::size_t slash = rest.find('/');
  return std::string(count == 1 ? rest.substr(0, slash) : rest.substr(slash + 1));
}

const std::map<Code, std::string_view>& templates() {
  static const std::map<Code, std::string_view> all = [] {
    std::map<Code, std::string_view> made;
    for (const Entries& topic : {general_words(), evidence_words(), missing_words(), note_words(),
                                 interval_words(), control_words(), verdict_words(), grade_words(),
                                 power_words(), request_words(), policy_words(), dossier_words(),
                                 compare_words(), study_words(), check_words(), import_words()}) {
      for (const Entry& entry : topic) {
        if (!made.emplace(entry.code, entry.text).second) {
          throw std::logic_error(fmt::format("reason {} has two texts", result::name(entry.code)));
        }
      }
    }
    return made;
  }();
  return all;
}

}  // namespace

std::string_view template_of(Code code) {
  const auto found = templates().find(code);
  if (found == templates().end()) {
    throw std::logic_error(fmt::format("reason {} has no text", result::name(code)));
  }
  return found->second;
}

std::string fill(std::string_view text, const Reason& reason) {
  std::string out;
  bool skipping = false;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    if (!skipping) out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    // "{{" and "}}" stand for braces, as in fmt; paths such as {forget,retain}.npy need them.
    if (text.substr(open).starts_with("{{")) {
      const std::size_t close = text.find("}}", open);
      if (!skipping) out += fmt::format("{{{}}}", text.substr(open + 2, close - open - 2));
      text.remove_prefix(close + 2);
      continue;
    }
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) throw std::logic_error("a text lacks a closing brace");
    const std::string_view place = text.substr(open + 1, close - open - 1);
    text.remove_prefix(close + 1);
    if (place == "/") {
      skipping = false;
    } else if (place.starts_with('+') || place.starts_with('-')) {
      skipping = is_there(result::argument(reason, place.substr(1))) != place.starts_with('+');
    } else if (!skipping) {
      std::string part = shown(place, reason);
      const std::string_view name = place.substr(0, place.find_first_of(":#?"));
      // A reason within another one begins a sentence after a full stop.
      if (out.ends_with(". ") && std::holds_alternative<Reasons>(result::argument(reason, name))) {
        part = with_capital(std::move(part));
      }
      out += part;
    }
  }
  return out;
}

std::string text(const Reason& reason) {
  return reason.empty() ? std::string() : fill(template_of(reason.code), reason);
}

std::string text(const Reasons& reasons) {
  std::string out;
  for (const Reason& reason : reasons) {
    if (!out.empty()) out += "; ";
    out += text(reason);
  }
  return out;
}

std::string as_sentence(std::string text) {
  if (text.empty()) return text;
  text = with_capital(std::move(text));
  if (std::string_view(".!?").find(text.back()) == std::string_view::npos) text += '.';
  return text;
}

std::string sentence(const Reason& reason) {
  std::string said = text(reason);
  if (said.empty()) return said;
  const char first = said.front();
  const bool named = begins_with_argument(template_of(reason.code), reason);
  said = as_sentence(std::move(said));
  if (named) said.front() = first;
  return said;
}

std::string sentences(const Reasons& reasons) {
  std::string out;
  for (const Reason& reason : reasons) {
    if (!out.empty()) out += ' ';
    out += sentence(reason);
  }
  return out;
}

void add_texts(Json& json) {
  if (!json.is_structured()) return;
  for (auto& own : json) add_texts(own);
  if (!json.is_object() || !json.contains("code") || !json.contains("arguments")) return;
  const Reason own = result::from_json<Reason>(json);
  if (!own.empty()) json["text"] = text(own);
}

Entries general_words() { return {{Code::earlier_text, "{text}"}, {Code::message, "{text}"}}; }

}  // namespace vestige::words
