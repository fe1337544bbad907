// Named settings of a recipe or a method: typed, with defaults, and strict. Whatever was not asked
// for by the time of finish() is an error that names the nearest known key.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/base/json.h"

namespace vestige {

/// A TOML file as JSON (dates become text); InputError with file and line if it is malformed.
Json read_toml(const std::filesystem::path& path);
/// The same from text; `source` is the name that errors give.
Json parse_toml(std::string_view text, std::string_view source);

/// One table of settings. Every getter records the key as known and the value as used, default
/// included, so that `used()` is the whole truth about what shaped a result.
class Options {
 public:
  /// `table` is an object (or null, for none); `where` names it in errors: "recipe.toml: [train]".
  Options(Json table, std::string where);

  bool has(std::string_view key);
  double number(std::string_view key, double fallback);
  std::int64_t integer(std::string_view key, std::int64_t fallback);
  bool boolean(std::string_view key, bool fallback);
  std::string text(std::string_view key, std::string_view fallback);
  /// One of `allowed`; anything else is an error with the nearest.
  std::string choice(std::string_view key, std::string_view fallback,
                     const std::vector<std::string>& allowed);
  std::vector<double> numbers(std::string_view key, std::vector<double> fallback);
  std::vector<std::int64_t> integers(std::string_view key, std::vector<std::int64_t> fallback);
  std::vector<std::string> texts(std::string_view key, std::vector<std::string> fallback);
  /// A table inside; empty if it is not there. Its own finish() is the caller's business.
  Options table(std::string_view key);
  /// The value as it stands (null if absent), for what is read elsewhere.
  Json raw(std::string_view key);

  /// The whole table as it was given.
  const Json& all() const { return table_; }

  /// Takes every key as known and `used` as what was used: for a table that another Options read.
  void accept(const Json& used);

  /// Throws for the first key that no getter asked for.
  void finish() const;

  /// Everything asked for so far with the value in force, in order of asking.
  const Json& used() const { return used_; }
  const std::string& where() const { return where_; }
  /// An error about one key: "recipe.toml: [train]: rate is -1: it must be positive".
  [[noreturn]] void wrong(std::string_view key, const std::string& why) const;

 private:
  const Json* find(std::string_view key);
  Json table_;
  std::string where_;
  Json used_ = Json::object();
  std::vector<std::string> known_;
};

/// Sets `table`'s entry at a dotted path, "train.epochs" "5", as `--set train.epochs=5` does; the
/// value is read as TOML (5, true, [1, 2], "text") and as plain text where it is not TOML.
void set_option(Json& table, std::string_view assignment);

}  // namespace vestige
