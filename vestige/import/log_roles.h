// Which model an evaluation log is about, from its path:
// saves/eval/tofu_MODEL_retain90/TOFU_EVAL.json is a retrained model.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace vestige::importing {

struct LogRole {
  std::string role;    ///< "original", "retrained", "unlearned/NPO" or "skip"; empty: not known
  std::string name;    ///< only from --map ROLE/NAME=PATH
  std::string model;   ///< "Llama-3.2-1B-Instruct"; may be empty
  std::string forget;  ///< "forget10", "News"; may be empty
};

/// `path` is relative to the folder that was given.
LogRole role_of_path(const std::filesystem::path& path);

/// --map ROLE=PATH: a file, or a folder whose logs all have this role.
struct RoleMap {
  LogRole role;
  std::filesystem::path path;
};

/// InputError for a role or path that does not exist. Paths are looked up below `saves` first.
std::vector<RoleMap> parse_map(const std::vector<std::string>& map,
                               const std::filesystem::path& saves);

}  // namespace vestige::importing
