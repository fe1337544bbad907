// Inputs and labels out of npz archives, for the loaders of tables and arrays.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "vestige/data/dataset.h"
#include "vestige/evidence/formats/npz.h"

namespace vestige::data {

bool has_array(const evidence::Npz& archive, const std::string& key);

/// One array; an InputError that lists the keys there are if it is missing.
evidence::Array load_array(const evidence::Npz& archive, const std::string& key,
                           const std::filesystem::path& path);

/// Labels [n] (or [n, 1]), or one-hot rows [n, classes], as numbers.
std::vector<std::int64_t> load_labels(const evidence::Npz& archive, const std::string& key,
                                      const std::filesystem::path& path);

/// Text, or whole numbers printed.
std::vector<std::string> load_names(const evidence::Npz& archive, const std::string& key,
                                    const std::filesystem::path& path);

/// Appends all items as values.
void append_values(Dataset& dataset, const evidence::Array& array);

/// Inputs so far must be as many as labels so far.
void check_rows(const Dataset& dataset, const std::filesystem::path& path);

}  // namespace vestige::data
