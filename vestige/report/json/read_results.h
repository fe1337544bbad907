// results.json of an earlier run, read back.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "vestige/report/results.h"

namespace vestige::report {

/// From schema 2, or from schema 1 with what has another name now renamed. InputError in one
/// sentence unless `json` is an object of such a schema with rows. `where` names it.
Results results_of(const Json& json, const std::string& where);

/// Experiments of a thousand models have some 100 MB.
inline constexpr std::size_t kMostOfResults = std::size_t{1} << 31U;

/// Reads a file, or results.json in a folder that an audit wrote.
Results read_results(const std::filesystem::path& path);

}  // namespace vestige::report
