// Tolerant access to JSON.
#include "vestige/report/json/json_fields.h"

#include <cmath>
#include <limits>

#include "vestige/base/error.h"
#include "vestige/metrics/estimate.h"

namespace vestige::report {

double number_of(const Json& object, const char* key) {
  if (!object.is_object()) return metrics::kUndefined;
  const auto found = object.find(key);
  if (found == object.end()) return metrics::kUndefined;
  if (found->is_number()) return found->get<double>();
  if (*found == "inf") return std::numeric_limits<double>::infinity();
  if (*found == "-inf") return -std::numeric_limits<double>::infinity();
  return metrics::kUndefined;
}

std::uint64_t whole_of(const Json& object, const char* key, std::uint64_t otherwise) {
  if (!object.is_object()) return otherwise;
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  if (found->is_number_unsigned()) return found->get<std::uint64_t>();
  const double value = number_of(object, key);
  return value >= 0 && value < 9e15 ? static_cast<std::uint64_t>(value) : otherwise;
}

std::string text_of(const Json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

bool flag_of(const Json& object, const char* key) {
  if (!object.is_object()) return false;
  const auto found = object.find(key);
  return found != object.end() && *found == true;
}

const Json& list_of(const Json& object, const char* key) {
  static const Json kEmpty = Json::array();
  if (!object.is_object()) return kEmpty;
  const auto found = object.find(key);
  return found != object.end() && found->is_structured() ? *found : kEmpty;
}

void unknown_word(const char* key, const std::string& word) {
  fail(
      "the results have {} '{}', which this program does not know: use the version that wrote them",
      key, word);
}

}  // namespace vestige::report
