// Jobs that failed, as small files beside the models: other workers of the same run do not try
// them again, and verbs can say what is missing and why. A later run tries anew.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace vestige::pool {

struct Failure {
  std::string label;
  std::string why;
};

/// Writes <folder>/<name>.failed; a folder that cannot be written is not another error.
void note_failure(const std::filesystem::path& folder, const std::string& name,
                  const Failure& failure);

/// The failure of this model, if its file is not older than `since`.
std::optional<Failure> find_failure(
    const std::filesystem::path& folder, const std::string& name,
    std::filesystem::file_time_type since = std::filesystem::file_time_type::min());

/// Forgets it: the model has been made after all.
void clear_failure(const std::filesystem::path& folder, const std::string& name);

}  // namespace vestige::pool
