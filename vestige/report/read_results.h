// results.json read back: what the report's views are made from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/study/rows.h"

namespace vestige::report {

/// The schema that this program writes and reads (docs/results.md).
inline constexpr int kSchema = 1;

/// InputError in one sentence unless `results` is an object of schema 1 with rows. `where` names
/// it.
void check_results(const Json& results, const std::string& where);

/// Reads and checks a file.
Json read_results(const std::filesystem::path& path);

/// null, text and absent fields are NaN; "inf" and "-inf" are infinities.
double number_of(const Json& object, const char* key);

/// Text of a field, empty where it is absent or not text.
std::string text_of(const Json& object, const char* key);

/// The array or object under `key`; an empty array where it is absent or something else.
const Json& list_of(const Json& object, const char* key);

/// The rows. Fields that are absent keep their defaults: older results lack some.
std::vector<study::StudyRow> rows_of(const Json& results);

}  // namespace vestige::report
