// Options of a family, declared once: the command line, recipes, the checks and the C++ struct all
// come from the same table, and the struct's own initialisers are the defaults.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vestige/base/error.h"
#include "vestige/base/json.h"

namespace vestige::metrics {

enum class OptionKind { text, count, number, numbers };

/// One option: "levels" of family "iam" is --iam-levels, "iam.levels" in a recipe and in results.
struct Option {
  std::string key;  ///< "iam.levels"
  OptionKind kind = OptionKind::text;
  Json fallback;     ///< the default; null: not set, and `help` says what happens then
  std::string help;  ///< one phrase
  std::vector<std::string> choices;
  std::string formerly;  ///< its key in earlier versions; empty if it was always this one
  /// Why a value of the right kind cannot be; empty if it can.
  std::function<std::string(const Json&)> refuse;

  std::string flag() const;  ///< "--iam-levels"
};

/// Why a value does not fit the option; empty if it does.
std::string misfit(const Option& option, const Json& value);

/// The value of an option from its text; numbers are separated by commas. InputError with the flag.
Json parse_option(const Option& option, const std::string& text);

/// Bounds of numbers, with the sentence that refuses others.
std::function<std::string(const Json&)> at_least(double least);
std::function<std::string(const Json&)> above(double bound);
std::function<std::string(const Json&)> between(double low, double high);  // both excluded

/// The options of one family with the fields of `Settings` that they fill.
template <typename Settings>
class OptionTable {
 public:
  explicit OptionTable(std::string family) : family_(std::move(family)) {}

  /// `field` takes Settings& and returns a reference to a std::size_t or std::optional of it.
  template <typename Field>
  OptionTable& count(const char* name, const char* help, Field field,
                     std::function<std::string(const Json&)> refuse = {}) {
    return add(OptionKind::count, name, help, field, {}, std::move(refuse));
  }
  /// ... to a double.
  template <typename Field>
  OptionTable& number(const char* name, const char* help, Field field,
                      std::function<std::string(const Json&)> refuse = {}) {
    return add(OptionKind::number, name, help, field, {}, std::move(refuse));
  }
  /// ... to a std::vector<double>; an empty default means "not set".
  template <typename Field>
  OptionTable& numbers(const char* name, const char* help, Field field,
                       std::function<std::string(const Json&)> refuse = {}) {
    return add(OptionKind::numbers, name, help, field, {}, std::move(refuse));
  }
  /// ... to a std::string; an empty default means "not set". Without choices anything goes.
  template <typename Field>
  OptionTable& text(const char* name, const char* help, Field field,
                    std::vector<std::string> choices = {},
                    std::function<std::string(const Json&)> refuse = {}) {
    return add(OptionKind::text, name, help, field, std::move(choices), std::move(refuse));
  }
  /// ... to an enumeration, each value with its word.
  template <typename Field, typename Enumeration>
  OptionTable& choice(const char* name, const char* help, Field field,
                      std::vector<std::pair<std::string, Enumeration>> values) {
    Settings defaults;
    const Enumeration standard = field(defaults);
    Json fallback;
    std::vector<std::string> words;
    for (const auto& [word, value] : values) {
      words.push_back(word);
      if (value == standard) fallback = word;
    }
    options_.push_back({.key = family_ + "." + name,
                        .kind = OptionKind::text,
                        .fallback = std::move(fallback),
                        .help = help,
                        .choices = std::move(words),
                        .formerly = {},
                        .refuse = {}});
    fill_.push_back([field, values](Settings& settings, const Json& given) {
      for (const auto& [word, value] : values) {
        if (given == word) field(settings) = value;
      }
    });
    return *this;
  }
  /// The key that the option declared last had in earlier versions.
  OptionTable& formerly(std::string key) {
    options_.back().formerly = std::move(key);
    return *this;
  }

  const std::vector<Option>& options() const { return options_; }

  /// The settings that `given` (a table by key, as Request::options) asks for; keys of other
  /// families are not looked at. InputError for a value that does not fit.
  Settings read(const Json& given) const {
    Settings settings;
    for (std::size_t i = 0; i < options_.size(); ++i) {
      const auto found = given.find(options_[i].key);
      if (found == given.end() || found->is_null()) continue;
      const std::string why = misfit(options_[i], *found);
      require(why.empty(), "{} is {}: {}", options_[i].key, found->dump(), why);
      fill_[i](settings, *found);
    }
    return settings;
  }

 private:
  template <typename Value>
  static Json json_of(const Value& value) {
    if constexpr (requires { value.has_value(); }) {
      return value.has_value() ? Json(*value) : Json();
    } else if constexpr (requires { value.empty(); }) {
      return value.empty() ? Json() : Json(value);
    } else {
      return Json(value);
    }
  }

  template <typename Field>
  OptionTable& add(OptionKind kind, const char* name, const char* help, Field field,
                   std::vector<std::string> choices,
                   std::function<std::string(const Json&)> refuse) {
    Settings defaults;
    options_.push_back({.key = family_ + "." + name,
                        .kind = kind,
                        .fallback = json_of(field(defaults)),
                        .help = help,
                        .choices = std::move(choices),
                        .formerly = {},
                        .refuse = std::move(refuse)});
    fill_.push_back([field](Settings& settings, const Json& given) {
      auto& target = field(settings);
      using Target = std::remove_reference_t<decltype(target)>;
      if constexpr (requires { target.has_value(); }) {
        target = given.get<typename Target::value_type>();
      } else {
        target = given.get<Target>();
      }
    });
    return *this;
  }

  std::string family_;
  std::vector<Option> options_;
  std::vector<std::function<void(Settings&, const Json&)>> fill_;
};

}  // namespace vestige::metrics
