// Fields of JSON objects that may be absent: nothing is guessed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "vestige/base/json.h"

namespace vestige::report {

/// null, text and absent fields are NaN; "inf" and "-inf" are infinities.
double number_of(const Json& object, const char* key);

/// A count or a seed; `otherwise` where it is absent or no whole number.
std::uint64_t whole_of(const Json& object, const char* key, std::uint64_t otherwise = 0);

/// Text of a field, empty where it is absent or not text.
std::string text_of(const Json& object, const char* key);

/// True only where the field says so.
bool flag_of(const Json& object, const char* key);

/// The array or object under `key`; an empty array where it is absent or something else.
const Json& list_of(const Json& object, const char* key);

/// InputError: the field has a word that is not known.
[[noreturn]] void unknown_word(const char* key, const std::string& word);

/// The value among `all` whose name the field has; `otherwise` where the field is absent.
/// InputError for a word that is not known: it would be shown as something that it is not.
template <typename Enumeration, std::size_t kCount>
Enumeration named(const Json& object, const char* key, const Enumeration (&all)[kCount],
                  Enumeration otherwise) {
  if (!object.is_object() || !object.contains(key)) return otherwise;
  const std::string word = text_of(object, key);
  for (const Enumeration value : all) {
    if (name(value) == word) return value;  // found by argument-dependent lookup
  }
  unknown_word(key, word);
}

}  // namespace vestige::report
