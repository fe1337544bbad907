// Earlier names, and what they are called now.
#include "vestige/report/json/earlier_names.h"

#include <string>
#include <string_view>
#include <utility>

namespace vestige::report {
namespace {

using Name = std::pair<std::string_view, std::string_view>;

constexpr Name kKeys[] = {
    {"arm", "variant"},     {"arms", "variants"},    {"failed_arms", "failed_variants"},
    {"floor", "retrained"}, {"ceiling", "original"}, {"collapsed", "constant"}};
constexpr Name kControls[] = {
    {"floor", "retrained"}, {"ceiling", "original"}, {"collapsed", "constant"}};
constexpr Name kParameters[] = {{"probe", "recovery_test"},
                                {"room", "original_retrained_difference"},
                                {"rows_a_side", "examples_per_group"}};
constexpr Name kRoles[] = {{"constant", "constant_predictor"}};
constexpr Name kSubjects[] = {{"collapsed", "constant_predictor"},
                              {"collapsed/0", "constant_predictor/0"}};

/// Present name among `names`; the same word if it was not changed.
template <std::size_t kCount>
std::string_view present(std::string_view word, const Name (&names)[kCount]) {
  for (const auto& [before, now] : names) {
    if (before == word) return now;
  }
  return word;
}

template <std::size_t kCount>
void rename_word(Json& object, const char* key, const Name (&names)[kCount]) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return;
  *found = std::string(present(found->get_ref<const std::string&>(), names));
}

/// Keys of the object, and not of what it holds.
template <std::size_t kCount>
void rename_keys(Json& object, const Name (&names)[kCount]) {
  if (!object.is_object()) return;
  Json renamed = Json::object();
  for (auto& [key, value] : object.items()) {
    renamed[std::string(present(key, names))] = std::move(value);
  }
  object = std::move(renamed);
}

}  // namespace

void use_present_names(Json& json) {
  if (json.is_array()) {
    for (Json& entry : json) use_present_names(entry);
    return;
  }
  if (!json.is_object()) return;
  for (Json& value : json) use_present_names(value);
  rename_keys(json, kKeys);
  for (const char* key : {"settings", "facts", "params"}) {
    if (json.contains(key)) rename_keys(json[key], kParameters);
  }
  rename_word(json, "control", kControls);
  // Its role was renamed above, as that of a control.
  if (json.contains("subject")) rename_word(json["subject"], "role", kRoles);
  rename_word(json, "model", kSubjects);  // the subject in schema 1
  // A mean of an experiment: whose it is, and which control that is.
  rename_word(json, "role", kControls);
  if (json.value("control", Json()) == true) rename_word(json, "method", kSubjects);
  // What a check of a recipe goes over is a key of rows.
  if (json.value("over", Json()) == "arm") json["over"] = "variant";
}

}  // namespace vestige::report
